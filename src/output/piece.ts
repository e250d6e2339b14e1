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

/** The last line of a report, which is not counted. @param text ends in LF */
export function renderSummary(text: string): Piece {
  return { bytes: Buffer.from(text), count: 0, origin: {} };
}

/** The most bytes that a UTF-16 code unit takes in UTF-8 (U+FFFF takes three; a surrogate pair takes four). */
const MAX_CODE_UNIT_BYTES = 3;

/** Encodes texts that end in LF into one reused buffer. @param encoding `latin1` for byte strings */
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
