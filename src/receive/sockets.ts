import { createSocket } from 'node:dgram';
import { once, setMaxListeners } from 'node:events';
import { createServer, isIPv6, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { AnsweringWriter } from '../http/answering-writer.js';
import { explainListenError, formatAddress, listen, type ListeningAddress } from '../http/listen.js';
import { MAX_CONNECTIONS, SOCKET_TIMEOUT_MS } from '../http/run-server.js';
import { LF } from '../log/byte-string.js';
import { PIPE_PACKET_BYTES } from '../output/piece.js';
import { countOf } from '../wording.js';
import { MAX_HELD_BYTES, MIB, type HeldBytes } from './bodies.js';
import { LineBuffer, piecesOf } from './lines.js';
import { MessageCutter } from './messages.js';

export interface SocketOptions {
  readonly tcp: readonly ListeningAddress[];
  readonly udp: readonly ListeningAddress[];
  /** Called for each address once it is bound: `http://127.0.0.1:8080/`, `tcp://127.0.0.1:5514`. */
  readonly onListening: (address: string) => void;
  readonly warn: (message: string) => void;
  /** The size from which the output is rotated, between lines. May be Infinity. */
  readonly maxFileBytes: number;
}

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
  readonly #lines = new LineBuffer();
  /** Each resolves once what was read of a connection, or of datagrams, is written. */
  readonly #reads = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  #dropped = 0;
  #unwritten = 0;

  /** @param held is shared with the requests over HTTP */
  constructor(
    private readonly options: SocketOptions,
    private readonly writer: AnsweringWriter,
    private readonly held: HeldBytes,
  ) {
    // Each connection listens.
    setMaxListeners(0, this.#ending.signal);
  }

  /** Listens on all addresses. @throws CallError that names the option at fault */
  async listen(): Promise<void> {
    const { tcp, udp, onListening } = this.options;
    for (const address of tcp) {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        this.#follow(this.#read(addAbortSignal(this.#ending.signal, socket)));
      });
      server.maxConnections = MAX_CONNECTIONS;
      this.#ending.signal.addEventListener('abort', () => server.close());
      onListening(`tcp://${await listen(server, address)}`);
    }
    for (const address of udp) onListening(`udp://${await this.#bind(address)}`);
  }

  /** Accepts no more, and writes what has been read. */
  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#reads);
    const { warn } = this.options;
    if (this.#dropped > 0) warn(`${countOf(this.#dropped, 'datagram')} dropped, since the output took too little`);
    if (this.#unwritten > 0) warn(`${countOf(this.#unwritten, 'line')} that had been read could not be written`);
  }

  #follow(read: Promise<void>): void {
    this.#reads.add(read);
    void read.then(() => this.#reads.delete(read));
  }

  async #read(socket: Socket): Promise<void> {
    const { remoteAddress: address = '', remotePort: port = 0, remoteFamily: family = '' } = socket;
    const name = formatAddress({ address, port, family });
    const cutter = new MessageCutter(this.#lines, (problem) => {
      this.options.warn(`${name}: ${problem}`);
    });
    const write = async (cut: () => void): Promise<void> => {
      const before = cutter.heldBytes;
      this.#lines.begin();
      cut();
      this.held.bytes += cutter.heldBytes - before;
      await this.#write(this.#lines);
    };
    // A connection between two messages may be silent for long: a sender that finds it closed loses what it sends next.
    socket.setTimeout(SOCKET_TIMEOUT_MS, () => {
      if (socket.bytesRead === 0 || cutter.heldBytes > 0) socket.destroy();
    });
    const chunks: AsyncIterable<Buffer> = socket;
    try {
      for await (const chunk of chunks) {
        await write(() => {
          cutter.push(chunk);
        });
        while (this.held.bytes > MAX_HELD_BYTES && !socket.destroyed) await setTimeout(RETRY_MS);
      }
    } catch {
      // A connection that breaks ends like any other.
    }
    await write(() => {
      cutter.end();
    });
  }

  async #bind(address: ListeningAddress): Promise<string> {
    const { host, port } = address;
    const { signal } = this.#ending;
    const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', signal });
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
    let isWriting = false;
    const writeAll = async (): Promise<void> => {
      isWriting = true;
      // Datagrams that arrive in the same turn of the event loop, or during a write, are written together.
      await setImmediate();
      while (lines.count > 0) {
        const written = this.#write(lines);
        lines.begin();
        await written;
      }
      isWriting = false;
    };
    socket.on('message', (message) => {
      const isFull = lines.bytes.length + ESCAPED_LENGTH * message.length > MAX_DATAGRAM_LINES_BYTES;
      if (isFull) this.#dropped += 1;
      else lines.addMessage(message.at(-1) === LF ? message.subarray(0, -1) : message);
      if (!isWriting) this.#follow(writeAll());
    });
    return formatAddress(socket.address());
  }

  /** Writes lines, which are copied at once. Each piece stands as a whole, or is tried again. */
  async #write(lines: LineBuffer): Promise<void> {
    const bytes = Buffer.from(lines.bytes);
    this.held.bytes += bytes.length;
    for (const piece of piecesOf(bytes, Math.min(PIPE_PACKET_BYTES, this.options.maxFileBytes))) {
      while ((await this.writer.write(() => piece)) !== 'written') {
        if (this.#ending.signal.aborted) {
          this.#unwritten += piece.count;
          break;
        }
        await setTimeout(RETRY_MS, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      }
    }
    this.held.bytes -= bytes.length;
  }
}
