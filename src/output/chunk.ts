import type { Piece } from './piece.js';

/** The capacity of a pipe: a pipe takes as much with one call. A larger write to a pipe took 40 % more time a byte. */
export const PIPE_CHUNK_BYTES = 65_536;

/** The size of a write to a regular file: with writes of 64 KiB to ext4 `replay` took 14 % more processor time. */
export const FILE_CHUNK_BYTES = 1 << 20;

/** The end of a piece, counted from the beginning of its chunk. */
interface PieceEnd {
  /** The offset behind its last byte. */
  readonly at: number;
  /** The number of groups (or what else is counted) up to here. */
  readonly count: number;
  /** The line of the input that the piece comes from, if there is one. */
  readonly line: number | undefined;
}

const START: PieceEnd = { at: 0, count: 0, line: undefined };

/** Whole pieces, numbered from 0, that are written with one call. */
export class Chunk {
  readonly #buffer: Buffer;
  /** The bytes of a single piece that is larger than the buffer. */
  #large: Buffer | undefined;
  #ends: PieceEnd[] = [];
  #last = START;

  /** @param buffer the memory of the pieces, or its size in bytes */
  constructor(buffer: Buffer | number = PIPE_CHUNK_BYTES) {
    this.#buffer = typeof buffer === 'number' ? Buffer.allocUnsafeSlow(buffer) : buffer;
  }

  /** The bytes of all pieces, valid until the chunk is cleared. */
  get bytes(): Buffer {
    return this.#large ?? this.#buffer.subarray(0, this.#last.at);
  }

  /** The number of pieces. */
  get pieces(): number {
    return this.#ends.length;
  }

  /** The number of groups (or what else is counted). */
  get count(): number {
    return this.#last.count;
  }

  /** The line of the input that the last piece comes from, if there is one. */
  get lastLine(): number | undefined {
    return this.#last.line;
  }

  /** True if a piece of `pieceBytes` bytes can be added. An empty chunk takes a piece of any size. */
  fits(pieceBytes: number): boolean {
    return this.#last.at === 0 || this.#last.at + pieceBytes <= this.#buffer.length;
  }

  /** Adds (copies) a piece, which must fit. */
  add({ bytes, count, origin }: Piece): void {
    if (bytes.length > this.#buffer.length) this.#large = Buffer.from(bytes);
    else this.#buffer.set(bytes, this.#last.at);
    this.endPiece(bytes.length, count, origin.line);
  }

  /** Makes the next `length` bytes of the buffer a piece. */
  endPiece(length: number, count: number, line?: number): void {
    this.#last = { at: this.#last.at + length, count: this.#last.count + count, line };
    this.#ends.push(this.#last);
  }

  /** The offset of the first byte of a piece; of `pieces`, the end of all bytes. */
  startOf(piece: number): number {
    return this.#ends[piece - 1]?.at ?? 0;
  }

  /** Counts the whole pieces within the first `bytes` bytes. */
  piecesWithin(bytes: number): number {
    const beyond = this.#ends.findIndex(({ at }) => at > bytes);
    return beyond === -1 ? this.pieces : beyond;
  }

  /** The pieces from one up to, but not including, another; their bytes are not copied. */
  slice(from: number, until = this.pieces): Chunk {
    const part = new Chunk(this.bytes.subarray(this.startOf(from), this.startOf(until)));
    let before = this.#ends[from - 1] ?? START;
    for (const end of this.#ends.slice(from, until)) {
      part.endPiece(end.at - before.at, end.count - before.count, end.line);
      before = end;
    }
    return part;
  }

  /** Removes all pieces. */
  clear(): void {
    this.#large = undefined;
    this.#ends = [];
    this.#last = START;
  }
}
