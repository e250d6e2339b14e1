/**
 * A pipe takes this many bytes at a time, and a write of no more than this is one call that another appender cannot come between.
 */
const CHUNK_BYTES = 65_536;

/** Whole pieces of an output (groups of the log, rows of a list), to be written with one call, and where each of them ends. */
export class Chunk {
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** A piece that is larger than the buffer, alone. */
  #large: Buffer | undefined;
  #length = 0;
  /** The line of the input that each piece comes from, if it comes from one. */
  readonly lines: (number | undefined)[] = [];
  /** Where each piece ends, in bytes. */
  readonly ends: number[] = [];

  /** The pieces' bytes; good until the chunk is cleared. */
  get bytes(): Buffer {
    return this.#large ?? this.#buffer.subarray(0, this.#length);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Whether a piece of so many bytes can be added. An empty chunk takes a piece of any size. */
  fits(pieceBytes: number): boolean {
    return this.#length === 0 || this.#length + pieceBytes <= CHUNK_BYTES;
  }

  /** Adds (copies) a piece, which must fit, and the line of the input that it comes from. */
  add(piece: Uint8Array, line: number | undefined): void {
    if (piece.length > CHUNK_BYTES) this.#large = Buffer.from(piece);
    else this.#buffer.set(piece, this.#length);
    this.#length += piece.length;
    this.lines.push(line);
    this.ends.push(this.#length);
  }

  /** Begins an empty chunk with bytes (the header of a list) that are no piece and not counted. */
  begin(head: Uint8Array): void {
    this.#buffer.set(head);
    this.#length = head.length;
  }

  /** How many of the pieces stand when only the first `bytes` bytes have been written. */
  countWithin(bytes: number): number {
    let count = this.ends.length;
    while (count > 0 && (this.ends[count - 1] ?? 0) > bytes) count -= 1;
    return count;
  }

  clear(): void {
    this.#large = undefined;
    this.#length = 0;
    this.lines.length = 0;
    this.ends.length = 0;
  }
}
