import { LF } from '../log/byte-string.js';
import { DeliveryOrder } from './delivery-order.js';
import type { Digest, DigestRecord } from './digest.js';
import { EditScriptFinder, SYNC_LENGTH, type Edit } from './edit-script.js';
import { equalLines } from './equal-stretch.js';
import { RecentlySent, REMEMBERED_RECORDS } from './recently-sent.js';
import { withoutInterchangeable } from './interchangeable.js';
import { LOOKAHEAD, type RecordWindow } from './record-window.js';
import type { Run, RunList } from './run-list.js';
import { slideEdits } from './slide-edits.js';
import { FAULTY, UNLIKE, Unmatched } from './unmatched.js';

/** The matcher's need before it can go on: more of one side, or room in its tables. */
type Need = 'expected' | 'received' | 'room';

/** At a difference, the records so near are looked at first. */
const NEAR = 64;

/** A place to go on is looked for again after so many records, at most. */
const MAX_STEPS = 1024;

/** So many steps may be taken to find an edit script for each record that is passed, and so many at the beginning. */
const STEPS_PER_RECORD = 64;
const FIRST_STEPS = 1 << 22;

/** A window that is cut off says little about what is at its end: so much of it is used. */
const USED_SHARE = 0.75;

/** A cut-off window is used if this share of it is common to both sides. */
const COMMON_SHARE = 0.25;

/** The questions of the matcher to those who know the texts. */
interface MatcherOptions {
  readonly digestRecord: DigestRecord;
  /** True if records with equal digests are equal; left out where they always are. */
  readonly isSame?: ((sent: Buffer, received: Buffer) => boolean) | undefined;
  /** The compared part of an expected record that has been passed, by its number; valid until the next call. */
  readonly readSent: (record: number) => Buffer;
  /** Reading that is not the same as what was compared, or takes long: expected records are remembered from the first one on. */
  readonly remembersAll: boolean;
  /** The compared part of a received record that waits. */
  readonly readReceived: (slot: number) => Buffer;
  /** Keeps the text of a received record that waits; it is the next one of the window. */
  readonly keepReceived: (slot: number) => void;
  readonly onReordered: (run: Run) => void;
}

/**
 * Finds for each received record the expected record that it is. In four ways, the fastest first:
 *
 * 1. Where both sides go on alike, bytes are compared, block by block.
 * 2. At a difference, the shortest edit script of up to 1,024 records on both sides says where they go on together.
 * 3. Where there is none, one side may be in a stretch that the other has passed (it was moved), or that has been delivered (it is
 *    repeated): it is followed as long as it goes on.
 * 4. Else both sides go on in step, and each record is looked for among those of the other side that wait, by digests.
 *
 * So records are counted as a multiset: a record is delivered if there is an equal one, wherever that is, up to a million lines away.
 */
export class RecordMatcher {
  readonly expected: RecordWindow;
  readonly received: RecordWindow;
  readonly unmatchedExpected: Unmatched;
  readonly unmatchedReceived: Unmatched;
  readonly order: DeliveryOrder;
  /** Records that were delivered with other bytes than they were sent with. */
  lossy = 0;
  readonly #recent = new RecentlySent();
  readonly #editScripts = new EditScriptFinder();
  /** Digests of expected records are being remembered. */
  #remembers: boolean;
  /** The first record from which on nothing has come to wait. */
  #quietSince = 0;
  readonly #options: MatcherOptions;
  readonly #digest: Digest = { low: 0, high: 0 };
  /** The last expected record that was delivered late, and its position among those that waited. */
  #lateRecord = -1;
  #latePosition = -1;
  /** The last received record that was there early, and its position. */
  #earlyRecord = -1;
  #earlyPosition = -1;
  #follows: 'late' | 'early' | undefined;
  #steps = 1;
  /** The steps spent on edit scripts so far. */
  #spent = 0;
  /** The gap behind the last run that is known to stay in place. */
  openGap = 0;
  #gapsFromExpected = 0;
  #gapsFromReceived = 0;

  constructor(expected: RecordWindow, received: RecordWindow, options: MatcherOptions) {
    this.expected = expected;
    this.received = received;
    this.order = new DeliveryOrder(options.onReordered);
    this.unmatchedExpected = new Unmatched(false);
    this.unmatchedReceived = new Unmatched(true);
    this.#options = options;
    this.#remembers = options.remembersAll;
  }

