import type { Digest } from './digest.js';
import type { Edit } from './edit-script.js';
import { EditSearch, NEAR } from './edit-search.js';
import type { GapNumbers } from './gap-numbers.js';
import type { RecordPasser } from './record-passer.js';
import { LOOKAHEAD, type RecordWindow } from './record-window.js';

/** The matcher's need before it can go on: more of one side, or room in its tables. */
type Need = 'expected' | 'received' | 'room';

/** A place to go on is looked for again after so many records, at most. */
const MAX_STEPS = 1024;

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
  readonly #expected: RecordWindow;
  readonly #received: RecordWindow;
  readonly #passer: RecordPasser;
  readonly #gaps: GapNumbers;
  readonly #search: EditSearch;
  readonly #digest: Digest = { low: 0, high: 0 };
  #steps = 1;

  constructor(passer: RecordPasser, gaps: GapNumbers) {
    this.#expected = passer.expected;
    this.#received = passer.received;
    this.#passer = passer;
    this.#gaps = gaps;
    this.#search = new EditSearch(passer.expected, passer.received);
  }

  /** Goes through both sides; each time that it gives back control it needs something. Ends when both sides have. */
  *run(): Generator<Need> {
    const { expected, received, order, unmatchedExpected, unmatchedReceived } = this.#passer;
    for (;;) {
      if (unmatchedExpected.isNearlyFull || unmatchedReceived.isNearlyFull || order.isFull) yield 'room';
      if (expected.isEmpty && !expected.hasEnded) {
        yield 'expected';
      } else if (received.isEmpty && !received.hasEnded) {
        yield 'received';
      } else if (expected.isEmpty && received.isEmpty) {
        return;
      } else if (expected.isEmpty) {
        this.#passer.passReceived();
      } else if (received.isEmpty) {
        this.#passer.passExpected();
      } else if (!this.#passEqual() && !this.#passer.followStretch()) {
        yield* this.#passDifference();
      }
    }
  }

  /** Passes what is equal on both sides from here on; false if nothing is. */
  #passEqual(): boolean {
    const { expected, received } = this.#passer;
    const before = expected.record;
    for (;;) {
      if (expected.isPlain && received.isPlain) this.#passer.passEqualBytes();
      // Records of other bytes may be equal too.
      if (!this.#passer.headsAreEqual()) break;
      this.#passer.passPair();
    }
    if (expected.record === before) return false;
    this.#passer.endStretch();
    this.#steps = 1;
    this.#settleIfSure();
    return true;
  }

  /** Settles the order so far if what is yet to come cannot change it. */
  #settleIfSure(): void {
    const { expected, received, order, memory, quietSince, unmatchedExpected, unmatchedReceived } = this.#passer;
    const waiting = unmatchedExpected.size + unmatchedReceived.size;
    if (order.runUpTo(expected.record, received.record) >= waiting) this.#gaps.settleOrder();
    memory.endAfter(expected.record - quietSince);
  }

  *#passDifference(): Generator<Need> {
    for (const size of [NEAR, LOOKAHEAD]) {
      yield* this.#fill(size);
      const edits = this.#search.find(size);
      if (edits !== undefined) {
        this.#pass(edits);
        this.#passer.endStretch();
        this.#steps = 1;
        return;
      }
    }
    if (this.#passRepeated()) return;
    for (let step = 0; step < this.#steps && !this.#expected.isEmpty && !this.#received.isEmpty; step += 1) {
      if (this.#passer.headsAreEqual()) return;
      if (this.#passer.passExpected() || this.#passer.passReceived()) return;
    }
    this.#steps = Math.min(2 * this.#steps, MAX_STEPS);
  }

  /** Sees to it that so many records are there to be looked at on both sides. */
  *#fill(size: number): Generator<Need> {
    while (!this.#expected.hasEnded && this.#expected.lookAhead(size) < size) yield 'expected';
    while (!this.#received.hasEnded && this.#received.lookAhead(size) < size) yield 'received';
  }

  #pass(edits: readonly Edit[]): void {
    for (const { removed, inserted, common } of edits) {
      for (let count = 0; count < removed; count += 1) this.#passer.passExpected();
      for (let count = 0; count < inserted; count += 1) this.#passer.passReceived();
      for (let count = 0; count < common; count += 1) {
        if (this.#passer.headsAreEqual()) {
          this.#passer.passPair();
        } else {
          this.#passer.passExpected();
          this.#passer.passReceived();
        }
      }
    }
    this.#settleIfSure();
  }

  /** Passes received records that repeat a stretch which has been passed on the other side, as long as they do; false if they do not. */
  #passRepeated(): boolean {
    const { expected, received, memory } = this.#passer;
    memory.begin(expected.record);
    let left = received.lookAhead(LOOKAHEAD);
    received.readDigest(0, this.#digest);
    let number = memory.recent.find(this.#digest);
    received.readDigest(1, this.#digest);
    if (number === -1 || left === 1 || !memory.recent.isAt(number + 1, this.#digest)) return false;
    for (; left > 0; left -= 1) {
      received.readDigest(0, this.#digest);
      if (!memory.recent.isAt(number, this.#digest) || this.#passer.headsAreEqual()) break;
      this.#passer.passReceived();
      number += 1;
    }
    return true;
  }
}
