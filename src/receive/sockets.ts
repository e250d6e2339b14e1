import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6, type Server, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { AnsweringWriter } from '../http/answering-writer.js';
import { explainListenError, formatAddress, listen, type ListeningAddress } from '../http/listen.js';
import { MAX_CONNECTIONS, SOCKET_TIMEOUT_MS } from '../http/run-server.js';
import { LF } from '../log/byte-string.js';
import { countOf } from '../wording.js';
import { MAX_HELD_BYTES, MIB, type HeldBytes } from './bodies.js';
import { LineBuffer, packetOfLines } from './line-buffer.js';
import { MessageCutter } from './message-cutter.js';

/** The options of the sockets that take messages without an answer. */
export interface SocketOptions {
  readonly tcp: readonly ListeningAddress[];
  readonly udp: readonly ListeningAddress[];
  /** Called for each address once it is bound: `tcp://127.0.0.1:5514`. */
  readonly onListening: (address: string) => void;
  /** Takes a line about something that is wrong. */
  readonly warn: (message: string) => void;
  /** The most bytes of a piece of the output. */
  readonly maxPieceBytes: number;
}

/** What could not be written is tried again after this time. */
const RETRY_MS = 500;

/** The system's buffer of datagrams, as far as it allows. */
const DATAGRAM_BUFFER_BYTES = 4 * MIB;

/** Lines of datagrams wait for the output up to this size; further datagrams are dropped, and counted. */
const MAX_DATAGRAM_LINES_BYTES = 64 * MIB;

/** A byte is at most this long once it is escaped. */
const ESCAPED_LENGTH = 6;

const NO_BODY = Buffer.alloc(0);

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
  readonly #connections = new Map<Socket, () => Promise<void>>();
  readonly #datagrams: DatagramSocket[] = [];
  /** Ends the waits for an output that takes nothing. */
  readonly #ending = new AbortController();
  readonly #writes = new Set<Promise<void>>();
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
    for (const address of this.#options.tcp) {
      const server = createServer((socket) => {
        this.#accept(socket);
      });
      server.maxConnections = MAX_CONNECTIONS;
      this.#servers.push(server);
      this.#options.onListening(`tcp://${await listen(server, address)}`);
    }
    for (const address of this.#options.udp) this.#options.onListening(`udp://${await this.#bind(address)}`);
  }

  /** Accepts no more, and writes what has been read. */
  async close(): Promise<void> {
    for (const server of this.#servers) server.close();
    for (const socket of this.#datagrams.splice(0)) socket.close();
    this.#ending.abort();
    await Promise.all(Array.from(this.#connections.values(), (end) => end()));
    await Promise.all(this.#writes);
    const { warn } = this.#options;
    if (this.#dropped > 0) warn(`${countOf(this.#dropped, 'datagram')} dropped, since the output took too little`);
    if (this.#unwritten > 0) warn(`${countOf(this.#unwritten, 'line')} that had been read could not be written`);
  }

  #accept(socket: Socket): void {
    const { warn } = this.#options;
    const name = formatAddress({
      address: socket.remoteAddress ?? '',
      port: socket.remotePort ?? 0,
      family: socket.remoteFamily ?? '',
    });
    const cutter = new MessageCutter({
      take: (message) => {
        this.#lines.addMessage(message);
      },
      warn: (problem) => {
        warn(`${name}: ${problem}`);
      },
    });
    let pending = Promise.resolve();
    const read = (cut: () => void): Promise<void> => {
      const before = cutter.heldBytes;
      this.#lines.begin(NO_BODY);
      cut();
      this.#held.bytes += cutter.heldBytes - before;
      pending = this.#write(this.#lines, pending);
      return pending;
    };
    let isEnded = false;
    const end = (): Promise<void> => {
      if (isEnded) return pending;
      isEnded = true;
      this.#connections.delete(socket);
      socket.destroy();
      return read(() => {
        cutter.end();
      });
    };
    this.#connections.set(socket, end);
    let hasSent = false;
    socket.on('data', (chunk: Buffer) => {
      if (isEnded) return;
      hasSent = true;
      socket.pause();
      void read(() => {
        cutter.push(chunk);
      }).then(async () => {
        while (this.#held.bytes > MAX_HELD_BYTES && !isEnded) await setTimeout(RETRY_MS);
        socket.resume();
      });
    });
    // A connection between two messages may be silent for long: a sender that finds it closed loses what it sends next.
    socket.setTimeout(SOCKET_TIMEOUT_MS, () => {
      if (!hasSent || cutter.heldBytes > 0) void end();
    });
    socket.on('error', () => undefined);
    socket.once('end', () => void end());
    socket.once('close', () => void end());
  }

  async #bind({ host, port, option }: ListeningAddress): Promise<string> {
    const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' });
    this.#datagrams.push(socket);
    try {
      const bound = once(socket, 'listening');
      socket.bind(port, host);
      await bound;
    } catch (error) {
      throw explainListenError(error, { host, port, ...(option === undefined ? {} : { option }) });
    }
    socket.setRecvBufferSize(DATAGRAM_BUFFER_BYTES);
    socket.on('error', () => undefined);
    const lines = new LineBuffer();
    let isWriting = false;
    const writeAll = async (): Promise<void> => {
      // Datagrams that arrive in the same turn of the event loop, or during a write, are written together.
      await setImmediate();
      while (lines.count > 0) {
        const written = this.#write(lines, Promise.resolve());
        lines.begin(NO_BODY);
        await written;
      }
      isWriting = false;
    };
    socket.on('message', (message) => {
      if (lines.bytes.length + ESCAPED_LENGTH * message.length > MAX_DATAGRAM_LINES_BYTES) {
        this.#dropped += 1;
        return;
      }
      lines.addMessage(message.at(-1) === LF ? message.subarray(0, -1) : message);
      if (isWriting) return;
      isWriting = true;
      void this.#track(writeAll());
    });
    return formatAddress(socket.address());
  }

  /** Writes lines, which are copied at once, behind those before them. Each piece stands as a whole, or is tried again. */
  #write(lines: LineBuffer, before: Promise<void>): Promise<void> {
    return lines.count === 0 ? before : this.#track(this.#writePieces(Buffer.from(lines.bytes), before));
  }

  async #writePieces(bytes: Buffer, before: Promise<void>): Promise<void> {
    this.#held.bytes += bytes.length;
    await before;
    const packet = packetOfLines(bytes, this.#options.maxPieceBytes);
    for (let index = 0; index < packet.pieces; index += 1) {
      const piece = packet.slice(index, index + 1);
      while ((await this.#writer.write(() => ({ bytes: piece.bytes, count: piece.count, origin: {} }))) !== 'written') {
        if (this.#ending.signal.aborted) {
          this.#unwritten += piece.count;
          break;
        }
        await setTimeout(RETRY_MS, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      }
    }
    this.#held.bytes -= bytes.length;
  }

  /** Has the end wait for work. */
  #track(work: Promise<void>): Promise<void> {
    this.#writes.add(work);
    return work.finally(() => this.#writes.delete(work));
  }
}
