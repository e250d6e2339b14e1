import { randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainSystemError } from '../errors.js';

/** So much is kept in memory before a file is made. */
const MEMORY_BYTES = 4 << 20;

/** A file is read so much at a time: most of what is read stands one behind the other. */
const READ_BYTES = 1 << 18;

/**
 * Bytes that are written once and read again by their place. The last 4 MiB are in memory, what is before in a temporary file, which
 * has no name from the moment it is open: it is gone when the process is, however that ends.
 */
export class Spill {
  /** How many bytes have been written: the place of what is written next. */
  length = 0;
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);
  /** So many bytes are in the file. */
  #filed = 0;
  #fd: number | undefined;
  /** What was last read of the file, and its place. */
  #read: Buffer = Buffer.alloc(0);
  #readFrom = 0;

  /**
   * Writes bytes; gives their place.
   *
   * @throws CallError if the temporary file cannot be written
   */
  append(bytes: Uint8Array, start = 0, end = bytes.length): number {
    const place = this.length;
    for (let from = start; from < end;) {
      const kept = this.length - this.#filed;
      const until = Math.min(end, from + MEMORY_BYTES - kept);
      this.#memory.set(bytes.subarray(from, until), kept);
      this.length += until - from;
      if (this.length - this.#filed === MEMORY_BYTES) this.#flush();
      from = until;
    }
    return place;
  }

  /** The bytes at a place; good until the next call. */
  read(place: number, length: number): Buffer {
    if (place >= this.#filed) return this.#memory.subarray(place - this.#filed, place - this.#filed + length);
    if (place + length <= this.#filed) return this.#readFile(place, length);
    const filed = Buffer.from(this.#readFile(place, this.#filed - place));
    return Buffer.concat([filed, this.#memory.subarray(0, place + length - this.#filed)]);
  }

  /** Forgets all that was written. */
  clear(): void {
    if (this.#fd !== undefined && this.#filed > 0) ftruncateSync(this.#fd, 0);
    this.length = 0;
    this.#filed = 0;
    this.#read = Buffer.alloc(0);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
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

  #readFile(place: number, length: number): Buffer {
    const isRead = place >= this.#readFrom && place + length <= this.#readFrom + this.#read.length;
    if (!isRead && this.#fd !== undefined) {
      const buffer = Buffer.allocUnsafe(Math.max(length, Math.min(READ_BYTES, this.#filed - place)));
      let got = 0;
      while (got < buffer.length) {
        const bytes = readSync(this.#fd, buffer, got, buffer.length - got, place + got);
        if (bytes === 0) break;
        got += bytes;
      }
      this.#read = buffer.subarray(0, got);
      this.#readFrom = place;
    }
    return this.#read.subarray(place - this.#readFrom, place - this.#readFrom + length);
  }
}

function openUnnamed(): number {
  const path = join(tmpdir(), `webmail-diaglog-${randomUUID()}`);
  const fd = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return fd;
}