  /** Puts the digest of a record of the expected log that has been passed into `digest`. */
  readonly digestSent = (record: number, digest: Digest): void => {
    const bytes = this.#options.readSent(record);
    this.#options.digestRecord(bytes, 0, bytes.length, digest);
  };

  /** Goes through both sides; each time that it gives back control it needs something. Ends when both sides have. */
  *run(): Generator<Need> {
    const { expected, received } = this;
    for (;;) {
      if (this.unmatchedExpected.isNearlyFull || this.unmatchedReceived.isNearlyFull || this.order.isFull) yield 'room';
      if (expected.isEmpty && !expected.hasEnded) {
        yield 'expected';
      } else if (received.isEmpty && !received.hasEnded) {
        yield 'received';
      } else if (expected.isEmpty && received.isEmpty) {
        return;
      } else if (expected.isEmpty) {
        this.#passReceived();
      } else if (received.isEmpty) {
        this.#passExpected();
      } else if (!this.#passEqual() && !this.#followStretch()) {
        yield* this.#passDifference();
      }
    }
  }

  /** Gives up the tables, once all that waits has been settled. */
  forget(): void {
    this.unmatchedExpected.clear();
    this.unmatchedReceived.clear();
    this.#recent.restart(0);
  }

  /** Settles the order of all that has been delivered, and in which gap each waiting record stands. */
  settleOrder(): void {
    const order = this.order.settle(this.expected.record, this.received.record);
    const { kept } = order;
    for (const run of withoutInterchangeable(order, this)) this.#options.onReordered(run);
    this.#gapsFromExpected = this.#setGaps(this.unmatchedExpected, this.#gapsFromExpected, kept, (run) => run.expected);
    this.#gapsFromReceived = this.#setGaps(this.unmatchedReceived, this.#gapsFromReceived, kept, (run) => run.received);
    this.openGap += kept.length;
  }

