import { fstatSync, ftruncateSync, write, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { explainSystemError, ReaderGoneError, systemErrorCode } from '../errors.js';
import { FILE_CHUNK_BYTES, PIPE_CHUNK_BYTES } from './chunk.js';
import { endsWith } from './log-file.js';
import type { WholePieces } from './whole-pieces.js';

/** Takes chunks of whole pieces, and counts at every moment how many groups (or what else is counted) stand in the output. */
export abstract class Output {
  /** The noun of what is counted, in the singular: `group`, `row`, `record`. */
  readonly noun: string;
  /** The number of groups (or rows, …) that stand whole in the output. */
  written = 0;
  /** The line of the input that the last standing group (or row, …) comes from; undefined while there is none. */
  lastLine: number | undefined;
  /** The most bytes of a chunk that is written here. */
  readonly chunkBytes: number = PIPE_CHUNK_BYTES;
  /** True if a write may succeed after a failed one: a disk may be freed, but a reader does not come back. */
  abstract readonly mayRecover: boolean;

  /** @param noun the noun of what is counted, in the singular */
  constructor(noun: string) {
    this.noun = noun;
  }

  /**
   * Writes pieces, all of them.
   *
   * @throws ReaderGoneError, or CallError if the system refuses the write
   */
  abstract write(pieces: WholePieces): Promise<void>;

  /** Cuts off the end of the last write again. Does nothing if that is not possible: a pipe gives nothing back. */
  takeBack(_end: Uint8Array): void {
    // For outputs that can take back, see FileOutput.
  }

  /** Counts the pieces that stand once the first `bytes` bytes have been written. */
  protected count(pieces: WholePieces, bytes: number): void {
    this.written += pieces.countWithin(bytes);
    this.lastLine = pieces.lineWithin(bytes) ?? this.lastLine;
  }
}

/** Writes to a pipe or a socket. The event loop waits for a slower reader, so that signal handlers run meanwhile. */
export class StreamOutput extends Output {
  override readonly mayRecover = false;
  readonly #stream: Writable;
  readonly #name: string;

  /**
   * @param name the name in messages: the file as it was given, or `<stdout>`
   * @param noun the noun of what is counted, in the singular
   */
  constructor(stream: Writable, name: string, noun: string) {
    super(noun);
    this.#stream = stream;
    this.#name = name;
  }

  override write(pieces: WholePieces): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream.write(pieces.bytes, (error) => {
        if (error) reject(explainStreamError(error, this.#name));
        else {
          this.count(pieces, pieces.bytes.length);
          resolve();
        }
      });
    });
  }
}

function explainStreamError(error: Error, name: string): Error {
  if (systemErrorCode(error) === 'EPIPE') return new ReaderGoneError('the reader went away', { cause: error });
  return explainSystemError(error, name);
}

/** The pause before a terminal that takes nothing (Ctrl-S) is tried again. */
const TERMINAL_DELAY_MS = 10;

/**
 * Writes to a file, a device or a terminal, each chunk with one `write` call. With O_APPEND the kernel finds the end of the file and
 * writes there under one lock: no other appender can come between. Writes to a terminal are made on the thread pool, where they
 * block no signal handler; for a file the thread pool takes twice the time.
 */
export class FileOutput extends Output {
  override readonly chunkBytes: number;
  override readonly mayRecover = true;
  #fd: number;
  readonly #name: string;
  readonly #isRegular: boolean;
  readonly #isTerminal: boolean;
  readonly #endTorn: (fd: number) => Promise<void>;
  /** True while the file may end in half a group: before the first write, and after a failed one. */
  #mayBeTorn = true;
  /** The size of a regular file, unless another process has appended since the last write. */
  #size = 0;
  /** True once a regular file was cut back. The offset of a descriptor without O_APPEND (`>`) is then behind its end. */
  #wasCut = false;
  #isInUse = false;
  /** Replaces the descriptor as soon as the descriptor is not in use. */
  #replace: ((fd: number) => number) | undefined;

