import type { Origin, Piece } from './piece.js';

/** The capacity of a pipe: larger writes to a pipe are slower. */
export const PIPE_PACKET_BYTES = 65_536;

/** To a regular file, smaller writes take more processor time. */
export const FILE_PACKET_BYTES = 1 << 20;

/** Whole pieces, indexed from 0, that are written with one call. */
export class Packet {
  pieces = 0;
  /** It grows for a piece that is larger. */
  #buffer: Buffer;
  readonly #maxBytes: number;
  // Arrays by piece: an object for each would be slower, and an origin that was kept would keep its block of input.
  readonly #starts = [0];
  readonly #counts = [0];
  readonly #lines: (number | undefined)[] = [];
  readonly #sources: (string | undefined)[] = [];

  /** @param buffer the memory of the pieces, or its size in bytes */
  constructor(buffer: Buffer | number = PIPE_PACKET_BYTES) {
    this.#buffer = typeof buffer === 'number' ? Buffer.allocUnsafeSlow(buffer) : buffer;
    this.#maxBytes = this.#buffer.length;
  }

  /** An empty packet takes a piece of any size. */
  fits(pieceBytes: number): boolean {
    return this.pieces === 0 || this.startOf(this.pieces) + pieceBytes <= this.#maxBytes;
  }

  add({ bytes, count, origin }: Piece): void {
    if (bytes.length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(bytes.length);
    this.#buffer.set(bytes, this.startOf(this.pieces));
    this.endPiece(bytes.length, count, origin);
  }

  /** Declares the next `length` bytes of the buffer a piece. */
  endPiece(length: number, count: number, { line, source }: Origin = {}): void {
    const { pieces } = this;
    this.#lines[pieces] = line;
    this.#sources[pieces] = source;
    this.#starts[pieces + 1] = this.startOf(pieces) + length;
    this.#counts[pieces + 1] = this.count(pieces) + count;
    this.pieces = pieces + 1;
  }

  /** The offset of a piece; for the index `pieces`, the number of all bytes. */
  startOf(piece: number): number {
    return this.#starts[piece] ?? 0;
  }

  count(until = this.pieces): number {
    return this.#counts[until] ?? 0;
  }

  originOf(piece: number): Origin {
    const [line, source] = [this.#lines[piece], this.#sources[piece]];
    return { ...(line !== undefined && { line }), ...(source !== undefined && { source }) };
  }

  /** The bytes of the pieces from `from` up to, but not including, `until`, valid until the packet is cleared. */
  bytes(from = 0, until = this.pieces): Buffer {
    return this.#buffer.subarray(this.startOf(from), this.startOf(until));
  }

  piecesWithin(bytes: number): number {
    let { pieces } = this;
    while (pieces > 0 && this.startOf(pieces) > bytes) pieces -= 1;
    return pieces;
  }

  clear(): void {
    this.pieces = 0;
  }
}
