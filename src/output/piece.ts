import type { Batches } from '../log/group.js';

/** What a piece is rendered from: a request, a record, a line of a report. */
export interface Origin {
  /** The line (from 1) of the input that it comes from, if it comes from one. */
  readonly line?: number;
}

/** What must not be cut when it is written: a group, a cluster of groups whose records are mixed, or a row of a list. */
export interface Piece<T extends Origin = Origin> {
  /** Good until the next piece is asked for, as the piece itself is; ends in LF. */
  readonly bytes: Uint8Array;
  /** How many groups (or rows, or what else is counted) stand in the output when the piece does: 1, or the groups of a cluster. */
  readonly count: number;
  /** What the piece is rendered from; of a cluster, its last request. */
  readonly origin: T;
}

/**
 * Pieces in batches, each piece rendered when it is asked for. A batch can be gone through once, and must be gone through before
 * the next batch is asked for.
 */
export type PieceBatches<T extends Origin = Origin> = AsyncIterable<Iterable<Piece<T>>> | Iterable<Iterable<Piece<T>>>;

/**
 * Renders batches of origins to batches of pieces, each of which counts 1.
 *
 * @param render gives the bytes of a piece, good until the next call
 */
export async function* renderPieces<T extends Origin>(
  origins: Batches<T>,
  render: (origin: T) => Uint8Array,
): AsyncGenerator<Iterable<Piece<T>>> {
  for await (const batch of origins) yield { [Symbol.iterator]: () => new PieceIterator(batch, render) };
}

/** Gives one piece and one result again and again. A generator takes 18 ns a piece more, of some 180 that a group takes here. */
class PieceIterator<T extends Origin> implements Iterator<Piece<T>> {
  readonly #origins: readonly T[];
  readonly #render: (origin: T) => Uint8Array;
  #index = 0;
  #piece: { bytes: Uint8Array; readonly count: 1; origin: T } | undefined;
  #result: IteratorYieldResult<Piece<T>> | undefined;

  constructor(origins: readonly T[], render: (origin: T) => Uint8Array) {
    this.#origins = origins;
    this.#render = render;
  }

  next(): IteratorResult<Piece<T>, undefined> {
    const origin = this.#origins[this.#index];
    if (origin === undefined) return { done: true, value: undefined };
    this.#index += 1;
    const bytes = this.#render(origin);
    this.#piece ??= { bytes, count: 1, origin };
    this.#piece.bytes = bytes;
    this.#piece.origin = origin;
    this.#result ??= { done: false, value: this.#piece };
    return this.#result;
  }
}
