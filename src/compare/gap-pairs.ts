import { isJoined, MIN_PIECE_BYTES, type Alteration } from './alteration.js';

/** The way in which a received record was made of an expected one; undefined if it was not. */
export type FindAlteration = (expected: string, received: string) => Alteration | undefined;

/** A received record and the missing one that it was made of, by their indices. */
export interface AlteredPair {
  readonly expected: number;
  readonly received: number;
  readonly alteration: Alteration;
}

/**
 * Pairs the missing records of a gap with the records that came in it, in order. If each one belongs to the one beside it, those are the
 * pairs; else the pairs whose number and likeness come to the most (an alignment by dynamic programming, in time of one number times the
 * other).
 *
 * @param expected byte strings
 */
export function pairInOrder(
  expected: readonly string[],
  received: readonly string[],
  findAlteration: FindAlteration,
): readonly AlteredPair[] {
  const inStep = pairInStep(expected, received, findAlteration);
  if (inStep !== undefined) return inStep;
  const width = received.length + 1;
  const alterations: (Alteration | undefined)[] = [];
  /** The most that pairs of the records from a row and from a column on come to. */
  const scores = new Float64Array((expected.length + 1) * width);
  const scoreAt = (row: number, column: number): number => scores[row * width + column] ?? 0;
  const pairedScore = (row: number, column: number): number => {
    const alteration = alterations[row * width + column];
    return alteration === undefined ? 0 : 1 + alteration.likeness + scoreAt(row + 1, column + 1);
  };
  for (let row = expected.length - 1; row >= 0; row -= 1) {
    for (let column = received.length - 1; column >= 0; column -= 1) {
      alterations[row * width + column] = findAlteration(textAt(expected, row), textAt(received, column));
      const alone = Math.max(scoreAt(row + 1, column), scoreAt(row, column + 1));
      scores[row * width + column] = Math.max(alone, pairedScore(row, column));
    }
  }
  const pairs: AlteredPair[] = [];
  for (let row = 0, column = 0; row < expected.length;) {
    const score = scoreAt(row, column);
    const alteration = alterations[row * width + column];
    if (alteration !== undefined && pairedScore(row, column) === score) {
      pairs.push({ expected: row, received: column, alteration });
      row += 1;
      column += 1;
    } else if (scoreAt(row + 1, column) === score) {
      row += 1;
    } else {
      column += 1;
    }
  }
  return pairs;
}

/** Pairs each record with the one beside it, in linear time; undefined if two do not belong together. */
function pairInStep(
  expected: readonly string[],
  received: readonly string[],
  findAlteration: FindAlteration,
): readonly AlteredPair[] | undefined {
  if (expected.length !== received.length) return undefined;
  const pairs: AlteredPair[] = [];
  for (const [index, text] of expected.entries()) {
    const alteration = findAlteration(text, textAt(received, index));
    if (alteration === undefined) return undefined;
    pairs.push({ expected: index, received: index, alteration });
  }
  return pairs;
}

/** Adds the missing records that stand on one line with a paired one: a pair for each. */
export function addJoined(
  pairs: readonly AlteredPair[],
  expected: readonly string[],
  received: readonly string[],
): readonly AlteredPair[] {
  const all: AlteredPair[] = [];
  for (const [index, pair] of pairs.entries()) {
    const text = textAt(received, pair.received);
    const first = (all.at(-1)?.expected ?? -1) + 1;
    const last = (pairs[index + 1]?.expected ?? expected.length) - 1;
    const joins = (before: number): boolean => isJoined(textAt(expected, before), textAt(expected, before + 1), text);
    let from = pair.expected;
    while (from > first && joins(from - 1)) from -= 1;
    let until = pair.expected;
    while (until < last && joins(until)) until += 1;
    for (let at = from; at <= until; at += 1) all.push(from === until ? pair : joined(at, pair.received, from, until));
  }
  return all;
}

function joined(expected: number, received: number, from: number, until: number): AlteredPair {
  const describe = (): string => `record ${String(expected - from + 1)} of ${String(until - from + 1)} on one line`;
  return { expected, received, alteration: { describe, likeness: 1, isPiece: true } };
}

/** The received records that are further pieces of a record that was cut, behind its beginning. */
export function findFurtherPieces(
  pairs: readonly AlteredPair[],
  expected: readonly string[],
  received: readonly string[],
): ReadonlySet<number> {
  const pieces = new Set<number>();
  for (const [index, pair] of pairs.entries()) {
    let { cutAt } = pair.alteration;
    const whole = textAt(expected, pair.expected);
    const until = pairs[index + 1]?.received ?? received.length;
    for (let at = pair.received + 1; cutAt !== undefined && at < until; at += 1) {
      const piece = textAt(received, at);
      const isNext = piece !== '' && whole.startsWith(piece, cutAt);
      if (!isNext && (piece.length < MIN_PIECE_BYTES || !whole.includes(piece, cutAt))) continue;
      pieces.add(at);
      cutAt = isNext ? cutAt + piece.length : cutAt;
    }
  }
  return pieces;
}

/** A text at an index within bounds. */
function textAt(texts: readonly string[], index: number): string {
  return texts[index] ?? '';
}
