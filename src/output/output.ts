import { fstatSync, ftruncateSync, write, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { explainSystemError, ReaderGoneError, systemErrorCode } from '../errors.js';
import type { Chunk } from './chunk.js';
import { endsWith } from './log-file.js';

/** Where groups (or other whole pieces) go. It knows at every moment how many of them stand there. */
export abstract class Output {
  /** What is counted, in the singular: `group`, `row`, `record`. */
  readonly noun: string;
  /** How many stand, whole. */
  written = 0;
  /** The line of the input that the last one standing comes from; undefined while there is none. */
  lastLine: number | undefined;
  /** Whether it may take a chunk again after it has refused one: a disk may be freed, but a reader does not come back. */
  abstract readonly mayRecover: boolean;

  /** @param noun what is counted, in the singular */
  constructor(noun: string) {
    this.noun = noun;
  }

  /**
   * Writes a chunk, whole.
   *
   * @throws ReaderGoneError, or a CallError where the system refuses the write
   */
  abstract write(chunk: Chunk): Promise<void>;

  /** Counts what stands of a chunk of which the first `bytes` bytes have been written. */
  protected count(chunk: Chunk, bytes: number): void {
    this.written += chunk.countWithin(bytes);
    this.lastLine = chunk.lineWithin(bytes) ?? this.lastLine;
  }
}

/**
 * Groups to a pipe or a socket. The event loop waits for a reader that is slower, so that signals get through;
 * what a pipe takes, it takes in one call.
 */
export class StreamOutput extends Output {
  override readonly mayRecover = false;
  readonly #stream: Writable;
  readonly #name: string;

  /**
   * @param name what messages call it: the file as it was given, or `<stdout>`
   * @param noun what is counted, in the singular
   */
  constructor(stream: Writable, name: string, noun: string) {
    super(noun);
    this.#stream = stream;
    this.#name = name;
  }

  override write(chunk: Chunk): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream.write(chunk.bytes, (error) => {
        if (error) reject(explainStreamError(error, this.#name));
        else {
          this.count(chunk, chunk.bytes.length);
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

/** After so many writes the size of a file is looked at again. Once a write would cost as much as a tenth of the write. */
const WRITES_PER_LOOK = 16;

/** How long to wait until a terminal that takes nothing (Ctrl-S) is tried again. */
const TERMINAL_DELAY_MS = 10;

/**
 * Groups to a file, a device or a terminal. A chunk is one `write` call: with O_APPEND the kernel finds the end of the file and writes
 * there under one lock, so that no other appender comes between, and no lock of our own is needed. To a terminal it is made on the
 * thread pool, where it keeps no signal handler from running; for a file that would take twice the time.
 */
export class FileOutput extends Output {
  override readonly mayRecover = true;
  #fd: number;
  readonly #name: string;
  readonly #isRegular: boolean;
  readonly #isTerminal: boolean;
  readonly #mend: (fd: number) => Promise<void>;
  /** Whether it may end in half a group: before the first write, and after one that failed. */
  #mayBeTorn = true;
  #writes = 0;
  /** How large a regular file is, if nobody else has appended since it was looked at. */
  #size = 0;
  /** Whether a regular file was cut back. A descriptor without O_APPEND (`>`) then stands behind its end, and would leave a hole. */
  #wasCut = false;
  #isInUse = false;
  /** Replaces the descriptor, once it is not in use. */
  #replace: ((fd: number) => number) | undefined;

  /**
   * @param fd a descriptor that is open for writing
   * @param name what messages call it: the file as it was given, or `<stdout>`
   * @param noun what is counted, in the singular
   * @param mend ends half a record at the end of the file; called just before the first write, and before one that follows a failed one
   */
  constructor(fd: number, name: string, noun: string, mend: (fd: number) => Promise<void> = () => Promise.resolve()) {
    super(noun);
    this.#fd = fd;
    this.#name = name;
    this.#isRegular = fstatSync(fd).isFile();
    this.#isTerminal = isatty(fd);
    this.#mend = mend;
  }

  /** The descriptor that is written to. */
  get fd(): number {
    return this.#fd;
  }

  /** Where writing fails, a regular file is cut back to the last whole group, if nobody else has appended since. */
  override write(chunk: Chunk): Promise<void> {
    return this.use((fd) => this.#write(fd, chunk));
  }

  /** Has work done with the descriptor, which stays the same until it is done. */
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
   * Goes on with another file of the same kind: at once, or when the write at hand is done, so that no group is cut.
   *
   * @param replace takes the descriptor and gives the one to go on with, which may be the same
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
    this.#writes = 0;
    this.#wasCut = false;
  }

  async #write(fd: number, chunk: Chunk): Promise<void> {
    const { bytes } = chunk;
    let written = 0;
    try {
      if (this.#mayBeTorn) await this.#mend(fd);
      this.#mayBeTorn = false;
      if (this.#isRegular && (this.#wasCut || this.#writes % WRITES_PER_LOOK === 0)) this.#size = fstatSync(fd).size;
      this.#writes += 1;
      while (written < bytes.length) {
        written += this.#isTerminal
          ? await writeToTerminal(fd, bytes, written)
          : writeSync(fd, bytes, written, bytes.length - written, this.#wasCut ? this.#size + written : null);
      }
    } catch (error) {
      if (this.#isRegular) {
        const half = bytes.subarray(chunk.endWithin(written), written);
        this.#wasCut = cutBack(fd, half, this.#size + written) || this.#wasCut;
      }
      this.#mayBeTorn = true;
      this.#writes = 0;
      this.count(chunk, written);
      throw explainSystemError(error, this.#name);
    }
    this.#size += bytes.length;
    this.count(chunk, bytes.length);
  }
}

/** One `write` call for what there is from an offset on; how much of it was taken. */
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
 * Takes back what was written of a group, unless somebody else has appended since: the file then has another size than it would
 * have, and does not end in the half group.
 *
 * @returns whether it did
 */
function cutBack(fd: number, half: Uint8Array, expectedSize: number): boolean {
  if (half.length === 0) return false;
  try {
    const { size } = fstatSync(fd);
    if (size !== expectedSize && !endsWith(fd, size, half)) return false;
    ftruncateSync(fd, size - half.length);
    return true;
  } catch {
    // An append-only file (chattr +a) cannot be cut. The write's own error is what is reported.
    return false;
  }
}
