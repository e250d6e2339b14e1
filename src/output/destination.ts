import type { Stats } from 'node:fs';
import type { Packet } from './packet.js';
import type { Origin } from './piece.js';

export interface ConnectionState {
  /** False while a connection that was lost is made again: what is written then is lost. */
  readonly isOpen: boolean;
  readonly reconnects: number;
}

/** A kind of output. It writes bytes, and knows nothing of pieces. */
export interface Sink {
  /** The status at the time of opening; undefined for a socket. */
  readonly stats: Stats | undefined;
  readonly connection?: ConnectionState;
  readonly isTerminal: boolean;
  readonly packetBytes: number;
  readonly mayRecover: boolean;
  /** The bytes of the last write that are in the output; only after a failed write not all. */
  readonly taken: number;
  write(bytes: Uint8Array): Promise<void>;
  /** Rotates a file, where the next piece does not fit. @returns the number of bytes that fit */
  readonly makeRoom?: ((pieceBytes: number) => Promise<number>) | undefined;
  takeBack?(bytes: Uint8Array): void;
  /** The Unix second of the last load-failure record; undefined if there is none. */
  findLastSecond?(): Promise<number | undefined>;
  /** Switches to the file that the path names now, once the current write is done. */
  reopen?(): void;
  /** Closes it. @param error that of a failed run: nothing is thrown @throws CallError if the file was removed, or a write failed late */
  close?(error?: unknown): void;
}

/** An open output: standard output, a file, a FIFO, a device or a socket. It takes packets of whole pieces, and counts what stands in it. */
export class Destination {
  /** The noun of what is counted, in the singular: `group`, `row`, `record`. */
  readonly noun: string;
  written = 0;
  pieces = 0;
  /** The origin of the last group (or row, …) in the output. */
  last: Origin | undefined;
  /** True if writes may succeed again after a failure: space may be freed on a disk, but a reader does not come back. */
  readonly mayRecover: boolean;
  readonly packetBytes: number;
  readonly stats: Stats | undefined;
  readonly isTerminal: boolean;
  readonly #sink: Sink;
  readonly #copy: Destination | undefined;

  /** @param copy everything is written to it first, so that nothing arrives that it does not contain */
  constructor(sink: Sink, noun: string, copy?: Destination) {
    this.noun = noun;
    this.#sink = sink;
    this.#copy = copy;
    this.stats = sink.stats;
    this.isTerminal = sink.isTerminal;
    this.mayRecover = sink.mayRecover && copy?.mayRecover !== false;
    this.packetBytes = Math.min(sink.packetBytes, copy?.packetBytes ?? Infinity);
  }

  /** True for a list that is appended to: it has its header. */
  get isContinued(): boolean {
    return this.stats?.isFile() === true && this.stats.size > 0;
  }

  get connection(): ConnectionState | undefined {
    return this.#sink.connection;
  }

  /** Writes a packet. After a failed write to a file, the file ends with a whole piece, and a copy has the same. @throws as `Sink.write` */
  async write(packet: Packet): Promise<void> {
    const copy = this.#copy;
    if (copy === undefined) return this.#append(packet);
    const before = copy.pieces;
    try {
      await copy.write(packet);
    } catch (error) {
      await this.#appendCopied(packet.slice(0, copy.pieces - before), copy);
      throw error;
    }
    await this.#appendCopied(packet, copy);
  }

  async #appendCopied(packet: Packet, copy: Destination): Promise<void> {
    const before = this.pieces;
    try {
      await this.#append(packet);
    } catch (error) {
      // Of a failed write to a pipe, an unknown number of bytes has been read.
      if (this.#sink.mayRecover) copy.#sink.takeBack?.(packet.slice(this.pieces - before, packet.pieces).bytes);
      throw error;
    }
  }

  async #append(packet: Packet): Promise<void> {
    const { makeRoom } = this.#sink;
    if (makeRoom === undefined) return this.#put(packet);
    for (let from = 0, until; from < packet.pieces; from = until) {
      const start = packet.startOf(from);
      const room = await makeRoom(packet.startOf(from + 1) - start);
      until = Math.max(from + 1, packet.piecesWithin(start + room));
      await this.#put(packet.slice(from, until));
    }
  }

  async #put(packet: Packet): Promise<void> {
    const sink = this.#sink;
    try {
      await sink.write(packet.bytes);
    } catch (error) {
      const whole = packet.slice(0, packet.piecesWithin(sink.taken));
      sink.takeBack?.(packet.bytes.subarray(whole.bytes.length, sink.taken));
      this.count(whole);
      throw error;
    }
    this.count(packet);
  }

  protected count({ count, pieces, last }: Packet): void {
    this.written += count;
    this.pieces += pieces;
    // A summary and what was made up have no line.
    if (last.line !== undefined) this.last = last;
  }

  findLastSecond(): Promise<number | undefined> {
    return this.#sink.findLastSecond?.() ?? Promise.resolve(undefined);
  }

  reopen(): void {
    this.#copy?.reopen();
    this.#sink.reopen?.();
  }

  close(error?: unknown): void {
    try {
      this.#sink.close?.(error);
    } finally {
      this.#copy?.close(error);
    }
  }
}
