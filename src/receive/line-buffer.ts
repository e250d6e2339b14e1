import { LF } from '../log/byte-string.js';
import { RefusedError } from './refused-error.js';

/** The lines of one request take this at most: what a text of short lines, or labels beside each line, may grow to. */
export const MAX_LINES_BYTES = 128 * 1024 * 1024;

/** The size that is allocated at first: most requests need no more. */
const FIRST_BYTES = 1 << 20;

const SPACE = 0x20;

/**
 * The lines of one request, in a buffer that the next request takes over. Every line is whole: it ends in the only LF that it has.
 *
 * @throws RefusedError (413) from each method that adds bytes, once there is no room
 */
export class LineBuffer {
  /** The number of whole lines. */
  count = 0;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  /** All lines; valid until the buffer is cleared. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    this.count = 0;
  }

  /** Adds a part of a line. @param text ASCII without LF, or a byte string without LF */
  text(text: string): void {
    this.#makeRoom(text.length);
    this.#length += this.#buffer.write(text, this.#length, 'latin1');
  }

  /** Adds JSON as it came. An LF in it, which can only stand between values, becomes a space. */
  json(source: Buffer, start: number, end: number): void {
    this.#makeRoom(end - start);
    const from = this.#length;
    this.#length += source.copy(this.#buffer, from, start, end);
    const part = this.#buffer.subarray(from, this.#length);
    for (let at = part.indexOf(LF); at !== -1; at = part.indexOf(LF, at + 1)) part[at] = SPACE;
  }

  endLine(): void {
    this.#makeRoom(1);
    this.#buffer[this.#length] = LF;
    this.#length += 1;
    this.count += 1;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    if (needed > MAX_LINES_BYTES) {
      throw new RefusedError(413, 'the lines of this request would take more than 128 MiB; send fewer events at a time');
    }
    // Pages that are not written to take no memory.
    const larger = Buffer.allocUnsafeSlow(MAX_LINES_BYTES);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
