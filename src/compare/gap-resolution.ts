import { addJoined, findFurtherPieces, pairInOrder, type AlteredPair, type FindAlteration } from './gap-pairs.js';

/** Records of one side in a gap, in order; their texts are read when they are needed. */
interface GapSide {
  readonly length: number;
  /** A byte string. */
  readonly textAt: (index: number) => string;
}

/** The records of a gap that belong together. */
export interface GapResolution {
  readonly pairs: readonly AlteredPair[];
  /** Received records that are further pieces of a paired one. */
  readonly pieces: ReadonlySet<number>;
  /** So many records of each side are decided. */
  readonly expectedDone: number;
  readonly receivedDone: number;
}

/** So many records of each side are aligned at a time; in a larger gap one half of them is used, since the rest may belong further on. */
const ALIGNED = 64;
const USED = ALIGNED / 2;

/** From here on a gap is large: records of it may resemble each other by chance. */
const LARGE_GAP = 16;

/** In a large gap resemblance counts where so many records have a counterpart. */
const PAIRED_SHARE = 0.75;

/** In a gap where no records resemble each other, not each one is looked at: twice as many are passed each time, up to this many. */
const MAX_PASSED = 32 * ALIGNED;

/**
 * Finds which received records are missing ones that were altered. Both stand in the same gap between delivered records, and they are
 * paired in order.
 *
 * In a large gap, which is of unlike logs or of a change to every line, two records that are not a piece of one another are a pair only
 * where three quarters of those around them are.
 *
 * @param isWhole the gap is known to its end; else only the first half of it is decided, so that no pair is cut
 */
export function resolveGap(
  expected: GapSide,
  received: GapSide,
  findAlteration: FindAlteration,
  isWhole: boolean,
): GapResolution {
  const pairs: AlteredPair[] = [];
  const pieces = new Set<number>();
  const isLarge = Math.min(expected.length, received.length) >= LARGE_GAP;
  let expectedDone = 0;
  let receivedDone = 0;
  let passed = ALIGNED;
  const isDecided = (done: number, length: number): boolean => (isWhole ? done >= length : 2 * done >= length);
  while (!isDecided(expectedDone, expected.length) && !isDecided(receivedDone, received.length)) {
    const expectedLeft = expected.length - expectedDone;
    const receivedLeft = received.length - receivedDone;
    const withEnds = isWhole && Math.min(expectedLeft, receivedLeft) <= ALIGNED;
    const some = indicesOf(expectedDone, expected.length, withEnds);
    const others = indicesOf(receivedDone, received.length, withEnds);
    const texts = some.map(expected.textAt);
    const otherTexts = others.map(received.textAt);
    const found = keepLikely(pairInOrder(texts, otherTexts, findAlteration), Math.min(some.length, others.length), isLarge);
    const [next] = found;
    const isAll = some.length === expectedLeft && others.length === receivedLeft;
    const isEnd = withEnds && (isAll || next === undefined);
    const used = isEnd ? found : found.filter((pair) => pair.expected < USED && pair.received < USED);
    const all = addJoined(used, isEnd ? texts : texts.slice(0, USED), otherTexts);
    const further = findFurtherPieces(all, texts, otherTexts);
    for (const pair of all) {
      pairs.push({ ...pair, expected: some[pair.expected] ?? 0, received: others[pair.received] ?? 0 });
    }
    for (const piece of further) pieces.add(others[piece] ?? 0);
    if (isEnd) break;
    const last = all.at(-1);
    if (last !== undefined) {
      expectedDone += last.expected + 1;
      receivedDone = (others[Math.max(last.received, ...further)] ?? 0) + 1;
      passed = ALIGNED;
    } else if (next !== undefined) {
      expectedDone = some[next.expected] ?? 0;
      receivedDone = others[next.received] ?? 0;
      passed = ALIGNED;
    } else {
      expectedDone += passed;
      receivedDone += passed;
      passed = Math.min(2 * passed, MAX_PASSED);
    }
  }
  if (isWhole) return { pairs, pieces, expectedDone: expected.length, receivedDone: received.length };
  return {
    pairs,
    pieces,
    expectedDone: Math.min(expectedDone, expected.length),
    receivedDone: Math.min(receivedDone, received.length),
  };
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

function keepLikely(pairs: readonly AlteredPair[], records: number, isLarge: boolean): readonly AlteredPair[] {
  if (!isLarge || pairs.length >= PAIRED_SHARE * records) return pairs;
  return pairs.filter(({ alteration }) => alteration.isPiece);
}
