import { fstatSync, ftruncateSync, write, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { promisify } from 'node:util';
import { explainSystemError, systemErrorCode } from '../errors.js';
import type { GroupChunk } from './group-chunk.js';

/** The reader of a pipe went away: no error, only the end. */
export class ReaderGoneError extends Error {
  override readonly name = 'ReaderGoneError';
}

/** Where groups go. It knows at every moment how many whole groups stand there. */
export abstract class Output {
  /** Whole groups that stand. */
  groups = 0;
  /** The line of the last request whose group stands; undefined while there is none. */
  lastLine: number | undefined;

  /**
   * Writes a chunk, whole.
   *
   * @throws ReaderGoneError, or a CallError where the system refuses the write
   */
  abstract write(chunk: GroupChunk): Promise<void>;

  protected count(chunk: GroupChunk, standing: number): void {
    this.groups += standing;
    this.lastLine = chunk.requests[standing - 1]?.line ?? this.lastLine;
  }
}

/**
 * Groups to a pipe or a socket. The event loop waits for a reader that is slower, so that signals get through;
 * what a pipe takes, it takes in one call.
 */
export class StreamOutput extends Output {
  readonly #stream: Writable;
  readonly #name: string;

  /** @param name what messages call it: the file as it was given, or `<stdout>` */
  constructor(stream: Writable, name: string) {
    super();
    this.#stream = stream;
    this.#name = name;
  }

  override write(chunk: GroupChunk): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream.write(chunk.bytes, (error) => {
        if (error) reject(explainStreamError(error, this.#name));
        else {
          this.count(chunk, chunk.requests.length);
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

/** How long to wait until a terminal that takes nothing (Ctrl-S) is tried again. */
const TERMINAL_DELAY_MS = 10;

/**
 * Groups to a file, a device or a terminal. A chunk is one `write` call, which O_APPEND makes safe against other appenders. To a
 * terminal it goes on the thread pool: a blocking write would keep signal handlers from running.
 */
export class FileOutput extends Output {
  readonly #fd: number;
  readonly #name: string;
  readonly #isRegular: boolean;
  readonly #isTerminal: boolean;
  #beforeFirstWrite: (() => Promise<void>) | undefined;

  /**
   * @param fd a descriptor that is open for writing
   * @param name what messages call it: the file as it was given, or `<stdout>`
   * @param beforeFirstWrite what is done once, just before the first write
   */
  constructor(fd: number, name: string, beforeFirstWrite?: () => Promise<void>) {
    super();
    this.#fd = fd;
    this.#name = name;
    this.#isRegular = fstatSync(fd).isFile();
    this.#isTerminal = isatty(fd);
    this.#beforeFirstWrite = beforeFirstWrite;
  }

  /** Where writing fails, a regular file is cut back to the last whole group, if nobody else has appended since. */
  override async write(chunk: GroupChunk): Promise<void> {
    const { bytes } = chunk;
    let written = 0;
    let sizeBefore = 0;
    try {
      if (this.#beforeFirstWrite !== undefined) await this.#beforeFirstWrite();
      this.#beforeFirstWrite = undefined;
      if (this.#isRegular) sizeBefore = fstatSync(this.#fd).size;
      while (written < bytes.length) {
        const rest = bytes.subarray(written);
        written += this.#isTerminal ? await writeToTerminal(this.#fd, rest) : writeSync(this.#fd, rest);
      }
    } catch (error) {
      const standing = chunk.countWithin(written);
      if (this.#isRegular && written > 0) cutBack(this.#fd, sizeBefore + written, sizeBefore + (chunk.ends[standing - 1] ?? 0));
      this.count(chunk, standing);
      throw explainSystemError(error, this.#name);
    }
    this.count(chunk, chunk.requests.length);
  }
}

async function writeToTerminal(fd: number, bytes: Uint8Array): Promise<number> {
  try {
    return (await promisify(write)(fd, bytes)).bytesWritten;
  } catch (error) {
    if (systemErrorCode(error) !== 'EAGAIN') throw error;
    await setTimeout(TERMINAL_DELAY_MS);
    return 0;
  }
}

/** Takes back what was written of a group, unless the file's size shows that somebody else has appended since. */
function cutBack(fd: number, sizeAfterWrite: number, size: number): void {
  try {
    if (fstatSync(fd).size === sizeAfterWrite) ftruncateSync(fd, size);
  } catch {
    // An append-only file (chattr +a) cannot be cut. The write's own error is what is reported.
  }
}
