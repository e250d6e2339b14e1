import { requireBatch, requireBatches } from '../arguments.js';
import type { Batches } from '../log/group.js';

/** The source of a piece: a request, a record, a line of a report. */
export interface Origin {
  /** The line (from 1) in the input, if any. */
  readonly line?: number;
  /** The file of that line, where the input is several files. */
  readonly source?: string;
}

/**
 * An indivisible unit of output: a group, a cluster of mixed groups, a row of a list, a line of a report. A piece and its bytes
 * are valid until the next piece is requested.
 */
export interface Piece<T extends Origin = Origin> {
  /** The text of the piece; ends in LF. */
  readonly bytes: Uint8Array;
  /** The number of groups (or rows, records, …) in the piece; 0 for a summary. */
  readonly count: number;
  /** The request (or record, …) that the piece is rendered from; of a cluster, the last request. */
  readonly origin: T;
}

/**
 * Pieces in batches of all that are ready. A piece is rendered when it is requested. A batch is iterated once, and completely, before
 * the next batch is requested.
 */
export type PieceBatches<T extends Origin = Origin> = AsyncIterable<Iterable<Piece<T>>> | Iterable<Iterable<Piece<T>>>;

/**
 * Renders a piece for each origin.
 *
 * @param render gives the bytes of a piece, valid until the next call
 * @param countOf gives the count of a piece; left out, each piece counts 1
 * @throws TypeError for origins that are not iterable, and for a batch that is not an array
 */
export async function* renderPieces<T extends Origin>(
  origins: Batches<T>,
  render: (origin: T) => Uint8Array,
  countOf: (origin: T) => number = () => 1,
): AsyncGenerator<Iterable<Piece<T>>> {
  requireBatches(origins);
  for await (const batch of origins) {
    requireBatch(batch);
    let index = 0;
    yield iterate(() => {
      const origin = batch[index];
      if (origin === undefined) return { done: true, value: undefined };
      index += 1;
      return { done: false, value: { bytes: render(origin), count: countOf(origin), origin } };
    });
  }
}

/** Makes an iterable from a function that gives the next value: a generator would be slower for each group. */
export function iterate<T>(next: () => IteratorResult<T, undefined>): Iterable<T> {
  return { [Symbol.iterator]: () => ({ next }) };
}

/** Makes a piece of the last line of a report, which is not counted. @param text ends in LF */
export function renderSummary(text: string): Piece {
  return { bytes: Buffer.from(text), count: 0, origin: {} };
}

/** The most bytes that a UTF-16 code unit takes in UTF-8 (U+FFFF takes three; a surrogate pair takes four). */
const MAX_CODE_UNIT_BYTES = 3;

/**
 * Makes a function that encodes texts (rows of a list, JSON records, lines of a report) into one reused buffer.
 *
 * @param format gives the text of an origin, which ends in LF
 * @param encoding `latin1` for byte strings
 */
export function textRenderer<T extends Origin>(
  format: (origin: T) => string,
  encoding: 'latin1' | 'utf8',
): (origin: T) => Uint8Array {
  let buffer = Buffer.alloc(4096);
  return (origin) => {
    const text = format(origin);
    const mostBytes = text.length * MAX_CODE_UNIT_BYTES;
    if (mostBytes > buffer.length) buffer = Buffer.alloc(2 * mostBytes);
    return buffer.subarray(0, buffer.write(text, encoding));
  };
}
