import { isJoined, MIN_FRAGMENT_BYTES, type Alteration, type FindAlteration } from './alteration.js';
import type { Ring } from './ring.js';

/** The records of one side that wait in a gap. */
export interface GapSide {
  readonly ring: Ring;
  /** The position of the first one, and that behind the last one that is there. */
  readonly from: number;
  readonly end: number;
  /** Records before this position are to be decided. */
  readonly due: number;
  /** Gives the text of a record, a byte string; undefined for one that cannot belong to another. */
  readonly textAt: (position: number) => string | undefined;
}

/** The missing record that a received one was made of. */
export interface Original {
  readonly position: number;
  /** Says how, in words that are safe for a terminal; undefined where `findAlteration` says it. Most pairs are never reported. */
  readonly how?: string | undefined;
}

/** The next part of a gap: the records before a position on each side. */
interface GapPart {
  readonly missingEnd: number;
  readonly cameEnd: number;
  /** The originals of received records, by their positions. A further fragment of a record that is paired has none. */
  readonly originals: ReadonlyMap<number, readonly Original[]>;
}

/** The records of each side that are aligned at a time. */
const ALIGNED = 64;

/** The bytes of each side that are aligned at a time, unless a single record has more: the time grows with records times bytes. */
const ALIGNED_BYTES = 1 << 18;

/** From this size on, records of a gap may resemble each other by chance. */
const LARGE_GAP = 16;

/** In a large gap resemblance counts where this share of the records has a counterpart. */
const PAIRED_SHARE = 0.75;

/** The most records that are passed at once. While none resemble each other, twice as many are passed each time. */
const MAX_PASSED = 32 * ALIGNED;

/** The findings of a gap are given together, unless it holds more altered records than this. */
const MAX_PAIRS = 1 << 14;

/** A record that waits in a gap. */
interface GapRecord {
  readonly position: number;
  /** A byte string. */
  readonly text: string;
}

/** A received record and the missing one that it was made of, by their indices among those that are aligned. */
interface AlteredPair {
  readonly expected: number;
  readonly received: number;
  readonly alteration: Alteration;
  readonly how?: string;
}

/**
 * Pairs the missing records of a gap with those that came in it, in order: received records that are missing ones altered.
 *
 * In a large gap, which is of unlike logs or of a change to every line, two records that are not a fragment of one another are a pair only
 * where three quarters of those around them are.
 *
 * @param isWhole true if all records of the gap are there; else more may follow
 */
export function* pairGap(missing: GapSide, came: GapSide, findAlteration: FindAlteration, isWhole: boolean): Generator<GapPart> {
  let [missingAt, cameAt] = [missing.from, came.from];
  let [missingEnd, cameEnd] = [missing.from, came.from];
  let originals = new Map<number, readonly Original[]>();
  let isLarge = false;
  let passed = ALIGNED;
  while (missingAt < missing.due || cameAt < came.due) {
    const { records: received, behind: behindReceived } = readRecords(came, cameAt);
    // Most gaps are of lost records alone, whose texts nobody needs.
    if (received.length === 0) break;
    const { records: sent, behind: behindSent } = readRecords(missing, missingAt);
    if (sent.length === 0) break;
    isLarge ||= Math.min(sent.length, received.length) >= LARGE_GAP;
    const [isSentEnd, isReceivedEnd] = [isWhole && behindSent >= missing.end, isWhole && behindReceived >= came.end];
    const found = pairInOrder(sent, received, findAlteration, isLarge);
    if (found.length > 0) {
      // The records that belong to the last pairs may be further on.
      const used = isSentEnd && isReceivedEnd ? found : found.slice(0, Math.ceil(found.length / 2));
      const next = found[used.length];
      const pairs = addJoined(used, sent.slice(0, next?.expected), received);
      const fragments = findFurtherFragments(pairs, sent, received.slice(0, next?.received));
      for (const { expected, received: fragment, how } of pairs) {
        [missingAt, cameAt] = [positionOf(sent[expected]), positionOf(received[fragment])];
        originals.set(cameAt, [...(originals.get(cameAt) ?? []), { position: missingAt, how }]);
      }
      for (const fragment of fragments) originals.set(positionOf(received[fragment]), []);
      missingEnd = missingAt += 1;
      cameEnd = cameAt = 1 + Math.max(cameAt, ...Array.from(fragments, (fragment) => positionOf(received[fragment])));
      passed = ALIGNED;
    } else {
      // The last few of one side may belong to the end of the other one as well as to its beginning.
      const positions = isSentEnd || isReceivedEnd ? Infinity : passed;
      if (!isSentEnd) missingAt = passRecords(missingAt, positions, behindSent, missing.end);
      if (!isReceivedEnd) cameAt = passRecords(cameAt, positions, behindReceived, came.end);
      passed = Math.min(2 * passed, MAX_PASSED);
    }
    if (isSentEnd && isReceivedEnd) break;
    if (originals.size < MAX_PAIRS) continue;
    yield { missingEnd, cameEnd, originals };
    originals = new Map();
  }
  yield { missingEnd: Math.max(missingEnd, missing.due), cameEnd: Math.max(cameEnd, came.due), originals };
}