  /** Says of the records that wait, from a position on, in which gap between runs they stand; gives the position behind the last one. */
  #setGaps(unmatched: Unmatched, from: number, kept: RunList, startOf: (run: Run) => number): number {
    let passed = 0;
    for (let position = Math.max(from, unmatched.first); position < unmatched.next; position += 1) {
      const slot = unmatched.slotOf(position);
      const record = unmatched.records[slot] ?? 0;
      for (let run = kept.at(passed); run !== undefined && startOf(run) < record; run = kept.at(passed)) passed += 1;
      unmatched.gaps[slot] = this.openGap + passed;
    }
    return unmatched.next;
  }

  /** Passes what is equal on both sides from here on; false if nothing is. */
  #passEqual(): boolean {
    const { expected } = this;
    const before = expected.record;
    while (!this.#canCompareBytes && this.#headsAreEqual()) this.#passPair();
    if (this.#canCompareBytes) this.#passEqualBytes();
    if (expected.record === before) return false;
    this.#follows = undefined;
    this.#steps = 1;
    this.#settleIfSure();
    return true;
  }

  /** All that is there can be compared without regard to records: nothing is known of any. */
  get #canCompareBytes(): boolean {
    const { expected, received } = this;
    const isKnown = expected.ahead > 0 || received.ahead > 0;
    return !isKnown && expected.isPlain && received.isPlain;
  }

  #headsAreEqual(): boolean {
    const { expected, received } = this;
    if (expected.lookAhead(1) === 0 || received.lookAhead(1) === 0 || !expected.equals(0, received, 0)) return false;
    return this.#isSame(expected.head, received.head);
  }

  #isSame(sent: Buffer, received: Buffer): boolean {
    return this.#options.isSame === undefined || sent.equals(received) || this.#options.isSame(sent, received);
  }

  /** Counts a record that is delivered with other bytes than it was sent with. */
  #noteBytes(sent: Buffer, received: Buffer): void {
    if (this.#options.isSame !== undefined && !sent.equals(received)) this.lossy += 1;
  }

  /** Passes a record that is the next one on both sides. */
  #passPair(): void {
    const { expected, received } = this;
    this.order.add(expected.record, received.record, 1);
    this.#noteBytes(expected.head, received.head);
    this.#noteDelivered();
    expected.advance();
    received.advance();
  }

  #passEqualBytes(): void {
    const { expected, received } = this;
    const { bytes, at } = expected;
    const length = Math.min(bytes.length - at, received.bytes.length - received.at);
    const end = at + equalLines(bytes, at, received.bytes, received.at, length);
    if (end === at) return;
    const isWatched = this.#isWatching;
    const record = expected.record;
    let records = 0;
    for (let start = at; start < end; records += 1) {
      const lf = bytes.indexOf(LF, start);
      if (isWatched) {
        this.#options.digestRecord(bytes, start, lf, this.#digest);
        this.#noteDigest(this.#digest, record + records);
      }
      start = lf + 1;
    }
    this.order.add(record, received.record, records);
    received.advanceTo(received.at + end - at, records);
    expected.advanceTo(end, records);
  }

  /** Expected records have to be made known, since something waits or may be repeated. */
  get #isWatching(): boolean {
    return this.#remembers || this.unmatchedExpected.size > 0 || this.unmatchedReceived.size > 0;
  }

  /** Notes that the next expected record has been delivered. */
  #noteDelivered(): void {
    if (!this.#isWatching) return;
    this.expected.lookAhead(1);
    this.expected.readDigest(0, this.#digest);
    this.#noteDigest(this.#digest, this.expected.record);
  }

  #noteDigest(digest: Digest, record: number): void {
    if (this.#remembers) this.#recent.add(digest);
    if (this.unmatchedExpected.size > 0) this.unmatchedExpected.moveToLastEqual(digest, record);
    if (this.unmatchedReceived.size > 0) this.#noteSentBefore(digest, record);
  }

  /** Received records that wait and equal one that was delivered came once more than they were sent. */
  #noteSentBefore(digest: Digest, record: number): void {
    const { equals } = this.unmatchedReceived;
    for (const slot of this.unmatchedReceived.equalTo(digest)) {
      if (equals[slot] !== UNLIKE) return;
      equals[slot] = record;
    }
  }

  /** Settles the order so far if what is yet to come cannot change it. */
  #settleIfSure(): void {
    const { expected, received, order } = this;
    const waiting = this.unmatchedExpected.size + this.unmatchedReceived.size;
    const run = order.runUpTo(expected.record, received.record);
    if (run > 0 && run >= waiting) this.settleOrder();
    const isQuiet = expected.record - this.#quietSince > REMEMBERED_RECORDS;
    if (isQuiet && !this.#options.remembersAll) this.#remembers = false;
  }

  /** Goes on in a stretch that one side has passed, record by record; false if it does not go on. */
  #followStretch(): boolean {
    const before = this.expected.record + this.received.record;
    if (this.#follows === 'late') {
      this.received.lookAhead(1);
      this.received.readDigest(0, this.#digest);
      const slot = this.unmatchedExpected.findSuccessor(this.#latePosition, this.#digest);
      if (slot !== -1 && this.#isSameAsReceived(slot)) this.#passLate(slot);
    } else if (this.#follows === 'early') {
      this.expected.lookAhead(1);
      this.expected.readDigest(0, this.#digest);
      const slot = this.unmatchedReceived.findSuccessor(this.#earlyPosition, this.#digest);
      if (slot !== -1 && this.#isSameAsExpected(slot)) this.#passEarly(slot);
    }
    return this.expected.record + this.received.record > before;
  }

  *#passDifference(): Generator<Need> {
    for (const size of [NEAR, LOOKAHEAD]) {
      yield* this.#fill(size);
      const edits = this.#findEdits(size);
      if (edits !== undefined) {
        this.#pass(edits);
        this.#follows = undefined;
        this.#steps = 1;
        return;
      }
    }
    if (this.#passRepeated()) return;
    for (let step = 0; step < this.#steps && !this.expected.isEmpty && !this.received.isEmpty; step += 1) {
      if (step > 0 && this.#headsAreEqual()) return;
      if (this.#passExpected() || this.#passReceived()) return;
    }
    this.#steps = Math.min(2 * this.#steps, MAX_STEPS);
  }

  /** Sees to it that so many records are there to be looked at on both sides. */
  *#fill(size: number): Generator<Need> {
    while (!this.expected.hasEnded && this.expected.lookAhead(size) < size) yield 'expected';
    while (!this.received.hasEnded && this.received.lookAhead(size) < size) yield 'received';
  }

  /** The way in which both sides go on together within so many records; undefined if they do not. */
  #findEdits(size: number): readonly Edit[] | undefined {
    const { expected, received } = this;
    const firstLength = expected.lookAhead(size);
    const secondLength = received.lookAhead(size);
    const firstEnds = expected.hasEnded && expected.lookAhead(size + 1) === firstLength;
    const secondEnds = received.hasEnded && received.lookAhead(size + 1) === secondLength;
    const equals = (first: number, second: number): boolean => expected.equals(first, received, second);
    const budget = FIRST_STEPS + STEPS_PER_RECORD * (expected.record + received.record);
    if (this.#spent > (size > NEAR ? budget / 2 : budget)) return undefined;
    if (size > NEAR && !this.#isWorthwhile(firstLength, secondLength)) return undefined;
    const maxEdits = firstEnds && secondEnds ? firstLength + secondLength : size;
    const script = this.#editScripts.find({ firstLength, secondLength, firstEnds, secondEnds, equals }, maxEdits);
    this.#spent += (script?.edits.length ?? maxEdits) ** 2 / 2;
    if (script === undefined) return undefined;
    const { common, isSure } = script;
    if (!isSure && (size < LOOKAHEAD || common < Math.max(1, COMMON_SHARE * Math.min(firstLength, secondLength))))
      return undefined;
    const edits = slideEdits(
      script.edits,
      (place, other) => expected.equals(place, expected, other),
      (place, other) => received.equals(place, received, other),
    );
    return isSure ? edits : usedPart(edits, USED_SHARE * firstLength, USED_SHARE * secondLength);
  }

  /** True if both windows have enough records in common. */
  #isWorthwhile(firstLength: number, secondLength: number): boolean {
    const { expected, received } = this;
    if (firstLength < LOOKAHEAD || secondLength < LOOKAHEAD) return true;
    const lows = new Set<number>();
    for (let ahead = 0; ahead < firstLength; ahead += 1) {
      expected.readDigest(ahead, this.#digest);
      lows.add(this.#digest.low);
    }
    let common = 0;
    for (let ahead = 0; ahead < secondLength && common < SYNC_LENGTH; ahead += 1) {
      received.readDigest(ahead, this.#digest);
      if (lows.has(this.#digest.low)) common += 1;
    }
    return common >= SYNC_LENGTH;
  }

  #pass(edits: readonly Edit[]): void {
    for (const { removed, inserted, common } of edits) {
      for (let count = 0; count < removed; count += 1) this.#passExpected();
      for (let count = 0; count < inserted; count += 1) this.#passReceived();
      for (let count = 0; count < common; count += 1) {
        if (this.#headsAreEqual()) {
          this.#passPair();
        } else {
          this.#passExpected();
          this.#passReceived();
        }
      }
    }
    this.#settleIfSure();
  }

  /** Passes received records that repeat a stretch which has been delivered, as long as they do; false if they do not. */
  #passRepeated(): boolean {
    const { received } = this;
    this.#remember();
    received.lookAhead(2);
    received.readDigest(0, this.#digest);
    if (this.unmatchedExpected.find(this.#digest, -1) !== -1) return false;
    let number = this.#recent.find(this.#digest);
    if (number === -1 || received.lookAhead(2) < 2) return false;
    received.readDigest(1, this.#digest);
    if (!this.#recent.isAt(number + 1, this.#digest)) return false;
    for (let passed = 0; passed < LOOKAHEAD && !received.isEmpty; passed += 1) {
      received.lookAhead(1);
      received.readDigest(0, this.#digest);
      if (!this.#recent.isAt(number, this.#digest) || this.#headsAreEqual()) break;
      this.#passReceived();
      number += 1;
    }
    return true;
  }

  /** Passes the next expected record by itself; true if it was received before. */
  #passExpected(): boolean {
    const { expected } = this;
    expected.lookAhead(1);
    expected.readDigest(0, this.#digest);
    const slot = this.#findReceived();
    if (slot !== -1) {
      this.#passEarly(slot);
      return true;
    }
    this.#follows = undefined;
    if (this.#remembers) this.#recent.add(this.#digest);
    this.unmatchedExpected.add(expected.record, this.#digest);
    this.#quietSince = expected.record;
    expected.advance();
    return false;
  }

  /** Passes the next received record by itself; true if it was expected before. */
  #passReceived(): boolean {
    const { received } = this;
    received.lookAhead(1);
    received.readDigest(0, this.#digest);
    const slot = this.#findExpected();
    if (slot !== -1) {
      this.#passLate(slot);
      return true;
    }
    this.#follows = undefined;
    this.#remember();
    const added = this.unmatchedReceived.add(received.record, this.#digest);
    const sentBefore = this.#recent.find(this.#digest);
    this.unmatchedReceived.equals[added] = received.mark?.fault !== undefined ? FAULTY : sentBefore === -1 ? UNLIKE : sentBefore;
    this.#options.keepReceived(added);
    this.#quietSince = this.expected.record;
    received.advance();
    return false;
  }

  /** The slot of a received record that waits and equals the next expected one, whose digest has been read; -1 for none. */
  #findReceived(): number {
    if (this.unmatchedReceived.size === 0) return -1;
    const slot = this.unmatchedReceived.find(this.#digest, this.#earlyRecord);
    if (slot === -1 || this.#isSameAsExpected(slot)) return slot;
    return this.unmatchedReceived.equalTo(this.#digest).find((other) => this.#isSameAsExpected(other)) ?? -1;
  }

  /** The slot of an expected record that waits and equals the next received one, whose digest has been read; -1 for none. */
  #findExpected(): number {
    if (this.unmatchedExpected.size === 0) return -1;
    const slot = this.unmatchedExpected.find(this.#digest, this.#lateRecord);
    if (slot === -1 || this.#isSameAsReceived(slot)) return slot;
    return this.unmatchedExpected.equalTo(this.#digest).find((other) => this.#isSameAsReceived(other)) ?? -1;
  }

  #isSameAsExpected(slot: number): boolean {
    return this.#options.isSame === undefined || this.#isSame(this.expected.head, this.#options.readReceived(slot));
  }

  #isSameAsReceived(slot: number): boolean {
    if (this.#options.isSame === undefined) return true;
    return this.#isSame(this.#options.readSent(this.unmatchedExpected.records[slot] ?? 0), this.received.head);
  }

  /** The next received record is an expected one that was passed. */
  #passLate(slot: number): void {
    const { unmatchedExpected, received } = this;
    this.#lateRecord = unmatchedExpected.records[slot] ?? 0;
    this.#latePosition = unmatchedExpected.positionOf(slot);
    this.#follows = 'late';
    if (this.#options.isSame !== undefined) this.#noteBytes(this.#options.readSent(this.#lateRecord), received.head);
    this.order.add(this.#lateRecord, received.record, 1);
    unmatchedExpected.removeEqual(slot, this.#digest);
    this.#quietSince = this.expected.record;
    received.advance();
  }

  /** The next expected record is a received one that was passed. */
  #passEarly(slot: number): void {
    const { unmatchedReceived, expected } = this;
    this.#earlyRecord = unmatchedReceived.records[slot] ?? 0;
    this.#earlyPosition = unmatchedReceived.positionOf(slot);
    this.#follows = 'early';
    if (this.#options.isSame !== undefined) this.#noteBytes(expected.head, this.#options.readReceived(slot));
    this.order.add(expected.record, this.#earlyRecord, 1);
    unmatchedReceived.remove(slot);
    this.#noteDelivered();
    expected.advance();
  }

  /** Begins to remember expected records, with those of the last million that have been passed already. */
  #remember(): void {
    if (this.#remembers) return;
    const { record } = this.expected;
    const from = Math.max(0, record - REMEMBERED_RECORDS);
    const digest: Digest = { low: 0, high: 0 };
    this.#recent.restart(from);
    for (let passed = from; passed < record; passed += 1) {
      this.digestSent(passed, digest);
      this.#recent.add(digest);
    }
    this.#remembers = true;
  }
}

/** As much of an edit script as does not go beyond a place in either sequence. */
function usedPart(edits: readonly Edit[], firstUntil: number, secondUntil: number): readonly Edit[] {
  let first = 0;
  let second = 0;
  const used: Edit[] = [];
  for (const edit of edits) {
    if (first >= firstUntil || second >= secondUntil) break;
    used.push(edit);
    first += edit.removed + edit.common;
    second += edit.inserted + edit.common;
  }
  return used;
}
