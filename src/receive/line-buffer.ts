import { LF } from '../log/byte-string.js';
import { RefusedError } from './refused-error.js';

/** The lines of one request take this at most: what a text of short lines, or labels beside each line, may grow to. */
const MAX_LINES_BYTES = 128 * 1024 * 1024;

/** The size that is allocated at first: most requests need no more. */
const FIRST_BYTES = 1 << 20;

const SPACE = 0x20;

/** Fewer bytes are copied faster by a loop than by a call. */
const SHORT_BYTES = 100;

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

  /** Adds a part of a line. @param text a byte string without LF */
  text(text: string): void {
    this.#makeRoom(text.length);
    const buffer = this.#buffer;
    for (let at = 0; at < text.length; at += 1) buffer[this.#length + at] = text.charCodeAt(at);
    this.#length += text.length;
  }

  /** Adds bytes without LF. */
  bytesOf(source: Buffer, start: number, end: number): void {
    this.#makeRoom(end - start);
    const buffer = this.#buffer;
    const offset = this.#length - start;
    if (end - start > SHORT_BYTES) source.copy(buffer, this.#length, start, end);
    else for (let at = start; at < end; at += 1) buffer[offset + at] = source[at] ?? 0;
    this.#length += end - start;
  }

  /** Adds JSON as it came. An LF in it, which can only stand between values, becomes a space. */
  json(source: Buffer, start: number, end: number): void {
    const from = this.#length;
    this.bytesOf(source, start, end);
    const buffer = this.#buffer;
    const until = this.#length;
    if (until - from > SHORT_BYTES) {
      const part = buffer.subarray(from, until);
      for (let at = part.indexOf(LF); at !== -1; at = part.indexOf(LF, at + 1)) part[at] = SPACE;
    } else {
      for (let at = from; at < until; at += 1) if (buffer[at] === LF) buffer[at] = SPACE;
    }
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
