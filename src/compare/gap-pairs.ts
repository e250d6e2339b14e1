import { isJoined, MIN_PIECE_BYTES, type Alteration } from './alteration.js';

/** The way in which a received record was made of an expected one; undefined if it was not. */
export type FindAlteration = (expected: string, received: string) => Alteration | undefined;

/** A received record and the missing one that it was made of, by their indices. */
export interface AlteredPair {
  readonly expected: number;
  readonly received: number;
  /** Says how, in words that are safe for a terminal; undefined where `findAlteration` says it. Most pairs are never reported. */
  readonly how?: string;
}

/** A pair, and the way in which one was made of the other. */
interface LikelyPair extends AlteredPair {
  readonly alteration: Alteration;
}

/** Records of one side in a gap, in order; their texts are read when they are needed. */
interface GapSide {
  readonly length: number;
  /** A byte string. */
  readonly textAt: (index: number) => string;
}

/** The next part of a gap. */
interface GapPart {
  readonly pairs: readonly AlteredPair[];
  /** Received records that are further pieces of a paired one. */
  readonly pieces: ReadonlySet<number>;
  /** The records of each side before these are decided. */
  readonly expectedDone: number;
  readonly receivedDone: number;
}

/** The records of each side that are aligned at a time. Of a larger gap one half of them is used: the rest may belong further on. */
const ALIGNED = 64;
const USED = ALIGNED / 2;

/** The bytes of each side that are aligned at a time, unless a single record has more: the time grows with records times bytes. */
const ALIGNED_BYTES = 1 << 18;

/** From this size on, records of a gap may resemble each other by chance. */
const LARGE_GAP = 16;

/** In a large gap resemblance counts where this share of the records has a counterpart. */
const PAIRED_SHARE = 0.75;

/** In a gap where no records resemble each other, not each one is looked at: twice as many are passed each time, up to this many times those looked at. */
const MAX_PASSED_WINDOWS = 32;

/**
 * Pairs the missing records of a gap with those that came in it, in order, part by part: received records that are missing ones altered.
 *
 * In a large gap, which is of unlike logs or of a change to every line, two records that are not a piece of one another are a pair only
 * where three quarters of those around them are.
 *
 * @param isWhole true if all records of the gap are there; else more may follow
 */
export function* pairGap(
  expected: GapSide,
  received: GapSide,
  findAlteration: FindAlteration,
  isWhole: boolean,
): Generator<GapPart> {
  const isLarge = Math.min(expected.length, received.length) >= LARGE_GAP;
  let expectedDone = 0;
  let receivedDone = 0;
  let passedWindows = 1;
  while (expectedDone < expected.length && receivedDone < received.length) {
    const expectedLeft = expected.length - expectedDone;
    const receivedLeft = received.length - receivedDone;
    const withEnds = isWhole && Math.min(expectedLeft, receivedLeft) <= ALIGNED;
    const some = indicesOf(expectedDone, expected.length, withEnds);
    const others = indicesOf(receivedDone, received.length, withEnds);
    const texts = readTexts(some, expected, ALIGNED_BYTES);
    // All pieces of the first record are to be among them.
    const otherTexts = readTexts(others, received, Math.max(ALIGNED_BYTES, 2 * at(texts, 0).length));
    const [usedTexts, usedOthers] = [usedOf(texts, some), usedOf(otherTexts, others)];
    const found = keepLikely(pairInOrder(texts, otherTexts, findAlteration), Math.min(texts.length, otherTexts.length), isLarge);
    const [next] = found;
    const isAll = texts.length === expectedLeft && otherTexts.length === receivedLeft;
    const isEnd = withEnds && (isAll || next === undefined);
    const used = isEnd ? found : found.filter((pair) => pair.expected < usedTexts && pair.received < usedOthers);
    const all = addJoined(used, isEnd ? texts : texts.slice(0, usedTexts), otherTexts);
    const further = findFurtherPieces(all, texts, otherTexts);
    const last = all.at(-1);
    // No pair holds on to its texts.
    const pairs = all.map(({ alteration: _, ...pair }) => ({
      ...pair,
      expected: some[pair.expected] ?? 0,
      received: others[pair.received] ?? 0,
    }));
    const pieces = new Set(Array.from(further, (piece) => others[piece] ?? 0));
    if (last === undefined && next === undefined) {
      expectedDone += passedWindows * texts.length;
      receivedDone += passedWindows * otherTexts.length;
      passedWindows = Math.min(2 * passedWindows, MAX_PASSED_WINDOWS);
    } else {
      expectedDone = last === undefined ? (some[next?.expected ?? 0] ?? 0) : (some[last.expected] ?? 0) + 1;
      receivedDone =
        last === undefined ? (others[next?.received ?? 0] ?? 0) : (others[Math.max(last.received, ...further)] ?? 0) + 1;
      passedWindows = 1;
    }
    if (isEnd) {
      expectedDone = expected.length;
      receivedDone = received.length;
    }
    yield {
      pairs,
      pieces,
      expectedDone: Math.min(expectedDone, expected.length),
      receivedDone: Math.min(receivedDone, received.length),
    };
  }
}

