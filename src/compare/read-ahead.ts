import { LF } from '../log/byte-string.js';
/** So much is read at a time: most of what is asked for stands one behind the other. */
const READ_BYTES = 1 << 18;

/** Reads the bytes of an input at a position: as many as fit into the buffer and are there; says how many, 0 at the end. */
export type ReadAt = (buffer: Uint8Array, position: number) => number;

/** Reads pieces of an input by their positions, and keeps what is behind them in memory. */
export class ReadAhead {
  readonly #readAt: ReadAt;
  #buffer: Buffer = Buffer.alloc(0);
  /** The bytes that have been read, and their position. */
  #bytes: Buffer = Buffer.alloc(0);
  #from = 0;

  constructor(readAt: ReadAt) {
    this.#readAt = readAt;
  }

  /** The bytes at a position, as many as there are; good until the next call. */
  read(position: number, length: number): Buffer {
    this.#reach(position, length);
    return this.#bytes.subarray(position - this.#from, position - this.#from + length);
  }

  /** The position of the LF that ends the line at a position; -1 if none does. */
  findLf(position: number): number {
    this.#reach(position, 0);
    for (;;) {
      const lf = this.#bytes.indexOf(LF, position - this.#from);
      if (lf !== -1) return this.#from + lf;
      const known = this.#from + this.#bytes.length - position;
      this.#fill(position, 2 * known + READ_BYTES);
      if (this.#bytes.length === known) return -1;
    }
  }

  /** The line at a position, without its LF; good until the next call. */
  readLine(position: number): Buffer {
    const lf = this.findLf(position);
    const end = lf === -1 ? this.#bytes.length : lf - this.#from;
    return this.#bytes.subarray(position - this.#from, end);
  }

  /** Reads bytes at a position unless they have been read. */
  #reach(position: number, length: number): void {
    const isRead = position >= this.#from && position + length <= this.#from + this.#bytes.length;
    if (!isRead) this.#fill(position, Math.max(length, READ_BYTES));
  }

  #fill(position: number, length: number): void {
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const got = this.#readAt(this.#buffer.subarray(filled, length), position + filled);
      if (got === 0) break;
      filled += got;
    }
    this.#bytes = this.#buffer.subarray(0, filled);
    this.#from = position;
  }
}
