import type { Piece } from './piece.js';

/** The capacity of a pipe: a pipe takes as much with one call. A larger write to a pipe took 40 % more time a byte. */
export const PIPE_CHUNK_BYTES = 65_536;

/** The size of a write to a regular file: with writes of 64 KiB to ext4 `replay` took 14 % more processor time. */
export const FILE_CHUNK_BYTES = 1 << 20;

/** Whole pieces that are written with one call. They are numbered from 0. */
export interface WholePieces {
  /** The bytes of all pieces. */
  readonly bytes: Buffer;
  /** The number of pieces. */
  readonly pieces: number;
  /** The offset of the first byte of a piece; of `pieces`, the end of all bytes. */
  readonly startOf: (piece: number) => number;
  /** Counts the groups (or what else is counted) in the pieces before a piece. */
  readonly countBefore: (piece: number) => number;
  /** The line of the input that the piece before a piece comes from. */
  readonly lineBefore: (piece: number) => number | undefined;
  /** Counts the whole pieces within the first `bytes` bytes. */
  readonly piecesWithin: (bytes: number) => number;
}

/** A buffer of whole pieces. */
export class Chunk implements WholePieces {
  readonly #buffer: Buffer;
  /** The bytes of a single piece that is larger than the buffer. */
  #large: Buffer | undefined;
  #length = 0;
  #count = 0;
  #pieces = 0;
  // The arrays are indexed by piece and never truncated: truncating and pushing took 12 ns a piece more.
  /** The end of each piece, in bytes. */
  readonly #ends: number[] = [];
  /** The number of groups (or what else is counted) up to the end of each piece. */
  readonly #counts: number[] = [];
  /** The line of the input that each piece comes from, if there is one. */
  readonly #lines: (number | undefined)[] = [];

  /** @param capacity in bytes */
  constructor(capacity: number = PIPE_CHUNK_BYTES) {
    this.#buffer = Buffer.allocUnsafeSlow(capacity);
  }

  /** The bytes of all pieces, valid until the chunk is cleared. */
  get bytes(): Buffer {
    return this.#large ?? this.#buffer.subarray(0, this.#length);
  }

  /** The number of pieces. */
  get pieces(): number {
    return this.#pieces;
  }

  /** True if a piece of `pieceBytes` bytes can be added. An empty chunk takes a piece of any size. */
  fits(pieceBytes: number): boolean {
    return this.#length === 0 || this.#length + pieceBytes <= this.#buffer.length;
  }

  /** Adds (copies) a piece, which must fit. */
  add({ bytes, count, origin }: Piece): void {
    if (bytes.length > this.#buffer.length) this.#large = Buffer.from(bytes);
    else this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    this.#count += count;
    const piece = this.#pieces;
    this.#ends[piece] = this.#length;
    this.#counts[piece] = this.#count;
    this.#lines[piece] = origin.line;
    this.#pieces = piece + 1;
  }

  /** The offset of the first byte of a piece; of `pieces`, the end of all bytes. */
  startOf(piece: number): number {
    return piece === 0 ? 0 : (this.#ends[piece - 1] ?? this.#length);
  }

  /** Counts the groups (or what else is counted) in the pieces before a piece. */
  countBefore(piece: number): number {
    return piece === 0 ? 0 : (this.#counts[piece - 1] ?? this.#count);
  }

  /** The line of the input that the piece before a piece comes from. */
  lineBefore(piece: number): number | undefined {
    return this.#lines[piece - 1];
  }

  /** Counts the whole pieces within the first `bytes` bytes. */
  piecesWithin(bytes: number): number {
    let pieces = this.#pieces;
    while (pieces > 0 && this.startOf(pieces) > bytes) pieces -= 1;
    return pieces;
  }

  /** Removes all pieces. */
  clear(): void {
    this.#large = undefined;
    this.#length = 0;
    this.#count = 0;
    this.#pieces = 0;
  }
}
