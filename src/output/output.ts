import { fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { explainSystemError, systemErrorCode } from '../errors.js';
import type { GroupChunk } from './group-chunk.js';

/** The reader of a pipe went away: no error, only the end. */
export class ReaderGoneError extends Error {
  override readonly name = 'ReaderGoneError';
}

/** Tries on a full pipe before a timer is used: a reader at work makes room within microseconds, one that stalls must cost nothing. */
const EAGER_TRIES = 20;
const FULL_PIPE_DELAY_MS = 1;

/** What is done once, just before the first write. */
type BeforeFirstWrite = () => Promise<void>;

/**
 * Where groups go: a descriptor that is open for writing. It knows at every moment how many whole groups stand there.
 *
 * A chunk is one `write` call, which O_APPEND makes safe against other appenders. A pipe must be non-blocking: a blocking write to
 * a reader that stalls would keep every signal handler from running.
 */
export class Output {
  /** Whole groups that stand. */
  groups = 0;
  /** The line of the last request whose group stands; undefined while there is none. */
  lastLine: number | undefined;
  readonly #fd: number;
  readonly #name: string;
  readonly #isFile: boolean;
  #beforeFirstWrite: BeforeFirstWrite | undefined;

  /** @param name what messages call it: the file as it was given, or `<stdout>` */
  constructor(fd: number, name: string, beforeFirstWrite?: BeforeFirstWrite) {
    this.#fd = fd;
    this.#name = name;
    this.#isFile = fstatSync(fd).isFile();
    this.#beforeFirstWrite = beforeFirstWrite;
  }

  /**
   * Writes a chunk, whole. Where that fails, a regular file is cut back to the last whole group, if nobody else has appended since.
   *
   * @throws ReaderGoneError, or a CallError where the system refuses the write
   */
  async write(chunk: GroupChunk): Promise<void> {
    const { bytes } = chunk;
    let written = 0;
    let fullPipes = 0;
    try {
      if (this.#beforeFirstWrite !== undefined) await this.#beforeFirstWrite();
      this.#beforeFirstWrite = undefined;
    } catch (error) {
      throw explainSystemError(error, this.#name);
    }
    const sizeBefore = this.#isFile ? fstatSync(this.#fd).size : 0;
    while (written < bytes.length) {
      try {
        written += writeSync(this.#fd, bytes, written, bytes.length - written);
        fullPipes = 0;
      } catch (error) {
        if (systemErrorCode(error) !== 'EAGAIN') throw this.#fail(error, chunk, written, sizeBefore);
        fullPipes += 1;
        await (fullPipes <= EAGER_TRIES ? setImmediate() : setTimeout(FULL_PIPE_DELAY_MS));
      }
    }
    this.#count(chunk, chunk.requests.length);
  }

  #fail(error: unknown, chunk: GroupChunk, written: number, sizeBefore: number): unknown {
    const standing = chunk.countWithin(written);
    if (this.#isFile && written > 0 && fstatSync(this.#fd).size === sizeBefore + written) {
      ftruncateSync(this.#fd, sizeBefore + (chunk.ends[standing - 1] ?? 0));
    }
    this.#count(chunk, standing);
    if (systemErrorCode(error) === 'EPIPE') return new ReaderGoneError('the reader went away', { cause: error });
    return explainSystemError(error, this.#name);
  }

  #count(chunk: GroupChunk, standing: number): void {
    this.groups += standing;
    this.lastLine = chunk.requests[standing - 1]?.line ?? this.lastLine;
  }
}
