import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { DataError, refuseUse, type CallError } from '../errors.js';
import { LF } from '../log/byte-string.js';
import { explainSocketError, parseSocketAddress, type Framing, type SocketAddress } from './address.js';
import { PIPE_PACKET_BYTES } from './packet.js';
import type { ConnectionState, Sink } from './destination.js';

export interface SocketSettings {
  readonly framing?: Framing | undefined;
  /** True if a lost connection is made again, and what is written meanwhile is lost; otherwise the write fails. */
  readonly reconnects?: boolean | undefined;
}

interface SocketOptions extends SocketSettings {
  readonly signal: AbortSignal;
}

/** Each pause before connecting again is twice the one before. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;

/** Over IPv4. */
const MAX_DATAGRAM_BYTES = 65_507;

/** @throws CallError if the socket cannot be reached, or the framing is not one of its */
export async function openSocketSink(name: string, options: SocketOptions): Promise<Sink> {
  const address = parseSocketAddress(name);
  if (address.sort === 'udp' && options.framing === 'octet')
    throw refuseUse('framing', 'a datagram is one record, and needs no framing', 'leave it out, or send over TCP');
  const open = (): Promise<OpenSocket> =>
    address.sort === 'udp' ? openDatagrams(address, options, name) : openStream(address, options, name);
  return new SocketSink(open, await open(), options.reconnects === true);
}

interface OpenSocket {
  /** Resolves once the connection is gone; left out by what has none. */
  readonly lost?: Promise<void>;
  /** Writes whole records. @throws CallError if the connection is lost; DataError for a record that cannot be sent */
  write(bytes: Buffer): Promise<void>;
  close(): void;
}

class SocketSink implements Sink {
  readonly stats = undefined;
  readonly isTerminal = false;
  readonly mayRecover = false;
  readonly packetBytes = PIPE_PACKET_BYTES;
  /** Unknown: the receiver does not tell. */
  readonly taken = 0;
  readonly #open: () => Promise<OpenSocket>;
  readonly #isConnectedAgain: boolean;
  #connection: OpenSocket | undefined;
  #reconnects = 0;
  #isClosed = false;

  constructor(open: () => Promise<OpenSocket>, connection: OpenSocket, isConnectedAgain: boolean) {
    this.#open = open;
    this.#isConnectedAgain = isConnectedAgain;
    this.#use(connection);
  }

  get connection(): ConnectionState {
    return { isOpen: this.#connection !== undefined, reconnects: this.#reconnects };
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#connection?.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    } catch (error) {
      // Nobody knows how much of it has arrived: the canary finds out.
      if (error instanceof DataError || !this.#isConnectedAgain) throw error;
    }
  }

  /** Uses a connection until it is lost. Datagrams have none: those that nobody takes are lost. */
  #use(connection: OpenSocket): void {
    this.#connection = connection;
    if (this.#isConnectedAgain) void connection.lost?.then(() => this.#connectAgain(connection));
  }

  async #connectAgain(lost: OpenSocket): Promise<void> {
    lost.close();
    this.#connection = undefined;
    let connection: OpenSocket | undefined;
    for (
      let pauseMs = FIRST_PAUSE_MS;
      connection === undefined && !this.#isClosed;
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
    ) {
      await setTimeout(pauseMs, undefined, { ref: false });
      connection = await this.#open().catch(() => undefined);
    }
    if (connection === undefined) return;
    this.#use(connection);
    this.#reconnects += 1;
    if (this.#isClosed) connection.close();
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
  }
}

async function openStream(
  address: Exclude<SocketAddress, { readonly sort: 'udp' }>,
  { framing = 'lf', signal }: SocketOptions,
  name: string,
): Promise<OpenSocket> {
  const socket: Socket = connect(
    address.sort === 'unix' ? { path: address.path } : { host: address.host, port: address.port, noDelay: true },
  );
  let failure: CallError | undefined;
  socket.on('error', (error) => {
    failure ??= explainSocketError(error, name);
  });
  // Bytes of a receiver are read: a connection that is closed with unread bytes is reset.
  socket.resume();
  await connected(socket, name, signal);
  const lost = new Promise<void>((resolve) => {
    for (const event of ['end', 'close']) socket.once(event, resolve);
  });
  return {
    lost,
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(framing === 'octet' ? countRecords(bytes) : bytes, (error) => {
          if (error) reject(failure ?? explainSocketError(error, name));
          else resolve();
        });
      }),
    close: () => {
      socket.end(() => {
        // All has been handed to the system, which sends it when the process has ended, too.
        socket.unref();
      });
    },
  };
}

async function connected(socket: Socket | DatagramSocket, name: string, signal: AbortSignal): Promise<void> {
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    if ('destroy' in socket) socket.destroy();
    else socket.close();
    signal.throwIfAborted();
    throw explainSocketError(error, name);
  }
}

function* recordsIn(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const lf = bytes.indexOf(LF, start);
    const end = lf === -1 ? bytes.length : lf;
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

function countRecords(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (const record of recordsIn(bytes)) parts.push(Buffer.from(`${String(record.length)} `), record);
  return Buffer.concat(parts);
}

/** A record a datagram, without its LF. The socket is connected, so that it is told if nobody listens. */
async function openDatagrams(
  { host, port }: { readonly host: string; readonly port: number },
  { signal }: SocketOptions,
  name: string,
): Promise<OpenSocket> {
  const socket: DatagramSocket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  let failure: CallError | undefined;
  socket.on('error', (error) => {
    failure = explainSocketError(error, name);
  });
  socket.connect(port, host);
  await connected(socket, name, signal);
  socket.unref();
  const send = (record: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.send(record, (error) => {
        if (error) reject(explainSocketError(error, name));
        else resolve();
      });
    });
  return {
    write: async (bytes) => {
      const records = [...recordsIn(bytes)];
      const long = records.find((record) => record.length > MAX_DATAGRAM_BYTES);
      if (long !== undefined) {
        const problem = `a record of ${String(long.length)} bytes does not fit into a datagram`;
        throw new DataError({ source: name }, problem, `send at most ${String(MAX_DATAGRAM_BYTES)} bytes, or over TCP`);
      }
      await Promise.all(records.map(send));
      if (failure !== undefined) throw failure;
    },
    close: () => {
      socket.close();
    },
  };
}
