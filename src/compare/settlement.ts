import type { FindingCounts } from '../findings/finding-counts.js';
import type { Alteration } from './alteration.js';
import type { FindAlteration } from './gap-pairs.js';
import { resolveGap, type GapResolution } from './gap-resolution.js';
import { BATCH_FINDINGS, HeldFindings } from './held-findings.js';
import type { ComparisonFinding, FindingKind } from './kinds.js';
import { ReorderedRuns } from './reordered-runs.js';
import { RepeatedPieces } from './repeated-pieces.js';
import type { ReceivedTexts } from './received-texts.js';
import type { GapNumbers } from './gap-numbers.js';
import type { RecordPasser } from './record-passer.js';
import type { Run } from './run-list.js';
import { FAULTY, UNLIKE } from './unmatched.js';

/** A place in an input, and what stands there. */
interface Located {
  readonly source: string;
  readonly line: number;
}

interface SettlementOptions {
  readonly counts: FindingCounts<FindingKind>;
  /** No more findings of either side are given; all are counted. */
  readonly max: number;
  readonly findAlteration: FindAlteration;
  readonly receivedTexts: ReceivedTexts;
  /** The place and the text of a record of the expected log, by its number. */
  readonly placeSent: (record: number) => Located;
  readonly textSent: (record: number) => string;
  readonly placeReceived: (record: number) => Located;
  /** Called with the line of each record of the expected log that was not delivered as it is. */
  readonly onLost: (line: number) => void;
}

/**
 * Decides what became of the records that wait, gap by gap, and gives the findings: missing records as they are known, in the order of
 * the expected log, and at the end those at received lines, in the order of those.
 */
export class Settlement {
  readonly #passer: RecordPasser;
  readonly #gaps: GapNumbers;
  readonly #options: SettlementOptions;
  readonly #held: HeldFindings;
  /** Missing records that are not given yet, in order if that is known: one before them may be found missing. */
  #missing: number[] = [];
  #isSorted = true;
  #shownMissing = 0;
  readonly #reordered = new ReorderedRuns();
  readonly #repeated: RepeatedPieces;

  constructor(passer: RecordPasser, gaps: GapNumbers, options: SettlementOptions) {
    this.#passer = passer;
    this.#gaps = gaps;
    this.#options = options;
    this.#held = new HeldFindings(options.max);
    this.#repeated = new RepeatedPieces(passer, options);
  }

  addReordered(run: Run): void {
    this.#reordered.add(run);
  }

  /** Makes room in the matcher's tables: decides at least half of the records in one that is full. */
  *makeRoom(): Generator<readonly ComparisonFinding[]> {
    const { unmatchedExpected, unmatchedReceived } = this.#passer;
    this.#gaps.settleOrder();
    while (unmatchedExpected.isHalfFull || unmatchedReceived.isHalfFull) {
      this.#settleGap(false);
      yield* this.#giveMissing(unmatchedExpected.oldestRecord);
    }
    this.#holdReordered(unmatchedReceived.oldestRecord);
  }

  /** Decides all that is left. */
  *end(): Generator<readonly ComparisonFinding[]> {
    const { unmatchedExpected, unmatchedReceived } = this.#passer;
    this.#gaps.settleOrder();
    while (unmatchedExpected.size > 0 || unmatchedReceived.size > 0) {
      this.#settleGap(true);
      yield* this.#giveMissing(unmatchedExpected.oldestRecord);
    }
    yield* this.#giveMissing(Infinity);
    this.#holdReordered(Infinity);
    yield* this.#held.take();
  }

  close(): void {
    this.#held.close();
  }

