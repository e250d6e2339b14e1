import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { explainSystemError, systemErrorCode } from '../errors.js';
import { refuseCompressedGrowth } from './compression.js';

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
  readonly #path: string;
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #file: OpenFile | undefined;
  #idleLooks = 0;
  #hasBegun = false;
  /** True once there has been a file of this name. */
  hasAppeared = false;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The bytes that have come since the last look, as many as fit into a chunk; undefined if there are none. Good until the next look.
   *
   * @throws CallError if the file cannot be read; not if there is none
   * @throws DataError if it is compressed
   */
  look(): Buffer | undefined {
    try {
      this.#file ??= this.#open();
      const file = this.#file;
      if (file === undefined) return undefined;
      const bytes = this.#read(file);
      if (bytes !== undefined) {
        this.#idleLooks = 0;
        return bytes;
      }
      this.#idleLooks += 1;
      return this.#idleLooks > LOOKS_AFTER_RENAME && this.#isReplaced(file) ? this.#readReplacement(file) : undefined;
    } catch (error) {
      throw explainSystemError(error, this.#path);
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.fd);
    this.#file = undefined;
  }

  #open(): OpenFile | undefined {
    try {
      const fd = openSync(this.#path, 'r');
      const { dev, ino } = fstatSync(fd);
      this.hasAppeared = true;
      return { fd, dev, ino, position: 0 };
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #read(file: OpenFile): Buffer | undefined {
    const stats = fstatSync(file.fd);
    // Truncated, as logrotate's copytruncate does: what comes now stands at the beginning.
    if (stats.isFile() && stats.size < file.position) file.position = 0;
    const length = readSync(file.fd, this.#buffer, 0, CHUNK_BYTES, stats.isFile() ? file.position : null);
    if (length === 0) return undefined;
    file.position += length;
    const bytes = this.#buffer.subarray(0, length);
    if (!this.#hasBegun) refuseCompressedGrowth(bytes, this.#path);
    this.#hasBegun = true;
    return bytes;
  }

  /** True if another file has the name now. */
  #isReplaced({ dev, ino }: OpenFile): boolean {
    const stats = statSync(this.#path, { throwIfNoEntry: false });
    return stats !== undefined && (stats.dev !== dev || stats.ino !== ino);
  }

  #readReplacement(file: OpenFile): Buffer | undefined {
    closeSync(file.fd);
    this.#idleLooks = 0;
    this.#file = this.#open();
    return this.#file === undefined ? undefined : this.#read(this.#file);
  }
}