/**
 * The indices of the records that are aligned next.
 *
 * @param withEnd one side has few left, which may belong to the end of the other one as well as to its beginning
 */
function indicesOf(from: number, length: number, withEnd: boolean): readonly number[] {
  const until = Math.min(from + ALIGNED, length);
  const first = Array.from({ length: until - from }, (_, index) => from + index);
  if (!withEnd) return first;
  const endFrom = Math.max(until, length - ALIGNED);
  return [...first, ...Array.from({ length: length - endFrom }, (_, index) => endFrom + index)];
}

/** The texts at some indices, up to a number of bytes; the first one in any case. */
function readTexts(indices: readonly number[], { textAt }: GapSide, maxBytes: number): readonly string[] {
  const texts: string[] = [];
  for (let left = maxBytes, index = 0; left > 0 && index < indices.length; index += 1) {
    const text = textAt(indices[index] ?? 0);
    texts.push(text);
    left -= text.length;
  }
  return texts;
}

/** The number of texts that are used: half of those that fill a window, since what belongs to the others may be behind it. */
function usedOf(texts: readonly string[], indices: readonly number[]): number {
  return texts.length === indices.length ? USED : Math.max(1, texts.length >>> 1);
}

function keepLikely(pairs: readonly LikelyPair[], records: number, isLarge: boolean): readonly LikelyPair[] {
  if (!isLarge || pairs.length >= PAIRED_SHARE * records) return pairs;
  return pairs.filter(({ alteration }) => alteration.isPiece);
}

/**
 * Pairs the missing records of a gap with the records that came in it, in order. If each one belongs to the one beside it, those are the
 * pairs; else the pairs whose number and likeness come to the most (an alignment by dynamic programming, in time of one number times the
 * other).
 *
 * @param expected byte strings
 */
function pairInOrder(
  expected: readonly string[],
  received: readonly string[],
  findAlteration: FindAlteration,
): readonly LikelyPair[] {
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
      alterations[row * width + column] = findAlteration(at(expected, row), at(received, column));
      const alone = Math.max(scoreAt(row + 1, column), scoreAt(row, column + 1));
      scores[row * width + column] = Math.max(alone, pairedScore(row, column));
    }
  }
  const pairs: LikelyPair[] = [];
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
): readonly LikelyPair[] | undefined {
  if (expected.length !== received.length) return undefined;
  const pairs: LikelyPair[] = [];
  for (const [index, text] of expected.entries()) {
    const alteration = findAlteration(text, at(received, index));
    if (alteration === undefined) return undefined;
    pairs.push({ expected: index, received: index, alteration });
  }
  return pairs;
}

/** Adds the missing records that stand on one line with a paired one: a pair for each. */
function addJoined(
  pairs: readonly LikelyPair[],
  expected: readonly string[],
  received: readonly string[],
): readonly LikelyPair[] {
  const all: LikelyPair[] = [];
  for (const [index, pair] of pairs.entries()) {
    const text = at(received, pair.received);
    const first = (all.at(-1)?.expected ?? -1) + 1;
    const last = (pairs[index + 1]?.expected ?? expected.length) - 1;
    const joins = (before: number): boolean => isJoined(at(expected, before), at(expected, before + 1), text);
    let from = pair.expected;
    while (from > first && joins(from - 1)) from -= 1;
    let until = pair.expected;
    while (until < last && joins(until)) until += 1;
    for (let record = from; record <= until; record += 1)
      all.push(from === until ? pair : joined(record, pair.received, from, until));
  }
  return all;
}

function joined(expected: number, received: number, from: number, until: number): LikelyPair {
  const how = `record ${String(expected - from + 1)} of ${String(until - from + 1)} on one line`;
  return { expected, received, how, alteration: { describe: () => how, likeness: 1, isPiece: true } };
}

/** The received records that are further pieces of a record that was cut, behind its beginning. */
function findFurtherPieces(
  pairs: readonly LikelyPair[],
  expected: readonly string[],
  received: readonly string[],
): ReadonlySet<number> {
  const pieces = new Set<number>();
  for (const [number, pair] of pairs.entries()) {
    let { cutAt } = pair.alteration;
    const whole = at(expected, pair.expected);
    const until = pairs[number + 1]?.received ?? received.length;
    for (let index = pair.received + 1; cutAt !== undefined && index < until; index += 1) {
      const piece = at(received, index);
      const isNext = piece !== '' && whole.startsWith(piece, cutAt);
      if (!isNext && (piece.length < MIN_PIECE_BYTES || !whole.includes(piece, cutAt))) continue;
      pieces.add(index);
      cutAt = isNext ? cutAt + piece.length : cutAt;
    }
  }
  return pieces;
}

/** A text at an index within bounds. */
function at(texts: readonly string[], index: number): string {
  return texts[index] ?? '';
}
