import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainSystemError } from '../errors.js';
import { ReadAhead } from './read-ahead.js';

/** So much is kept in memory before a file is made; memory begins with less, and doubles. */
const MEMORY_BYTES = 4 << 20;
const FIRST_BYTES = 1 << 12;

/** A temporary file. */
interface SpillFile {
  readonly fd: number;
  readonly ahead: ReadAhead;
}

/**
 * Bytes that are written once and read again by their place. The last 4 MiB are in memory, what is before in a temporary file, which
 * has no name from the moment it is open: it is gone when the process is, however that ends.
 */
export class Spill {
  /** The number of bytes written so far: the place of the next ones. */
  length = 0;
  #memory: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #file: SpillFile | undefined;
  /** So many bytes are in the file. */
  #filed = 0;

  /**
   * Writes bytes; gives their place.
   *
   * @throws CallError if the temporary file cannot be written
   */
  append(bytes: Buffer, start = 0, end = bytes.length): number {
    const place = this.length;
    for (let from = start; from < end;) {
      if (this.length === this.#filed + MEMORY_BYTES) this.#flush();
      const kept = this.length - this.#filed;
      const taken = Math.min(end - from, MEMORY_BYTES - kept);
      this.#reserve(kept + taken);
      bytes.copy(this.#memory, kept, from, from + taken);
      this.length += taken;
      from += taken;
    }
    return place;
  }

  /** The bytes at a place; good until the next call. */
  read(place: number, length: number): Buffer {
    const kept = place - this.#filed;
    if (this.#file === undefined || kept >= 0) return this.#memory.subarray(kept, kept + length);
    const filed = this.#file.ahead.read(place, length);
    return Buffer.concat([filed, this.#memory.subarray(0, length - filed.length)]);
  }

  /** Forgets all that was written. The next file is a new one. */
  clear(): void {
    this.close();
    this.length = 0;
    this.#filed = 0;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.fd);
    this.#file = undefined;
  }

  #reserve(bytes: number): void {
    if (this.#memory.length >= bytes) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(MEMORY_BYTES, 2 * bytes));
    this.#memory.copy(larger);
    this.#memory = larger;
  }

  /** Writes all of the memory, which is full, behind what is in the file. */
  #flush(): void {
    try {
      this.#file ??= openUnnamed();
      writeFileSync(this.#file.fd, this.#memory);
    } catch (error) {
      throw explainSystemError(error, tmpdir());
    }
    this.#filed = this.length;
  }
}

function openUnnamed(): SpillFile {
  const path = join(tmpdir(), `webmail-diaglog-${randomUUID()}`);
  const fd = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return { fd, ahead: new ReadAhead((buffer, place) => readSync(fd, buffer, 0, buffer.length, place)) };
}
