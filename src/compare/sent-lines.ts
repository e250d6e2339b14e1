const LF = 0x0a;

/** The places of every so many lines are remembered. */
const LINES_APART = 1024;

const READ_BYTES = 1 << 18;

/** Reads the bytes of an input at a place: fills the buffer as far as it can, and says how far; 0 at the end. */
export type ReadAt = (buffer: Uint8Array, position: number) => number;

/** The lines of the expected log, read once more: by their numbers, and nothing of them unless it is asked for. */
export class SentLines {
  readonly #readAt: ReadAt;
  /** The places of lines 1, 1025, 2049, …, as far as the log has been gone through. */
  readonly #places: number[] = [0];
  #bytes: Buffer = Buffer.alloc(0);
  /** The place of `#bytes` in the log. */
  #bytesAt = 0;
  /** The line that begins at `#at` in `#bytes`. */
  #line = 1;
  #at = 0;
  constructor(readAt: ReadAt) {
    this.#readAt = readAt;
  }

  /** The bytes of a line (from 1), without its LF; good until the next call. */
  read(line: number): Buffer {
    this.#goTo(line);
    const end = this.#endOfLine();
    return this.#bytes.subarray(this.#at, end);
  }

  /** Where a line begins in the log; where the log ends, if it has no such line. */
  placeOf(line: number): number {
    return this.#goTo(line) ? this.#bytesAt + this.#at : this.#bytesAt + this.#bytes.length;
  }

  /** False if there is no such line. */
  #goTo(line: number): boolean {
    if (line < this.#line || line >= this.#line + LINES_APART) this.#seek(line);
    while (this.#line < line) if (!this.#skip()) return false;
    return true;
  }

  #seek(line: number): void {
    const index = Math.min(Math.floor((line - 1) / LINES_APART), this.#places.length - 1);
    const first = index * LINES_APART + 1;
    if (line >= this.#line && this.#line >= first) return;
    const place = this.#places[index] ?? 0;
    if (place >= this.#bytesAt && place < this.#bytesAt + this.#bytes.length) {
      this.#at = place - this.#bytesAt;
    } else {
      this.#bytes = Buffer.alloc(0);
      this.#bytesAt = place;
      this.#at = 0;
    }
    this.#line = first;
  }

  /** Goes on to the next line; false if the log ends with the line at hand. */
  #skip(): boolean {
    const end = this.#endOfLine();
    if (end === this.#bytes.length) return false;
    this.#at = end + 1;
    this.#line += 1;
    if ((this.#line - 1) % LINES_APART === 0 && (this.#line - 1) / LINES_APART === this.#places.length) {
      this.#places.push(this.#bytesAt + this.#at);
    }
    return true;
  }

  /** The place of the LF that ends the line at hand, in `#bytes`, or of the end of the log. */
  #endOfLine(): number {
    for (;;) {
      const lf = this.#bytes.indexOf(LF, this.#at);
      if (lf !== -1) return lf;
      const rest = this.#bytes.subarray(Math.min(this.#at, this.#bytes.length));
      const buffer = Buffer.allocUnsafe(rest.length + Math.max(READ_BYTES, rest.length));
      buffer.set(rest);
      const start = this.#bytesAt + this.#at;
      const got = this.#readAt(buffer.subarray(rest.length), start + rest.length);
      this.#bytes = buffer.subarray(0, rest.length + got);
      this.#bytesAt = start;
      this.#at = 0;
      if (got === 0) return this.#bytes.length;
    }
  }
}
