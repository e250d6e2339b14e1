import type { Stats } from 'node:fs';
import { PIPE_CHUNK_BYTES, type Chunk } from './chunk.js';

/** Takes chunks of whole pieces, and counts at every moment how many groups (or what else is counted) stand. */
export abstract class Output {
  /** The noun of what is counted, in the singular: `group`, `row`, `record`. */
  readonly noun: string;
  /** The number of groups (or rows, …) that stand whole in the output. */
  written = 0;
  /** The number of pieces that stand whole in the output. */
  pieces = 0;
  /** The line of the input that the last standing group (or row, …) comes from; undefined while there is none. */
  lastLine: number | undefined;
  /** The most bytes of a chunk that is written here. */
  readonly chunkBytes: number = PIPE_CHUNK_BYTES;
  /** True if a write may succeed after a failed one: a disk may be freed, but a reader does not come back. */
  abstract readonly mayRecover: boolean;

  constructor(noun: string) {
    this.noun = noun;
  }

  /** Writes the pieces of a chunk. @throws ReaderGoneError, or CallError if the system refuses the write */
  abstract write(chunk: Chunk): Promise<void>;

  /** Counts pieces that stand. */
  protected count({ count, pieces, lastLine }: Chunk): void {
    this.written += count;
    this.pieces += pieces;
    this.lastLine = lastLine ?? this.lastLine;
  }
}

/** An output that is open: standard output, a file, a FIFO or a device. What only a file can do, does nothing here. */
export abstract class Destination extends Output {
  /** As it was when it was opened. */
  readonly stats: Stats;
  /** True for a terminal. */
  readonly isTerminal: boolean = false;

  constructor(noun: string, stats: Stats) {
    super(noun);
    this.stats = stats;
  }

  /** True for a file that was not empty when it was opened: a list that is appended to has its header. */
  get isContinued(): boolean {
    return this.stats.isFile() && this.stats.size > 0;
  }

  /** Finds the Unix second of the last load-failure record in a regular file given with `-o`; undefined if there is none. */
  findLastSecond(): Promise<number | undefined> {
    return Promise.resolve(undefined);
  }

  /** Cuts off bytes that were written last, if that is possible: a pipe gives nothing back. */
  takeBack(_bytes: Uint8Array): void {
    // See `FileDestination`.
  }

  /**
   * Opens the file's name anew and continues there, once the current write is done. If the file cannot be opened, the run
   * continues in the one that is open.
   */
  reopen(): void {
    // See `AppendedFile`.
  }

  /**
   * Closes the destination once everything has been written, or the run has failed.
   *
   * @param _error the error of a run that has failed: the removal of the file is then a warning, and nothing is thrown
   * @throws CallError if the file was removed, or a write failed late
   */
  close(_error?: unknown): void {
    // See `AppendedFile`.
  }
}

/**
 * Writes everything to a copy first, and then to a destination: nothing can have arrived anywhere that the copy does not hold. Counts
 * what stands in the destination. If a write to a file fails, copy and destination hold the same pieces in the end.
 */
export class CopiedDestination extends Destination {
  override readonly mayRecover: boolean;
  override readonly isTerminal: boolean;
  override readonly chunkBytes: number;
  readonly #copy: Destination;
  readonly #destination: Destination;

  constructor(copy: Destination, destination: Destination) {
    super(destination.noun, destination.stats);
    this.#copy = copy;
    this.#destination = destination;
    this.mayRecover = copy.mayRecover && destination.mayRecover;
    this.isTerminal = destination.isTerminal;
    this.chunkBytes = Math.min(copy.chunkBytes, destination.chunkBytes);
  }

  override async write(chunk: Chunk): Promise<void> {
    const before = this.#copy.pieces;
    try {
      await this.#copy.write(chunk);
    } catch (error) {
      await this.#pass(chunk.slice(0, this.#copy.pieces - before));
      throw error;
    }
    await this.#pass(chunk);
  }

  /** Writes pieces to the destination that stand in the copy. */
  async #pass(chunk: Chunk): Promise<void> {
    const destination = this.#destination;
    const before = destination.pieces;
    try {
      if (chunk.pieces > 0) await destination.write(chunk);
      this.count(chunk);
    } catch (error) {
      const standing = chunk.slice(0, destination.pieces - before);
      this.count(standing);
      // Nobody knows how much of a write to a pipe has been read.
      if (destination.mayRecover) this.#copy.takeBack(chunk.bytes.subarray(standing.bytes.length));
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