/** Reads the records that are aligned next, from a position on. */
function readRecords(
  { ring, end, textAt }: GapSide,
  from: number,
): { readonly records: readonly GapRecord[]; readonly behind: number } {
  const records: GapRecord[] = [];
  let behind = ring.nextWaiting(from);
  for (let bytes = 0; behind < end && records.length < ALIGNED && bytes < ALIGNED_BYTES; behind = ring.nextWaiting(behind + 1)) {
    const text = textAt(behind);
    if (text === undefined) continue;
    records.push({ position: behind, text });
    bytes += text.length;
  }
  return { records, behind };
}

/** The position behind records that were read, or further on, but so that those at the end of the gap are read. */
function passRecords(from: number, positions: number, behind: number, end: number): number {
  return Math.max(behind, Math.min(from + positions, end - ALIGNED));
}

/**
 * Pairs missing records with records that came, in order. If each one belongs to the one beside it, those are the pairs; else the pairs
 * whose number and likeness come to the most (an alignment by dynamic programming, in time of one number times the other).
 *
 * @param isLarge true if records that merely resemble each other are pairs only where most are
 */
function pairInOrder(
  expected: readonly GapRecord[],
  received: readonly GapRecord[],
  findAlteration: FindAlteration,
  isLarge: boolean,
): readonly AlteredPair[] {
  const pairOf = (row: number, column: number): AlteredPair | undefined => {
    const alteration = findAlteration(textOf(expected[row]), textOf(received[column]));
    return alteration && { expected: row, received: column, alteration };
  };
  if (expected.length === received.length) {
    const beside = expected.flatMap((_, index) => pairOf(index, index) ?? []);
    if (beside.length === expected.length) return beside;
  }
  const width = received.length + 1;
  /** The pairs that are as good as any others of the records from a row and from a column on, and the most that such come to. */
  const best: (AlteredPair | undefined)[] = [];
  const scores = new Float64Array((expected.length + 1) * width);
  const scoreAt = (row: number, column: number): number => scores[row * width + column] ?? 0;
  for (let row = expected.length - 1; row >= 0; row -= 1) {
    for (let column = received.length - 1; column >= 0; column -= 1) {
      const pair = pairOf(row, column);
      const paired = pair === undefined ? 0 : 1 + pair.alteration.likeness + scoreAt(row + 1, column + 1);
      const alone = Math.max(scoreAt(row + 1, column), scoreAt(row, column + 1));
      if (paired >= alone) best[row * width + column] = pair;
      scores[row * width + column] = Math.max(paired, alone);
    }
  }
  const pairs: AlteredPair[] = [];
  for (let row = 0, column = 0; row < expected.length && column < received.length;) {
    const pair = best[row * width + column];
    if (pair !== undefined) pairs.push(pair);
    const isAlone = pair === undefined && scoreAt(row + 1, column) === scoreAt(row, column);
    if (pair !== undefined || isAlone) row += 1;
    if (!isAlone) column += 1;
  }
  const isLikely = !isLarge || pairs.length >= PAIRED_SHARE * Math.min(expected.length, received.length);
  return isLikely ? pairs : pairs.filter(({ alteration }) => alteration.isFragment);
}

/** Adds the missing records that stand on one line with a paired one: a pair for each. */
function addJoined(
  pairs: readonly AlteredPair[],
  expected: readonly GapRecord[],
  received: readonly GapRecord[],
): readonly AlteredPair[] {
  const all: AlteredPair[] = [];
  for (const [index, pair] of pairs.entries()) {
    const text = textOf(received[pair.received]);
    const joins = (before: number): boolean =>
      pair.alteration.isFragment && isJoined(textOf(expected[before]), textOf(expected[before + 1]), text);
    const first = (all.at(-1)?.expected ?? -1) + 1;
    const last = (pairs[index + 1]?.expected ?? expected.length) - 1;
    let [from, until] = [pair.expected, pair.expected];
    while (from > first && joins(from - 1)) from -= 1;
    while (until < last && joins(until)) until += 1;
    const how = (record: number): string => `record ${String(record - from + 1)} of ${String(until - from + 1)} on one line`;
    if (from === until) all.push(pair);
    else for (let record = from; record <= until; record += 1) all.push({ ...pair, expected: record, how: how(record) });
  }
  return all;
}

/** The received records that are further fragments of a record that was cut, behind its beginning. */
function findFurtherFragments(
  pairs: readonly AlteredPair[],
  expected: readonly GapRecord[],
  received: readonly GapRecord[],
): ReadonlySet<number> {
  const fragments = new Set<number>();
  for (const [number, pair] of pairs.entries()) {
    let { cutAt } = pair.alteration;
    const whole = textOf(expected[pair.expected]);
    const until = pairs[number + 1]?.received ?? received.length;
    for (let index = pair.received + 1; cutAt !== undefined && index < until; index += 1) {
      const fragment = textOf(received[index]);
      const isNext = fragment !== '' && whole.startsWith(fragment, cutAt);
      if (!isNext && (fragment.length < MIN_FRAGMENT_BYTES || !whole.includes(fragment, cutAt))) continue;
      fragments.add(index);
      cutAt = isNext ? cutAt + fragment.length : cutAt;
    }
  }
  return fragments;
}

function textOf(record: GapRecord | undefined): string {
  return record?.text ?? '';
}

function positionOf(record: GapRecord | undefined): number {
  return record?.position ?? 0;
}