  /** Decides the first gap in which records wait; of the last one, if more may come in it, only as much as must be. */
  #settleGap(isEnd: boolean): void {
    const { unmatchedExpected, unmatchedReceived } = this.#passer;
    const { openGap } = this.#gaps;
    const { receivedTexts, findAlteration, textSent } = this.#options;
    const gap = Math.min(unmatchedExpected.firstGap, unmatchedReceived.firstGap);
    const expected = unmatchedExpected.slotsIn(gap);
    const received = unmatchedReceived.slotsIn(gap);
    const unlike = unlikeOf(received, unmatchedReceived.equals);
    const isWhole = isEnd || gap < openGap;
    const resolution = resolveGap(
      { length: expected.length, textAt: (index) => textSent(unmatchedExpected.records[expected[index] ?? 0] ?? 0) },
      { length: unlike.length, textAt: (index) => receivedTexts.compared(unlike[index] ?? 0).toString('latin1') },
      findAlteration,
      isWhole,
    );
    const expectedDone = unmatchedExpected.isHalfFull
      ? Math.max(resolution.expectedDone, expected.length >>> 1)
      : resolution.expectedDone;
    const receivedLeft = unlike[resolution.receivedDone];
    const decided = receivedLeft === undefined ? received.length : received.indexOf(receivedLeft);
    const receivedDone = unmatchedReceived.isHalfFull ? Math.max(decided, received.length >>> 1) : decided;
    this.#settleReceived(isWhole ? received : received.slice(0, receivedDone), unlike, expected, resolution);
    this.#settleExpected(isWhole ? expected : expected.slice(0, expectedDone));
  }

  #settleReceived(slots: Int32Array, unlike: Int32Array, expected: Int32Array, resolution: GapResolution): void {
    const { unmatchedReceived } = this.#passer;
    let index = 0;
    let paired = 0;
    for (const slot of slots) {
      this.#holdReordered(unmatchedReceived.records[slot] ?? 0);
      if (slot !== unlike[index]) {
        this.#settleKnown(slot);
        unmatchedReceived.remove(slot);
        continue;
      }
      const before = paired;
      for (let pair = resolution.pairs[paired]; pair?.received === index; pair = resolution.pairs[paired]) {
        this.#settleAltered(slot, expected[pair.expected] ?? 0, pair.alteration);
        paired += 1;
      }
      if (paired === before && !resolution.pieces.has(index)) this.#settleUnlike(slot);
      unmatchedReceived.remove(slot);
      index += 1;
    }
  }

  /** A record that was delivered before, or a line that cannot be a record. */
  #settleKnown(slot: number): void {
    const { equals, records } = this.#passer.unmatchedReceived;
    const sent = equals[slot] ?? 0;
    if (sent === FAULTY) {
      this.#hold('foreign', slot, () => ({ how: this.#options.receivedTexts.faultOf(slot) }));
      return;
    }
    this.#repeated.add(records[slot] ?? 0, sent);
    this.#hold('duplicated', slot);
  }

  #settleAltered(slot: number, expectedSlot: number, { describe }: Alteration): void {
    const { unmatchedExpected } = this.#passer;
    const { placeSent, textSent, onLost } = this.#options;
    const record = unmatchedExpected.records[expectedSlot] ?? 0;
    const { line } = placeSent(record);
    this.#hold('altered', slot, () => ({ how: describe(), expectedLine: line, expectedText: textSent(record) }));
    unmatchedExpected.removeAltered(expectedSlot);
    onLost(line);
  }

  #settleUnlike(slot: number): void {
    this.#hold(this.#repeated.isPiece(slot) ? 'duplicated' : 'foreign', slot);
  }

  /** The rest of the expected records is missing. */
  #settleExpected(slots: Int32Array): void {
    const { unmatchedExpected } = this.#passer;
    for (const slot of slots) {
      if (!unmatchedExpected.isWaiting(slot)) continue;
      const record = unmatchedExpected.equals[slot] ?? 0;
      if (record < (this.#missing.at(-1) ?? 0)) this.#isSorted = false;
      this.#missing.push(record);
      unmatchedExpected.remove(slot);
    }
  }

  /** Gives the missing records before a record of the expected log: no other will be found before it. */
  *#giveMissing(before: number): Generator<readonly ComparisonFinding[]> {
    const { counts, placeSent, textSent, onLost, max } = this.#options;
    if (!this.#isSorted) this.#missing.sort((one, other) => one - other);
    this.#isSorted = true;
    let given = 0;
    let batch: ComparisonFinding[] = [];
    for (const record of this.#missing) {
      if (record >= before) break;
      given += 1;
      const place = placeSent(record);
      counts.add('missing');
      onLost(place.line);
      if (counts.isAllowed('missing') || this.#shownMissing >= max) continue;
      this.#shownMissing += 1;
      batch.push({ kind: 'missing', ...place, text: textSent(record) });
      if (batch.length < BATCH_FINDINGS) continue;
      yield batch;
      batch = [];
    }
    this.#missing = this.#missing.slice(given);
    if (batch.length > 0) yield batch;
  }

  /** Counts a finding at a received line, and holds it until the end. `more` is not called unless the finding is held. */
  #hold(kind: FindingKind, slot: number, more?: () => Partial<ComparisonFinding>): void {
    const { counts, placeReceived, receivedTexts } = this.#options;
    counts.add(kind);
    if (counts.isAllowed(kind) || this.#held.isFull) return;
    const place = placeReceived(this.#passer.unmatchedReceived.records[slot] ?? 0);
    this.#held.add({ kind, ...place, text: receivedTexts.shown(slot), ...more?.() });
  }

  /** Holds the findings of records out of order that came before a received record. */
  #holdReordered(before: number): void {
    const { counts, placeReceived, textSent } = this.#options;
    for (const { expected, received, length } of this.#reordered.takeBefore(before)) {
      for (let index = 0; index < length; index += 1) {
        counts.add('reordered');
        if (counts.isAllowed('reordered') || this.#held.isFull) continue;
        this.#held.add({ kind: 'reordered', ...placeReceived(received + index), text: textSent(expected + index) });
      }
    }
  }
}

/** The slots of records that equal none. `filter` would keep them in an array of JavaScript first: ten times the memory. */
function unlikeOf(slots: Int32Array, equals: Float64Array): Int32Array {
  const unlike = new Int32Array(slots.length);
  let count = 0;
  for (const slot of slots) {
    if (equals[slot] !== UNLIKE) continue;
    unlike[count] = slot;
    count += 1;
  }
  return unlike.subarray(0, count);
}
