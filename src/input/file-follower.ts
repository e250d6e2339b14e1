import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { explainSystemError, systemErrorCode } from '../errors.js';
import { LF } from '../log/byte-string.js';
import { refuseCompressedGrowth } from './unpacked-bytes.js';

/** Milliseconds between two looks at inputs that are followed. */
export const RESOLUTION_MS = 20;

/** So much is read at a look. */
const CHUNK_BYTES = 1 << 18;

/** A file that was renamed is looked at so often once nothing more comes: its writer may not have noticed yet. */
const LOOKS_AFTER_RENAME = 10;

/** An open file, and how far it has been read. */
interface OpenFile {
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
  position: number;
}

/**
 * Reads a file that grows as `tail -F` does: it may not exist yet, be renamed and made anew, and be truncated. It never waits: whoever
 * follows looks again.
 */
export class FileFollower {
  /** The path, as it was given. */
  readonly source: string;
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #file: OpenFile | undefined;
  #idleLooks = 0;
  #hasBegun = false;
  /** True while the bytes given so far end within a line. */
  #isWithinLine = false;
  /** True while the rest of a line is passed over that was there before the start. */
  #passesLine = false;
  /** A file may always go on. */
  readonly hasEnded = false;
  /** True once there has been a file of this name. */
  hasAppeared = false;

  /**
   * @param from `end`: what the file holds already, and the rest of a half line at its end, is passed over
   * @throws CallError with `end`, if the file cannot be read; not if there is none
   */
  constructor(path: string, from: 'start' | 'end' = 'start') {
    this.source = path;
    if (from === 'end') this.#passToEnd();
  }

  /**
   * The bytes that have come since the last look, as many as fit into a chunk; undefined if there are none. Good until the next look.
   *
   * @throws CallError if the file cannot be read; not if there is none
   * @throws DataError if it is compressed
   */
  readonly look = (): Buffer | undefined => {
    try {
      this.#file ??= this.#open();
      const file = this.#file;
      if (file === undefined) return undefined;
      const bytes = this.#readOn(file);
      if (bytes !== undefined) {
        this.#idleLooks = 0;
        return bytes;
      }
      this.#idleLooks += 1;
      return this.#idleLooks > LOOKS_AFTER_RENAME && this.#isReplaced(file) ? this.#readReplacement(file) : undefined;
    } catch (error) {
      throw explainSystemError(error, this.source);
    }
  };

  /** True if another file has the name by now: there are bytes that looks do not give yet. */
  get isBehind(): boolean {
    return this.#file !== undefined && this.#isReplaced(this.#file);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.fd);
    this.#file = undefined;
  }

  #open(): OpenFile | undefined {
    try {
      // Without O_NONBLOCK, opening a FIFO would block until somebody writes to it.
      const fd = openSync(this.source, constants.O_RDONLY | constants.O_NONBLOCK);
      const { dev, ino } = fstatSync(fd);
      this.hasAppeared = true;
      return { fd, dev, ino, position: 0 };
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #passToEnd(): void {
    try {
      this.#file = this.#open();
      const file = this.#file;
      const stats = file && fstatSync(file.fd);
      if (file === undefined || stats?.isFile() !== true) return;
      this.#begin(this.#buffer.subarray(0, readBytes(file.fd, this.#buffer, 0)));
      file.position = stats.size;
      const length = stats.size === 0 ? 0 : readBytes(file.fd, this.#buffer.subarray(0, 1), stats.size - 1);
      this.#passesLine = length === 1 && this.#buffer[0] !== LF;
    } catch (error) {
      throw explainSystemError(error, this.source);
    }
  }

  #begin(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (!this.#hasBegun) refuseCompressedGrowth(bytes, this.source);
    this.#hasBegun = true;
  }

  /** Reads on, behind the rest of a line that is passed over. */
  #readOn(file: OpenFile): Buffer | undefined {
    for (;;) {
      const bytes = this.#read(file);
      if (bytes === undefined) return undefined;
      const lf = this.#passesLine ? bytes.indexOf(LF) : -1;
      if (this.#passesLine && lf === -1) continue;
      this.#passesLine = false;
      this.#isWithinLine = bytes.at(-1) !== LF;
      if (lf + 1 < bytes.length) return bytes.subarray(lf + 1);
    }
  }

  #read(file: OpenFile): Buffer | undefined {
    const stats = fstatSync(file.fd);
    // Truncated, as logrotate's copytruncate does: what comes now stands at the beginning.
    if (stats.isFile() && stats.size < file.position) {
      file.position = 0;
      this.#passesLine = false;
    }
    const length = readBytes(file.fd, this.#buffer, stats.isFile() ? file.position : null);
    if (length === 0) return undefined;
    file.position += length;
    const bytes = this.#buffer.subarray(0, length);
    this.#begin(bytes);
    return bytes;
  }

  /** True if another file has the name now. */
  #isReplaced({ dev, ino }: OpenFile): boolean {
    const stats = statSync(this.source, { throwIfNoEntry: false });
    return stats !== undefined && (stats.dev !== dev || stats.ino !== ino);
  }

  #readReplacement(file: OpenFile): Buffer | undefined {
    closeSync(file.fd);
    this.#idleLooks = 0;
    this.#file = this.#open();
    this.#passesLine = false;
    // Half a line of the file that was renamed does not go on in the next one.
    if (this.#isWithinLine) {
      this.#isWithinLine = false;
      return Buffer.of(LF);
    }
    return this.#file === undefined ? undefined : this.#readOn(this.#file);
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
