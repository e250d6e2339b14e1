import { requireBatch, requireBatches } from '../arguments.js';
import type { Batches } from '../log/group.js';

export interface Origin {
  /** Of the input, from 1. */
  readonly line?: number;
  /** Given where the input is several files. */
  readonly source?: string;
}

/** A unit of output that is not cut: a group, a cluster of groups, a row, a line of a report. Valid until the next is requested. */
export interface Piece<T extends Origin = Origin> {
  /** Ends in LF. */
  readonly bytes: Uint8Array;
  /** The groups (or rows, records, …) in the piece; 0 for a summary. */
  readonly count: number;
  /** Of a cluster, the last request. */
  readonly origin: T;
}

/** Pieces in batches of all that are ready, each rendered when it is requested. A batch is read once, and wholly, before the next. */
export type PieceBatches<T extends Origin = Origin> = AsyncIterable<Iterable<Piece<T>>> | Iterable<Iterable<Piece<T>>>;

/** @param render gives bytes that are valid until the next call @throws TypeError for what is not batches of origins */
export async function* renderPieces<T extends Origin>(
  origins: Batches<T>,
  render: (origin: T) => Uint8Array,
  countOf: (origin: T) => number = () => 1,
): AsyncGenerator<Iterable<Piece<T>>> {
  requireBatches(origins);
  for await (const batch of origins) {
    requireBatch(batch);
    let index = 0;
    // A generator would be slower for each group.
    const next = (): IteratorResult<Piece<T>, undefined> => {
      const origin = batch[index];
      if (origin === undefined) return { done: true, value: undefined };
      index += 1;
      return { done: false, value: { bytes: render(origin), count: countOf(origin), origin } };
    };
    yield { [Symbol.iterator]: () => ({ next }) };
  }
}

/** @param text the last line of a report, which ends in LF and is not counted */
export function renderSummary(text: string): Piece {
  return { bytes: Buffer.from(text), count: 0, origin: {} };
}

/** Encodes texts that end in LF into one reused buffer. @param encoding `latin1` for byte strings */
export function textRenderer<T>(format: (origin: T) => string, encoding: 'latin1' | 'utf8'): (origin: T) => Uint8Array {
  let buffer = Buffer.alloc(4096);
  return (origin) => {
    const text = format(origin);
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    const mostBytes = text.length * 3;
    if (mostBytes > buffer.length) buffer = Buffer.alloc(2 * mostBytes);
    return buffer.subarray(0, buffer.write(text, encoding));
  };
}

/** The capacity of a pipe: larger writes to a pipe are slower. */
export const PIPE_PACKET_BYTES = 65_536;

/** To a regular file, smaller writes take more processor time. */
export const FILE_PACKET_BYTES = 1 << 20;

/** Whole pieces, indexed from 0, that are written with one call. */
export class Packet {
  pieces = 0;
  #buffer: Buffer;
  readonly #maxBytes: number;
  // Arrays by piece: an object for each would be slower, and an origin that was kept would keep its block of input.
  readonly #starts = [0];
  readonly #counts = [0];
  readonly #lines: (number | undefined)[] = [];
  readonly #sources: (string | undefined)[] = [];

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
