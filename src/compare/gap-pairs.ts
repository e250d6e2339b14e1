import { findPiece, isJoined, MIN_FRAGMENT_BYTES, type Alteration, type FindAlteration } from './alteration.js';

export interface GapSide {
  /** Where they wait, in order, and how many of them are to be decided. */
  readonly positions: Float64Array;
  readonly due: number;
  /** Gives the text of a record, a byte string; undefined for one that cannot belong to another. */
  readonly textAt: (position: number) => string | undefined;
}

/** The decided records of a gap, up to an index on each side. */
interface GapPart {
  readonly missingEnd: number;
  readonly cameEnd: number;
  /** The missing records that each altered one is, by positions: several where they came on one line, none for a further fragment. */
  readonly altered: ReadonlyMap<number, readonly number[]>;
}

/** The records of each side that are aligned at a time, and their bytes, unless a single record has more. */
const ALIGNED = 64;
const ALIGNED_BYTES = 1 << 18;

/** In a gap of this size records may resemble each other by chance: it counts where this share of them has a counterpart. */
const LARGE_GAP = 16;
const PAIRED_SHARE = 0.75;

/** The most records that are passed at once. While none resemble each other, twice as many are passed each time. */
const MAX_PASSED = 32 * ALIGNED;

/** The findings of a gap are given together, unless it holds more altered records than this. */
const MAX_PAIRS = 1 << 14;

interface GapRecord {
  /** Its index among the records that are aligned, and in the gap. */
  readonly index: number;
  readonly at: number;
  readonly position: number;
  readonly text: string;
}

interface AlteredPair {
  readonly sent: GapRecord;
  readonly came: GapRecord;
  readonly alteration: Alteration;
  readonly next: AlteredPair | undefined;
  readonly score: number;
}

/** Pairs the missing records of a gap with those that came in it, in order. @param isWhole false if more may follow */
export function* pairGap(missing: GapSide, came: GapSide, findAlteration: FindAlteration, isWhole: boolean): Generator<GapPart> {
  let [missingAt, cameAt, missingEnd, cameEnd] = [0, 0, 0, 0];
  let [isLarge, passed] = [false, ALIGNED];
  let altered = new Map<number, readonly number[]>();
  while (missingAt < missing.due || cameAt < came.due) {
    const received = readRecords(came, cameAt, isWhole);
    // Most gaps are of lost records alone, whose texts nobody needs.
    const sent = received.records.length === 0 ? received : readRecords(missing, missingAt, isWhole);
    const least = Math.min(sent.records.length, received.records.length);
    if (least === 0) break;
    isLarge ||= least >= LARGE_GAP;
    const isEnd = sent.isEnd && received.isEnd;
    const found = pairInOrder(sent.records, received.records, findAlteration);
    const isChance = isLarge && found.length < PAIRED_SHARE * least;
    const pairs = isChance ? found.filter(({ alteration }) => alteration.isFragment) : found;
    let joinedEnd = 0;
    // The records that belong to the last pairs may be further on.
    for (const [number, pair] of pairs.slice(0, isEnd ? pairs.length : Math.ceil(pairs.length / 2)).entries()) {
      const next = pairs[number + 1];
      const joined = findJoined(pair, sent.records.slice(joinedEnd, next?.sent.index));
      const fragments = findFurtherFragments(pair, received.records.slice(pair.came.index + 1, next?.came.index));
      for (const { position } of fragments) altered.set(position, []);
      const originals = joined.map(({ position }) => position);
      altered.set(pair.came.position, originals);
      const last = joined.at(-1) ?? pair.sent;
      joinedEnd = last.index + 1;
      missingEnd = missingAt = last.at + 1;
      cameEnd = cameAt = (fragments.at(-1) ?? pair.came).at + 1;
    }
    if (isEnd) break;
    if (altered.size >= MAX_PAIRS) {
      yield { missingEnd, cameEnd, altered };
      altered = new Map();
    }
    if (pairs.length > 0) {
      passed = ALIGNED;
      continue;
    }
    // The last few of one side may belong to the end of the other one as well as to its beginning.
    const most = sent.isEnd || received.isEnd ? Infinity : passed;
    const pass = (at: number, behind: number, { positions }: GapSide): number =>
      Math.max(behind, Math.min(at + most, positions.length - ALIGNED));
    if (!sent.isEnd) missingAt = pass(missingAt, sent.behind, missing);
    if (!received.isEnd) cameAt = pass(cameAt, received.behind, came);
    passed = Math.min(2 * passed, MAX_PASSED);
  }
  yield { missingEnd: Math.max(missingEnd, missing.due), cameEnd: Math.max(cameEnd, came.due), altered };
}

