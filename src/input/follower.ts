import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { explainSystemError, systemErrorCode } from '../errors.js';
import { requireBytes } from '../lines.js';
import { LF } from '../log/byte-string.js';
import { StartCheck } from './unpacked-bytes.js';

/** Milliseconds between two looks at inputs that are followed. */
export const RESOLUTION_MS = 20;

/** The most bytes that are read at a look. */
const BLOCK_BYTES = 1 << 18;

/** A file that was renamed is looked at this often once nothing more comes: its writer may not have noticed yet. */
const LOOKS_AFTER_RENAME = 10;

/**
 * Reads a file that grows as `tail -F` does: it may not exist yet, be renamed and made anew, and be truncated. It never waits: whoever
 * follows looks again.
 */
export class FileFollower {
  /** The path, as it was given. */
  readonly source: string;
  /** A file may always go on. */
  readonly hasEnded = false;
  /** True once there has been a file of this name. */
  hasAppeared = false;
  readonly #startCheck: StartCheck;
  readonly #buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  /** The descriptor of the open file, and how far it has been read. */
  #fd: number | undefined;
  #position = 0;
  #idleLooks = 0;
  /** True while the bytes given so far end within a line. */
  #isWithinLine = false;
  /** True while the rest of a line is passed over that was there before the start. */
  #passesLine = false;

  /**
   * @param from `end`: what the file holds already, and the rest of a half line at its end, is passed over
   * @throws CallError with `end`, if the file cannot be read; not if there is none
   */
  constructor(path: string, from: 'start' | 'end' = 'start') {
    this.source = path;
    this.#startCheck = new StartCheck(path, 'growing');
    if (from === 'end') this.#explaining(this.#passToEnd);
  }

  /**
   * The bytes that have come since the last look, as many as fit into a block; undefined if there are none. Good until the next look.
   *
   * @throws CallError if the file cannot be read; not if there is none
   * @throws DataError if it is compressed
   */
  readonly look = (): Buffer | undefined => this.#explaining(() => this.#look());

  /** True if another file has the name by now: there are bytes that looks do not give yet. */
  get isBehind(): boolean {
    const named = this.#fd === undefined ? undefined : statSync(this.source, { throwIfNoEntry: false });
    if (this.#fd === undefined || named === undefined) return false;
    const { dev, ino } = fstatSync(this.#fd);
    return named.dev !== dev || named.ino !== ino;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #explaining<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw explainSystemError(error, this.source);
    }
  }

  #open(): number | undefined {
    try {
      // Without O_NONBLOCK, opening a FIFO would block until somebody writes to it.
      const fd = openSync(this.source, constants.O_RDONLY | constants.O_NONBLOCK);
      this.hasAppeared = true;
      this.#position = 0;
      return fd;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  readonly #passToEnd = (): void => {
    this.#fd = this.#open();
    const stats = this.#fd === undefined ? undefined : fstatSync(this.#fd);
    if (this.#fd === undefined || stats?.isFile() !== true || stats.size === 0) return;
    // The first bytes tell a compressed file, the last one whether a line has ended.
    this.#read(this.#fd);
    this.#position = stats.size - 1;
    this.#passesLine = true;
  };

  #look(): Buffer | undefined {
    this.#fd ??= this.#open();
    const bytes = this.#fd === undefined ? undefined : this.#readOn(this.#fd);
    this.#idleLooks = bytes === undefined ? this.#idleLooks + 1 : 0;
    if (this.#idleLooks <= LOOKS_AFTER_RENAME || !this.isBehind) return bytes;
    this.close();
    this.#idleLooks = 0;
    // Half a line of the file that was renamed does not go on in the next one.
    const isWithinLine = this.#isWithinLine;
    this.#isWithinLine = false;
    this.#passesLine = false;
    return isWithinLine ? Buffer.of(LF) : undefined;
  }

  /** Reads on, behind the rest of a line that is passed over. */
  #readOn(fd: number): Buffer | undefined {
    for (let bytes = this.#read(fd); bytes !== undefined; bytes = this.#read(fd)) {
      const from = this.#passesLine ? bytes.indexOf(LF) + 1 : 0;
      if (this.#passesLine && from === 0) continue;
      this.#passesLine = false;
      this.#isWithinLine = bytes.at(-1) !== LF;
      if (from < bytes.length) return bytes.subarray(from);
    }
    return undefined;
  }

  #read(fd: number): Buffer | undefined {
    const stats = fstatSync(fd);
    // Truncated, as logrotate's copytruncate does: what comes now stands at the beginning.
    if (stats.isFile() && stats.size < this.#position) {
      this.#position = 0;
      this.#passesLine = false;
    }
    const length = readBytes(fd, this.#buffer, stats.isFile() ? this.#position : null);
    this.#position += length;
    return length === 0 ? undefined : this.#startCheck.pass(this.#buffer.subarray(0, length));
  }
}

/** Reads what is there. Returns 0 at the end of a file, and where a FIFO has a writer but no bytes. */
function readBytes(fd: number, buffer: Buffer, position: number | null): number {
  try {
    return readSync(fd, buffer, 0, buffer.length, position);
  } catch (error) {
    if (systemErrorCode(error) === 'EAGAIN') return 0;
    throw error;
  }
}

/** Takes what comes through a pipe, without ever waiting: whoever follows looks again. */
export class StreamFollower {
  /** A stream is there from the start. */
  readonly hasAppeared = true;
  /** False: nothing has come that a look does not give. */
  readonly isBehind = false;
  /** The name in messages. */
  readonly source: string;
  readonly #stream: Readable;
  readonly #startCheck: StartCheck;

  constructor(stream: Readable, source: string) {
    this.source = source;
    this.#stream = stream;
    this.#startCheck = new StartCheck(source, 'growing');
    // A stream with this listener reads ahead. An error is thrown at the next look.
    stream.on('readable', () => undefined);
    stream.on('error', () => undefined);
  }

  /**
   * The bytes that have come since the last look; undefined if there are none.
   *
   * @throws CallError if reading has failed
   * @throws DataError if the bytes are compressed
   */
  readonly look = (): Buffer | undefined => {
    if (this.#stream.errored) throw explainSystemError(this.#stream.errored, this.source);
    const block: unknown = this.#stream.read();
    if (block === null) return undefined;
    requireBytes(block);
    return this.#startCheck.pass(Buffer.from(block.buffer, block.byteOffset, block.length));
  };

  /** True once the stream has ended and everything has been given. */
  get hasEnded(): boolean {
    return this.#stream.readableEnded;
  }

  close(): void {
    this.#stream.destroy();
  }
}
