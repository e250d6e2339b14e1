import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6, type Server, type Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { AnsweringWriter } from '../http/answering-writer.js';
import { explainListenError, formatAddress, listen, type ListeningAddress } from '../http/listen.js';
import { MAX_CONNECTIONS, SOCKET_TIMEOUT_MS } from '../http/run-server.js';
import { LF } from '../log/byte-string.js';
import { PIPE_PACKET_BYTES } from '../output/packet.js';
import { countOf } from '../wording.js';
import { MAX_HELD_BYTES, MIB, type HeldBytes } from './bodies.js';
import { LineBuffer, packetOfLines } from './line-buffer.js';
import { MessageCutter } from './message-cutter.js';

export interface SocketOptions {
  readonly tcp: readonly ListeningAddress[];
  readonly udp: readonly ListeningAddress[];
  /** Called for each address once it is bound: `http://127.0.0.1:8080/`, `tcp://127.0.0.1:5514`. */
  readonly onListening: (address: string) => void;
  readonly warn: (message: string) => void;
  /** The size from which the output is rotated, between lines. May be Infinity. */
  readonly maxFileBytes: number;
}

/** A write that failed is tried again after this time. */
const RETRY_MS = 500;

/** The system's buffer of datagrams, as far as it allows. */
const DATAGRAM_BUFFER_BYTES = 4 * MIB;

/** Lines of datagrams wait for the output up to this size; further datagrams are dropped, and counted. */
const MAX_DATAGRAM_LINES_BYTES = 64 * MIB;

/** A byte is at most this long once it is escaped. */
const ESCAPED_LENGTH = 6;

/**
 * Takes messages over TCP and UDP. A connection is not read while what was read of it waits for the output. What cannot be written is
 * written as soon as the output takes it.
 */
export class MessageSockets {
  readonly #options: SocketOptions;
  readonly #writer: AnsweringWriter;
  readonly #held: HeldBytes;
  readonly #lines = new LineBuffer();
  readonly #servers: Server[] = [];
  /** Each ends a connection, or a socket of datagrams, and resolves once what was read of it is written. */
  readonly #ends = new Set<() => Promise<void>>();
  readonly #ending = new AbortController();
  #dropped = 0;
  #unwritten = 0;

  /** @param held is shared with the requests over HTTP */
  constructor(options: SocketOptions, writer: AnsweringWriter, held: HeldBytes) {
    this.#options = options;
    this.#writer = writer;
    this.#held = held;
  }

  /** Listens on all addresses. @throws CallError that names the option at fault */
  async listen(): Promise<void> {
    const { tcp, udp, onListening } = this.#options;
    for (const address of tcp) {
      const server = createServer((socket) => {
        this.#accept(socket);
      });
      server.maxConnections = MAX_CONNECTIONS;
      this.#servers.push(server);
      onListening(`tcp://${await listen(server, address)}`);
    }
    for (const address of udp) onListening(`udp://${await this.#bind(address)}`);
  }

  /** Accepts no more, and writes what has been read. */
  async close(): Promise<void> {
    for (const server of this.#servers) server.close();
    this.#ending.abort();
    const ends = Array.from(this.#ends);
    this.#ends.clear();
    await Promise.all(ends.map((end) => end()));
    const { warn } = this.#options;
    if (this.#dropped > 0) warn(`${countOf(this.#dropped, 'datagram')} dropped, since the output took too little`);
    if (this.#unwritten > 0) warn(`${countOf(this.#unwritten, 'line')} that had been read could not be written`);
  }

  #accept(socket: Socket): void {
    const { remoteAddress: address = '', remotePort: port = 0, remoteFamily: family = '' } = socket;
    const name = formatAddress({ address, port, family });
    const cutter = new MessageCutter(this.#lines, (problem) => {
      this.#options.warn(`${name}: ${problem}`);
    });
    let written = Promise.resolve();
    const read = (chunk?: Buffer): Promise<void> => {
      const before = cutter.heldBytes;
      this.#lines.begin();
      if (chunk === undefined) cutter.end();
      else cutter.push(chunk);
      this.#held.bytes += cutter.heldBytes - before;
      return (written = this.#write(this.#lines, written));
    };
    const closed = finished(socket)
      .catch(() => undefined)
      .then(() => read());
    const end = (): Promise<void> => {
      socket.destroy();
      return closed;
    };
    this.#ends.add(end);
    void closed.then(() => this.#ends.delete(end));
    socket.on('data', (chunk: Buffer) => {
      socket.pause();
      void read(chunk).then(async () => {
        while (this.#held.bytes > MAX_HELD_BYTES && !socket.destroyed) await setTimeout(RETRY_MS);
        socket.resume();
      });
    });
    // A connection between two messages may be silent for long: a sender that finds it closed loses what it sends next.
    socket.setTimeout(SOCKET_TIMEOUT_MS, () => {
      if (socket.bytesRead === 0 || cutter.heldBytes > 0) socket.destroy();
    });
    socket.on('error', () => undefined);
  }

  async #bind(address: ListeningAddress): Promise<string> {
    const { host, port } = address;
    const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' });
    let writing: Promise<void> | undefined;
    this.#ends.add(async () => {
      socket.close();
      await writing;
    });
    try {
      const bound = once(socket, 'listening');
      socket.bind(port, host);
      await bound;
    } catch (error) {
      throw explainListenError(error, address);
    }
    socket.setRecvBufferSize(DATAGRAM_BUFFER_BYTES);
    socket.on('error', () => undefined);
    const lines = new LineBuffer();
    const writeAll = async (): Promise<void> => {
      // Datagrams that arrive in the same turn of the event loop, or during a write, are written together.
      await setImmediate();
      while (lines.count > 0) {
        const written = this.#write(lines, Promise.resolve());
        lines.begin();
        await written;
      }
      writing = undefined;
    };
    socket.on('message', (message) => {
      if (lines.bytes.length + ESCAPED_LENGTH * message.length > MAX_DATAGRAM_LINES_BYTES) {
        this.#dropped += 1;
        return;
      }
      lines.addMessage(message.at(-1) === LF ? message.subarray(0, -1) : message);
      writing ??= writeAll();
    });
    return formatAddress(socket.address());
  }

  /** Writes lines, which are copied at once, behind those before them. Each piece stands as a whole, or is tried again. */
  async #write(lines: LineBuffer, before: Promise<void>): Promise<void> {
    const bytes = Buffer.from(lines.bytes);
    this.#held.bytes += bytes.length;
    await before;
    const packet = packetOfLines(bytes, Math.min(PIPE_PACKET_BYTES, this.#options.maxFileBytes));
    for (let index = 0; index < packet.pieces; index += 1) {
      const count = packet.count(index + 1) - packet.count(index);
      const piece = { bytes: packet.bytes(index, index + 1), count, origin: {} };
      while ((await this.#writer.write(() => piece)) !== 'written') {
        if (this.#ending.signal.aborted) {
          this.#unwritten += piece.count;
          break;
        }
        await setTimeout(RETRY_MS, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      }
    }
    this.#held.bytes -= bytes.length;
  }
}
