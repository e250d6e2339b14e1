import { createSocket } from 'node:dgram';
import { once, type EventEmitter } from 'node:events';
import { connect, isIPv6 } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { DataError, refuseUse, type CallError } from '../errors.js';
import { LF } from '../log/byte-string.js';
import { explainSocketError, parseSocketAddress, type Framing, type SocketAddress } from './address.js';
import type { Sink } from './destination.js';

export interface SocketSettings {
  readonly framing?: Framing | undefined;
  /** True if a lost connection is made again, and what is written meanwhile is lost; otherwise the write fails. */
  readonly reconnects?: boolean | undefined;
}

type SocketOptions = SocketSettings & { readonly signal: AbortSignal };

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
const MAX_DATAGRAM_BYTES = 65_507;

interface OpenSocket {
  /** Resolves once the connection is gone; left out by datagrams, which have none: those that nobody takes are lost. */
  readonly lost?: Promise<unknown>;
  /** @throws CallError if the connection is lost; DataError for a record that cannot be sent */
  readonly write: (bytes: Buffer) => Promise<void>;
  readonly close: () => void;
}

/** @throws CallError if the socket cannot be reached */
export async function openSocketSink(name: string, options: SocketOptions): Promise<Sink> {
  const address = parseSocketAddress(name);
  const { framing, reconnects: isConnectedAgain = false } = options;
  if (address.sort === 'udp' && framing === 'octet')
    throw refuseUse('framing', 'a datagram is one record, and needs no framing', 'leave it out, or send over TCP');
  const open = (): Promise<OpenSocket> =>
    address.sort === 'udp' ? openDatagrams(address.host, address.port, options.signal, name) : openStream(address, options, name);
  let socket: OpenSocket | undefined = await open();
  let reconnects = 0;
  let isClosed = false;
  const connectAgain = async (): Promise<void> => {
    while (socket?.lost !== undefined) {
      await socket.lost;
      socket.close();
      socket = undefined;
      for (let pauseMs = FIRST_PAUSE_MS; socket === undefined && !isClosed; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
        await setTimeout(pauseMs, undefined, { ref: false });
        socket = await open().catch(() => undefined);
      }
      reconnects += 1;
      if (isClosed) socket?.close();
    }
  };
  if (isConnectedAgain) void connectAgain();
  return {
    get connection() {
      return { isOpen: socket !== undefined, reconnects };
    },
    write: async (bytes) => {
      try {
        await socket?.write(bytes);
      } catch (error) {
        // Nobody knows how much of it has arrived: the canary finds out.
        if (error instanceof DataError || !isConnectedAgain) throw error;
      }
    },
    close: () => {
      isClosed = true;
      socket?.close();
    },
  };
}

async function openStream(address: SocketAddress, { framing, signal }: SocketOptions, name: string): Promise<OpenSocket> {
  const socket = connect({ ...address, noDelay: true });
  // A connection that is closed with unread bytes is reset.
  socket.resume();
  const failure = await connected(socket, name, signal, () => socket.destroy());
  return {
    lost: new Promise((resolve) => {
      for (const event of ['end', 'close']) socket.once(event, resolve);
    }),
    write: async (bytes) => {
      const error = await new Promise<Error | null | undefined>((resolve) => {
        socket.write(framing === 'octet' ? countRecords(bytes) : bytes, resolve);
      });
      if (error) throw failure() ?? explainSocketError(error, name);
    },
    // The system sends what it was handed, also when the process has ended.
    close: () => socket.end(() => socket.unref()),
  };
}

/** A record a datagram, without its LF. The socket is connected, so that it is told if nobody listens. */
async function openDatagrams(host: string, port: number, signal: AbortSignal, name: string): Promise<OpenSocket> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  const close = (): unknown => socket.close();
  socket.connect(port, host);
  const failure = await connected(socket, name, signal, close);
  socket.unref();
  const send = (record: Buffer): Promise<unknown> =>
    new Promise((resolve) => {
      socket.send(record, resolve);
    });
  return {
    write: async (bytes) => {
      const records = recordsIn(bytes);
      const long = records.find((record) => record.length > MAX_DATAGRAM_BYTES);
      if (long !== undefined) {
        const problem = `a record of ${String(long.length)} bytes does not fit into a datagram`;
        throw new DataError({ source: name }, problem, `send at most ${String(MAX_DATAGRAM_BYTES)} bytes, or over TCP`);
      }
      const error = failure() ?? (await Promise.all(records.map(send))).find((each) => each !== null);
      if (error !== undefined) throw failure() ?? explainSocketError(error, name);
    },
    close,
  };
}

/** Waits for a connection. @returns the first error of the socket since, if any */
async function connected(
  socket: EventEmitter,
  name: string,
  signal: AbortSignal,
  close: () => unknown,
): Promise<() => CallError | undefined> {
  let failure: CallError | undefined;
  socket.on('error', (error) => {
    failure ??= explainSocketError(error, name);
  });
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    close();
    signal.throwIfAborted();
    throw explainSocketError(error, name);
  }
  return () => failure;
}

function recordsIn(bytes: Buffer): readonly Buffer[] {
  const records: Buffer[] = [];
  for (let start = 0, end; start < bytes.length; start = end + 1) {
    end = bytes.indexOf(LF, start);
    records.push(bytes.subarray(start, end));
  }
  return records;
}

function countRecords(bytes: Buffer): Buffer {
  return Buffer.concat(recordsIn(bytes).flatMap((record) => [Buffer.from(`${String(record.length)} `), record]));
}