  /**
   * @param fd a descriptor that is open for writing
   * @param name the name in messages: the file as it was given, or `<stdout>`
   * @param noun the noun of what is counted, in the singular
   * @param endTorn ends half a record at the end of the file; called just before the first write, and before a write after a failed
   *   one
   */
  constructor(fd: number, name: string, noun: string, endTorn: (fd: number) => Promise<void> = () => Promise.resolve()) {
    super(noun);
    this.#fd = fd;
    this.#name = name;
    this.#isRegular = fstatSync(fd).isFile();
    this.chunkBytes = this.#isRegular ? FILE_CHUNK_BYTES : PIPE_CHUNK_BYTES;
    this.#isTerminal = isatty(fd);
    this.#endTorn = endTorn;
  }

  /** The file descriptor that is written to. */
  get fd(): number {
    return this.#fd;
  }

  /** Writes pieces. If that fails, cuts a regular file back to the last whole piece, unless another process has appended. */
  override write(pieces: WholePieces): Promise<void> {
    return this.use((fd) => this.#write(fd, pieces));
  }

  override takeBack(end: Uint8Array): void {
    if (!this.#isRegular) return;
    this.#wasCut = cutBack(this.#fd, end, this.#size) || this.#wasCut;
  }

  /** The size of a regular file. Half a record at its end is ended first. @throws CallError if the system refuses that */
  size(): Promise<number> {
    return this.use(async (fd) => {
      try {
        if (this.#mayBeTorn) await this.#endTornRecord(fd);
        this.#size = fstatSync(fd).size;
      } catch (error) {
        throw explainSystemError(error, this.#name);
      }
      return this.#size;
    });
  }

  /** Runs work with the file descriptor, which is not replaced until the work is done. */
  async use<T>(work: (fd: number) => Promise<T>): Promise<T> {
    this.#isInUse = true;
    try {
      return await work(this.#fd);
    } finally {
      this.#isInUse = false;
      this.#replaceIfAsked();
    }
  }

  /**
   * Continues in another file of the same kind: at once, or when the current write is done, so that no group is cut.
   *
   * @param replace takes the open file descriptor and gives the next one, which may be the same
   */
  replace(replace: (fd: number) => number): void {
    this.#replace = replace;
    if (!this.#isInUse) this.#replaceIfAsked();
  }

  #replaceIfAsked(): void {
    if (this.#replace === undefined) return;
    const fd = this.#replace(this.#fd);
    this.#replace = undefined;
    if (fd === this.#fd) return;
    this.#fd = fd;
    this.#mayBeTorn = true;
    this.#wasCut = false;
  }

  async #endTornRecord(fd: number): Promise<void> {
    await this.#endTorn(fd);
    this.#mayBeTorn = false;
  }

  async #write(fd: number, pieces: WholePieces): Promise<void> {
    const { bytes } = pieces;
    let written = 0;
    try {
      if (this.#mayBeTorn) await this.#endTornRecord(fd);
      if (this.#isRegular) this.#size = fstatSync(fd).size;
      while (written < bytes.length) {
        written += this.#isTerminal
          ? await writeToTerminal(fd, bytes, written)
          : writeSync(fd, bytes, written, bytes.length - written, this.#wasCut ? this.#size + written : null);
      }
    } catch (error) {
      if (this.#isRegular) {
        const half = bytes.subarray(pieces.endWithin(written), written);
        this.#wasCut = cutBack(fd, half, this.#size + written) || this.#wasCut;
      }
      this.#mayBeTorn = true;
      this.count(pieces, written);
      throw explainSystemError(error, this.#name);
    }
    this.#size += bytes.length;
    this.count(pieces, bytes.length);
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
 * Cuts off the part of a piece that was written, unless another process has appended since: the file is then of another size than
 * expected, and does not end in that part.
 *
 * @param half the part that was written
 * @returns true if the file was cut
 */
function cutBack(fd: number, half: Uint8Array, expectedSize: number): boolean {
  if (half.length === 0) return false;
  try {
    const { size } = fstatSync(fd);
    if (size !== expectedSize && !endsWith(fd, size, half)) return false;
    ftruncateSync(fd, size - half.length);
    return true;
  } catch {
    // An append-only file (chattr +a) cannot be cut. The error of the write is the one to report.
    return false;
  }
}
