import type { Stats } from 'node:fs';
import { PIPE_PACKET_BYTES, type Origin, type Packet } from './piece.js';

export interface ConnectionState {
  /** False while a connection that was lost is made again: what is written then is lost. */
  readonly isOpen: boolean;
  readonly reconnects: number;
}

export interface Sink {
  readonly stats?: Stats;
  readonly connection?: ConnectionState;
  readonly isTerminal?: boolean;
  /** Default: `PIPE_PACKET_BYTES`. */
  readonly packetBytes?: number;
  /** The bytes of a failed write that are in the output; undefined where nobody tells. */
  readonly taken?: number;
  write(bytes: Buffer): Promise<void>;
  /** Rotates a file, where the next piece does not fit. @returns the number of bytes that fit */
  readonly makeRoom?: ((pieceBytes: number) => Promise<number>) | undefined;
  /** Cuts off the last bytes of a file. An output that cannot takes no more writes after one that failed. */
  takeBack?(bytes: Buffer): void;
  /** The Unix second of the last load-failure record; undefined if there is none. */
  findLastSecond?(): Promise<number | undefined>;
  /** Switches to the file that the path names now, once the current write is done. */
  reopen?(): void;
  /** Closes it. @param error that of a failed run: nothing is thrown @throws CallError if the file was removed, or a write failed late */
  close?(error?: unknown): void;
}

/** An open output, which takes packets of whole pieces and counts those that stand in it. */
export class Destination {
  written = 0;
  pieces = 0;
  last: Origin | undefined;
  /** True if writes may succeed again: space may be freed on a disk, but a reader does not come back. */
  readonly mayRecover: boolean;
  readonly packetBytes: number;
  readonly stats: Stats | undefined;
  readonly isTerminal: boolean;

  /**
   * @param noun of what is counted, in the singular: `group`, `row`, `record`
   * @param copy everything is written to it first, so that nothing arrives that it does not contain
   */
  constructor(
    private readonly sink: Sink,
    readonly noun: string,
    private readonly copy?: Destination,
  ) {
    this.stats = sink.stats;
    this.isTerminal = sink.isTerminal === true;
    this.mayRecover = sink.takeBack !== undefined && copy?.mayRecover !== false;
    this.packetBytes = Math.min(sink.packetBytes ?? PIPE_PACKET_BYTES, copy?.packetBytes ?? Infinity);
  }

  /** True for a list that is appended to: it has its header. */
  get isContinued(): boolean {
    return this.stats?.isFile() === true && this.stats.size > 0;
  }

  get connection(): ConnectionState | undefined {
    return this.sink.connection;
  }

  /** Writes a packet. After a failed write to a file, the file ends with a whole piece, and a copy has the same. @throws as `Sink.write` */
  async write(packet: Packet): Promise<void> {
    const copy = this.copy;
    if (copy === undefined) return this.#append(packet, packet.pieces);
    const [before, copiedBefore] = [this.pieces, copy.pieces];
    const [outcome] = await Promise.allSettled([copy.write(packet)]);
    const copied = copy.pieces - copiedBefore;
    try {
      await this.#append(packet, copied);
    } catch (error) {
      // Of a failed write to a pipe, an unknown number of bytes has been read.
      if (this.sink.takeBack !== undefined) copy.sink.takeBack?.(packet.bytes(this.pieces - before, copied));
      throw error;
    }
    if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** Writes the pieces before `end`, those of each file at once. */
  async #append(packet: Packet, end: number): Promise<void> {
    const { makeRoom } = this.sink;
    for (let from = 0, until = end; from < end; from = until) {
      if (makeRoom !== undefined) {
        const room = await makeRoom(packet.bytes(from, from + 1).length);
        until = Math.min(end, Math.max(from + 1, packet.piecesWithin(packet.startOf(from) + room)));
      }
      await this.#put(packet, from, until);
    }
  }

  async #put(packet: Packet, from: number, until: number): Promise<void> {
    const sink = this.sink;
    let whole = until;
    try {
      await sink.write(packet.bytes(from, until));
    } catch (error) {
      const end = packet.startOf(from) + (sink.taken ?? 0);
      whole = packet.piecesWithin(end);
      sink.takeBack?.(packet.bytes(whole, until).subarray(0, end - packet.startOf(whole)));
      throw error;
    } finally {
      this.count(packet, from, whole);
    }
  }

  protected count(packet: Packet, from: number, until: number): void {
    this.written += packet.count(until) - packet.count(from);
    this.pieces += until - from;
    const last = packet.originOf(until - 1);
    // A summary and what was made up have no line.
    if (until > from && last.line !== undefined) this.last = last;
  }

  async findLastSecond(): Promise<number | undefined> {
    return this.sink.findLastSecond?.();
  }

  reopen(): void {
    this.copy?.reopen();
    this.sink.reopen?.();
  }

  close(error?: unknown): void {
    try {
      this.sink.close?.(error);
    } finally {
      this.copy?.close(error);
    }
  }
}