function readRecords({ positions, textAt }: GapSide, from: number, isWhole: boolean) {
  const records: GapRecord[] = [];
  let behind = from;
  for (let bytes = 0; behind < positions.length && records.length < ALIGNED && bytes < ALIGNED_BYTES; behind += 1) {
    const position = positions[behind] ?? 0;
    const text = textAt(position);
    if (text === undefined) continue;
    records.push({ index: records.length, at: behind, position, text });
    bytes += text.length;
  }
  return { records, behind, isEnd: isWhole && behind >= positions.length };
}

/** Pairs records in order: each with the one beside it if all belong together, else the most and likeliest pairs (dynamic programming). */
function pairInOrder(expected: readonly GapRecord[], received: readonly GapRecord[], findAlteration: FindAlteration) {
  const pairOf = (sent: GapRecord, came: GapRecord, next?: AlteredPair): AlteredPair | undefined => {
    const alteration = findAlteration(sent.text, came.text);
    return alteration && { sent, came, alteration, next, score: 1 + alteration.likeness + (next?.score ?? 0) };
  };
  if (expected.length === received.length) {
    const beside = received.flatMap((came, index) => {
      const sent = expected[index];
      return (sent && pairOf(sent, came)) ?? [];
    });
    if (beside.length === expected.length) return beside;
  }
  const backwards = received.toReversed();
  /** For each record that came, the best pairs of the records from there on, with the missing ones from the last row on. */
  let best: readonly (AlteredPair | undefined)[] = [];
  for (const sent of expected.toReversed()) {
    const row: (AlteredPair | undefined)[] = [];
    for (const [index, came] of backwards.entries())
      row.push(betterOf(pairOf(sent, came, best[index - 1]), betterOf(best[index], row[index - 1])));
    best = row;
  }
  const pairs: AlteredPair[] = [];
  for (let pair = best.at(-1); pair !== undefined; pair = pair.next) pairs.push(pair);
  return pairs;
}

function betterOf(first: AlteredPair | undefined, second: AlteredPair | undefined): AlteredPair | undefined {
  return (first?.score ?? 0) >= (second?.score ?? 0) ? first : second;
}

/** The missing records that stand on one line with that of a pair, itself included. @param expected those that may */
function findJoined({ sent, came, alteration }: AlteredPair, expected: readonly GapRecord[]): readonly GapRecord[] {
  const joins = (index: number): boolean =>
    alteration.isFragment && isJoined(expected[index]?.text ?? '', expected[index + 1]?.text ?? '', came.text);
  let first = expected.indexOf(sent);
  let end = first + 1;
  while (first > 0 && joins(first - 1)) first -= 1;
  while (end < expected.length && joins(end - 1)) end += 1;
  return expected.slice(first, end);
}

function findFurtherFragments({ sent, came }: AlteredPair, received: readonly GapRecord[]): readonly GapRecord[] {
  if (!sent.text.startsWith(came.text)) return [];
  let cutAt = came.text.length;
  return received.filter(({ text }) => {
    const isNext = text !== '' && sent.text.startsWith(text, cutAt);
    if (isNext) cutAt += text.length;
    return isNext || (text.length >= MIN_FRAGMENT_BYTES && findPiece(sent.text, text, cutAt) !== -1);
  });
}
