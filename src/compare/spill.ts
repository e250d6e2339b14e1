import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainSystemError } from '../errors.js';
import { ReadAhead } from './read-ahead.js';

/** So much is kept in memory before a file is made; memory begins with less, and doubles. */
const MEMORY_BYTES = 4 << 20;
const FIRST_BYTES = 1 << 12;

/**
 * Bytes that are written once and read again by their place. The last 4 MiB are in memory, what is before in a temporary file, which
 * has no name from the moment it is open: it is gone when the process is, however that ends.
 */
export class Spill {
  /** The number of bytes written so far: the place of the next ones. */
  length = 0;
  #memory: Buffer = Buffer.alloc(0);
  /** So many bytes are in the file. */
  #filed = 0;
  #fd: number | undefined;
  readonly #ahead = new ReadAhead((buffer, place) => this.#readAt(buffer, place));

  /**
   * Writes bytes; gives their place.
   *
   * @throws CallError if the temporary file cannot be written
   */
  append(bytes: Buffer, start = 0, end = bytes.length): number {
    const place = this.length;
    for (let from = start; from < end;) {
      const kept = this.length - this.#filed;
      const until = Math.min(end, from + MEMORY_BYTES - kept);
      this.#reserve(kept + until - from);
      bytes.copy(this.#memory, kept, from, until);
      this.length += until - from;
      if (this.length - this.#filed === MEMORY_BYTES) this.#flush();
      from = until;
    }
    return place;
  }

  /** The bytes at a place; good until the next call. */
  read(place: number, length: number): Buffer {
    if (place >= this.#filed) return this.#memory.subarray(place - this.#filed, place - this.#filed + length);
    const filed = this.#ahead.read(place, length);
    return filed.length === length ? filed : Buffer.concat([filed, this.#memory.subarray(0, length - filed.length)]);
  }

  /** Forgets all that was written. The next file is a new one. */
  clear(): void {
    this.close();
    this.length = 0;
    this.#filed = 0;
    this.#ahead.forget();
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #reserve(bytes: number): void {
    if (this.#memory.length >= bytes) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(MEMORY_BYTES, Math.max(FIRST_BYTES, 2 * bytes)));
    this.#memory.copy(larger);
    this.#memory = larger;
  }

  #flush(): void {
    try {
      this.#fd ??= openUnnamed();
      for (let written = 0; written < MEMORY_BYTES;) {
        written += writeSync(this.#fd, this.#memory, written, MEMORY_BYTES - written, this.#filed + written);
      }
    } catch (error) {
      throw explainSystemError(error, tmpdir());
    }
    this.#filed = this.length;
  }

  #readAt(buffer: Uint8Array, place: number): number {
    if (this.#fd === undefined) return 0;
    return readSync(this.#fd, buffer, 0, buffer.length, place);
  }
}

function openUnnamed(): number {
  const path = join(tmpdir(), `webmail-diaglog-${randomUUID()}`);
  const fd = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return fd;
}
