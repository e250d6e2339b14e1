import type { Origin, Piece } from './piece.js';

/** The capacity of a pipe: larger writes to a pipe are slower. */
export const PIPE_PACKET_BYTES = 65_536;

/** To a regular file, smaller writes take more processor time. */
export const FILE_PACKET_BYTES = 1 << 20;

/** Whole pieces, indexed from 0, that are written with one call. */
export class Packet {
  /** It grows for a piece that is larger. */
  #buffer: Buffer;
  readonly #maxBytes: number;
  #count = 0;
  #pieces = 0;
  // Arrays indexed by piece and never truncated: an object for each piece would be slower.
  readonly #ends: number[] = [];
  readonly #counts: number[] = [];
  // An origin that was kept would keep its block of input.
  readonly #lines: (number | undefined)[] = [];
  readonly #sources: (string | undefined)[] = [];

  /** @param buffer the memory of the pieces, or its size in bytes */
  constructor(buffer: Buffer | number = PIPE_PACKET_BYTES) {
    this.#buffer = typeof buffer === 'number' ? Buffer.allocUnsafeSlow(buffer) : buffer;
    this.#maxBytes = this.#buffer.length;
  }

  /** The bytes of all pieces, valid until the packet is cleared. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.startOf(this.#pieces));
  }

  get pieces(): number {
    return this.#pieces;
  }

  get count(): number {
    return this.#count;
  }

  get last(): Origin {
    return this.#originOf(this.#pieces - 1);
  }

  #originOf(piece: number): Origin {
    const [line, source] = [this.#lines[piece], this.#sources[piece]];
    return piece < 0 || line === undefined ? {} : source === undefined ? { line } : { line, source };
  }

  /** An empty packet takes a piece of any size. */
  fits(pieceBytes: number): boolean {
    return this.#pieces === 0 || this.startOf(this.#pieces) + pieceBytes <= this.#maxBytes;
  }

  add({ bytes, count, origin }: Piece): void {
    if (bytes.length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(bytes.length);
    this.#buffer.set(bytes, this.startOf(this.#pieces));
    this.endPiece(bytes.length, count, origin);
  }

  /** Declares the next `length` bytes of the buffer a piece. */
  endPiece(length: number, count: number, origin?: Origin): void {
    const piece = this.#pieces;
    this.#ends[piece] = this.startOf(piece) + length;
    this.#counts[piece] = count;
    this.#lines[piece] = origin?.line;
    if (origin?.source !== undefined || this.#sources.length > 0) this.#sources[piece] = origin?.source;
    this.#count += count;
    this.#pieces = piece + 1;
  }

  /** The offset of a piece; for the index `pieces`, the number of all bytes. */
  startOf(piece: number): number {
    return piece === 0 ? 0 : (this.#ends[piece - 1] ?? 0);
  }

  piecesWithin(bytes: number): number {
    let pieces = this.#pieces;
    while (pieces > 0 && this.startOf(pieces) > bytes) pieces -= 1;
    return pieces;
  }

  /** The pieces from `from` up to, but not including, `until`. Their bytes are not copied. */
  slice(from: number, until: number): Packet {
    const part = new Packet(this.bytes.subarray(this.startOf(from), this.startOf(until)));
    for (let piece = from; piece < until; piece += 1) {
      part.endPiece(this.startOf(piece + 1) - this.startOf(piece), this.#counts[piece] ?? 0, this.#originOf(piece));
    }
    return part;
  }

  clear(): void {
    this.#count = 0;
    this.#pieces = 0;
  }
}
