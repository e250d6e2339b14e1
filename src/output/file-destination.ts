import { fstatSync, ftruncateSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { explainSystemError } from '../errors.js';
import { FILE_CHUNK_BYTES, PIPE_CHUNK_BYTES, type WholePieces } from './chunk.js';
import { Destination } from './destination.js';
import { endsWith } from './log-file.js';

/** The pause before a terminal that takes nothing (Ctrl-S) is tried again. */
const TERMINAL_DELAY_MS = 10;

/**
 * Writes to a file, a device or a terminal, each chunk with one `write` call. With O_APPEND the kernel finds the end of the file and
 * writes there under one lock: no other appender can come between. Writes to a terminal are made on the thread pool, where they
 * block no signal handler; for a file the thread pool takes twice the time.
 */
export class FileDestination extends Destination {
  override readonly mayRecover = true;
  override readonly chunkBytes: number;
  override readonly isTerminal: boolean;
  /** The name in messages: the file as it was given, or `<stdout>`. */
  protected readonly name: string;
  readonly #isRegular: boolean;
  #fd: number;
  /** True while the file may end in half a record: before the first write, and after a failed one. */
  #mayBeTorn = true;
  /** The size of a regular file, unless another process has appended since the last write. */
  #size = 0;
  /** True once a regular file was cut back. The offset of a descriptor without O_APPEND (`>`) is then behind its end. */
  #wasCut = false;
  #isInUse = false;
  /** Work that is done as soon as the descriptor is not in use. */
  #waiting: (() => void) | undefined;

  /**
   * @param fd a descriptor that is open for writing
   * @param name the name in messages: the file as it was given, or `<stdout>`
   * @param noun the noun of what is counted, in the singular
   */
  constructor(fd: number, name: string, noun: string) {
    super(noun, fstatSync(fd));
    this.#fd = fd;
    this.name = name;
    this.#isRegular = this.stats.isFile();
    this.chunkBytes = this.#isRegular ? FILE_CHUNK_BYTES : PIPE_CHUNK_BYTES;
    this.isTerminal = isatty(fd);
  }

  /** The file descriptor that is written to. */
  protected get fd(): number {
    return this.#fd;
  }

  /** Writes pieces. If that fails, cuts a regular file back to the last whole piece, unless another process has appended. */
  override write(chunk: WholePieces, from = 0, until = chunk.pieces): Promise<void> {
    return this.use((fd) => this.#write(fd, chunk, from, until));
  }

  override takeBack(chunk: WholePieces, from: number, until: number): void {
    const end = chunk.bytes.subarray(chunk.startOf(from), chunk.startOf(until));
    if (this.#isRegular) this.#wasCut = cutBack(this.#fd, end, this.#size) || this.#wasCut;
  }

  /** Ends half a record at the end of the file. Called just before the first write, and before a write after a failed one. */
  protected endTorn(_fd: number): Promise<void> {
    return Promise.resolve();
  }

  /** The size of a regular file. Half a record at its end is ended first. @throws CallError if the system refuses that */
  protected size(): Promise<number> {
    return this.use(async (fd) => {
      try {
        await this.#look(fd);
      } catch (error) {
        throw explainSystemError(error, this.name);
      }
      return this.#size;
    });
  }

  /** Runs work with the file descriptor, which stays the same until the work is done. */
  protected async use<T>(work: (fd: number) => Promise<T>): Promise<T> {
    this.#isInUse = true;
    try {
      return await work(this.#fd);
    } finally {
      this.#isInUse = false;
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.();
    }
  }

  /** Runs work at once, or when the current use of the descriptor is over: no group is cut. */
  protected whenIdle(work: () => void): void {
    if (this.#isInUse) this.#waiting = work;
    else work();
  }

  /** Continues in another file of the same kind. To be called while the descriptor is not in use. */
  protected continueIn(fd: number): void {
    this.#fd = fd;
    this.#mayBeTorn = true;
    this.#wasCut = false;
  }

  /** Ends half a record where there may be one, and finds the size of a regular file. */
  async #look(fd: number): Promise<void> {
    if (this.#mayBeTorn) await this.endTorn(fd);
    this.#mayBeTorn = false;
    if (this.#isRegular) this.#size = fstatSync(fd).size;
  }

  async #write(fd: number, chunk: WholePieces, from: number, until: number): Promise<void> {
    const start = chunk.startOf(from);
    const bytes = chunk.bytes.subarray(start, chunk.startOf(until));
    let written = 0;
    try {
      await this.#look(fd);
      while (written < bytes.length) {
        written += this.isTerminal
          ? await writeToTerminal(fd, bytes, written)
          : writeSync(fd, bytes, written, bytes.length - written, this.#wasCut ? this.#size + written : null);
      }
    } catch (error) {
      const standing = chunk.piecesWithin(start + written);
      const half = bytes.subarray(chunk.startOf(standing) - start, written);
      if (this.#isRegular) this.#wasCut = cutBack(fd, half, this.#size + written) || this.#wasCut;
      this.#mayBeTorn = true;
      this.count(chunk, from, standing);
      throw explainSystemError(error, this.name);
    }
    this.#size += bytes.length;
    this.count(chunk, from, until);
  }
}

/** Makes one `write` call for the bytes from an offset on. @returns the number of bytes that the terminal took */
function writeToTerminal(fd: number, bytes: Uint8Array, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, from, bytes.length - from, null, (error, written) => {
      if (error === null) resolve(written);
      else if (error.code === 'EAGAIN') setTimeout(resolve, TERMINAL_DELAY_MS, 0);
      else reject(error);
    });
  });
}

/**
 * Cuts off the last bytes that were written, unless another process has appended since: the file is then of another size than
 * expected, and does not end in these bytes.
 *
 * @returns true if the file was cut
 */
function cutBack(fd: number, end: Uint8Array, expectedSize: number): boolean {
  if (end.length === 0) return false;
  try {
    const { size } = fstatSync(fd);
    if (size !== expectedSize && !endsWith(fd, size, end)) return false;
    ftruncateSync(fd, size - end.length);
    return true;
  } catch {
    // An append-only file (chattr +a) cannot be cut. The error of the write is the one to report.
    return false;
  }
}
