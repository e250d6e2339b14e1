import type { Piece } from './piece.js';

/**
 * A pipe takes this many bytes at a time, and a write of no more than this is one call that another appender cannot come between.
 */
const CHUNK_BYTES = 65_536;

/** Whole pieces of an output, to be written with one call, and where each of them ends. */
export class Chunk {
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** The bytes of a piece that is larger than the buffer, alone. */
  #large: Buffer | undefined;
  #length = 0;
  #count = 0;
  #pieces = 0;
  // Of each piece, by its place. Places are written over and never let go: to truncate the arrays and push took 12 ns a piece more.
  /** Where it ends, in bytes. */
  readonly #ends: number[] = [];
  /** How many groups (or what else is counted) stand where it ends. */
  readonly #counts: number[] = [];
  /** The line of the input that it comes from, if it comes from one. */
  readonly #lines: (number | undefined)[] = [];

  /** The pieces' bytes; good until the chunk is cleared. */
  get bytes(): Buffer {
    return this.#large ?? this.#buffer.subarray(0, this.#length);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Where each piece ends, in bytes. */
  get ends(): readonly number[] {
    return this.#ends.slice(0, this.#pieces);
  }

  /** True if a piece of so many bytes can be added. An empty chunk takes a piece of any size. */
  fits(pieceBytes: number): boolean {
    return this.#length === 0 || this.#length + pieceBytes <= CHUNK_BYTES;
  }

  /** Adds (copies) a piece, which must fit. */
  add({ bytes, count, origin }: Piece): void {
    if (bytes.length > CHUNK_BYTES) this.#large = Buffer.from(bytes);
    else this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    this.#count += count;
    const place = this.#pieces;
    this.#ends[place] = this.#length;
    this.#counts[place] = this.#count;
    this.#lines[place] = origin.line;
    this.#pieces = place + 1;
  }

  /** Begins an empty chunk with bytes (the header of a list) that are no piece and not counted. */
  begin(head: Uint8Array): void {
    this.#buffer.set(head);
    this.#length = head.length;
  }

  /** How many groups (or what else is counted) stand when the first `bytes` bytes have been written. */
  countWithin(bytes: number): number {
    return this.#counts[this.#lastWithin(bytes)] ?? 0;
  }

  /** The line of the input that the last piece comes from that stands when the first `bytes` bytes have been written. */
  lineWithin(bytes: number): number | undefined {
    return this.#lines[this.#lastWithin(bytes)];
  }

  /** Where the last piece ends, in bytes, that stands when the first `bytes` bytes have been written; 0 if none does. */
  endWithin(bytes: number): number {
    return this.#ends[this.#lastWithin(bytes)] ?? 0;
  }

  /** The place of that piece; -1 if none stands. */
  #lastWithin(bytes: number): number {
    let last = this.#pieces - 1;
    while (last >= 0 && (this.#ends[last] ?? 0) > bytes) last -= 1;
    return last;
  }

  clear(): void {
    this.#large = undefined;
    this.#length = 0;
    this.#count = 0;
    this.#pieces = 0;
  }
}
