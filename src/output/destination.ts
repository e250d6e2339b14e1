import type { Stats } from 'node:fs';
import { PIPE_PACKET_BYTES, type Packet } from './packet.js';

/** Writes packets of whole pieces. At every moment the number of whole groups (or rows, …) in the output is known. */
export abstract class Output {
  /** The noun of what is counted, in the singular: `group`, `row`, `record`. */
  readonly noun: string;
  /** The number of whole groups (or rows, …) in the output. */
  written = 0;
  /** The number of whole pieces in the output. */
  pieces = 0;
  /** The input line of the last group (or row, …) in the output; undefined while there is none. */
  lastLine: number | undefined;
  /** The most bytes of a packet for this output. */
  readonly packetBytes: number = PIPE_PACKET_BYTES;
  /** True if writes may succeed again after a failure: space may be freed on a disk, but a reader does not come back. */
  abstract readonly mayRecover: boolean;

  constructor(noun: string) {
    this.noun = noun;
  }

  /** Writes the pieces of a packet. @throws ReaderGoneError, or CallError if the system refuses the write */
  abstract write(packet: Packet): Promise<void>;

  /** Counts pieces that are in the output. */
  protected count({ count, pieces, lastLine }: Packet): void {
    this.written += count;
    this.pieces += pieces;
    this.lastLine = lastLine ?? this.lastLine;
  }
}

/** An open output: standard output, a file, a FIFO or a device. Operations that only files support do nothing here. */
export abstract class Destination extends Output {
  /** The status at the time of opening. */
  readonly stats: Stats;
  /** True for a terminal. */
  readonly isTerminal: boolean = false;

  constructor(noun: string, stats: Stats) {
    super(noun);
    this.stats = stats;
  }

  /** True for a file that was not empty when opened: a list that is appended to already has its header. */
  get isContinued(): boolean {
    return this.stats.isFile() && this.stats.size > 0;
  }

  /** Finds the Unix second of the last load-failure record in a regular file given with `-o`; undefined if there is none. */
  findLastSecond(): Promise<number | undefined> {
    return Promise.resolve(undefined);
  }

  /** Cuts off the bytes written last, if the output is a regular file. */
  takeBack(_bytes: Uint8Array): void {
    // See `FileDestination`.
  }

  /**
   * Opens the file at the path anew and continues there, once the current write is done. If the file cannot be opened, the run
   * continues in the file that is open.
   */
  reopen(): void {
    // See `AppendedFile`.
  }

  /**
   * Closes the destination once everything has been written, or the run has failed.
   *
   * @param _error the error of a failed run: a removed file is then a warning, and nothing is thrown
   * @throws CallError if the file was removed, or a write failed late
   */
  close(_error?: unknown): void {
    // See `AppendedFile`.
  }
}

/**
 * Writes everything to a copy first, then to a destination, so that nothing arrives that the copy does not contain. Counts the pieces in
 * the destination. If a write to a file fails, copy and destination contain the same pieces in the end.
 */
export class CopiedDestination extends Destination {
  override readonly mayRecover: boolean;
  override readonly isTerminal: boolean;
  override readonly packetBytes: number;
  readonly #copy: Destination;
  readonly #destination: Destination;

  constructor(copy: Destination, destination: Destination) {
    super(destination.noun, destination.stats);
    this.#copy = copy;
    this.#destination = destination;
    this.mayRecover = copy.mayRecover && destination.mayRecover;
    this.isTerminal = destination.isTerminal;
    this.packetBytes = Math.min(copy.packetBytes, destination.packetBytes);
  }

  override async write(packet: Packet): Promise<void> {
    const before = this.#copy.pieces;
    try {
      await this.#copy.write(packet);
    } catch (error) {
      await this.#pass(packet.slice(0, this.#copy.pieces - before));
      throw error;
    }
    await this.#pass(packet);
  }

  /** Writes pieces that are in the copy to the destination. */
  async #pass(packet: Packet): Promise<void> {
    const destination = this.#destination;
    const before = destination.pieces;
    try {
      if (packet.pieces > 0) await destination.write(packet);
      this.count(packet);
    } catch (error) {
      const written = packet.slice(0, destination.pieces - before);
      this.count(written);
      // Of a failed write to a pipe, an unknown number of bytes has been read.
      if (destination.mayRecover) this.#copy.takeBack(packet.bytes.subarray(written.bytes.length));
      throw error;
    }
  }

  override findLastSecond(): Promise<number | undefined> {
    return this.#destination.findLastSecond();
  }

  override reopen(): void {
    this.#copy.reopen();
    this.#destination.reopen();
  }

  override close(error?: unknown): void {
    try {
      this.#destination.close(error);
    } finally {
      this.#copy.close(error);
    }
  }
}
