import { withoutInterchangeable } from './interchangeable.js';
import type { RecordPasser } from './record-passer.js';
import type { Run, RunList } from './run-list.js';
import type { Unmatched } from './unmatched.js';

/**
 * Numbers the gaps between the delivered records that stay in place: a record that waits can be an altered one of the other side only if
 * both stand in the same gap.
 */
export class GapNumbers {
  /** The gap behind the last run that is known to stay in place. */
  openGap = 0;
  /** Positions in the tables before which records have their gaps. */
  #numberedExpected = 0;
  #numberedReceived = 0;
  readonly #passer: RecordPasser;
  readonly #onReordered: (run: Run) => void;

  constructor(passer: RecordPasser, onReordered: (run: Run) => void) {
    this.#passer = passer;
    this.#onReordered = onReordered;
  }

  /** Settles the order of all that has been delivered, and in which gap each waiting record stands. */
  settleOrder(): void {
    const { expected, received, order, unmatchedExpected, unmatchedReceived } = this.#passer;
    const settled = order.settle(expected.record, received.record);
    const { kept } = settled;
    for (const run of withoutInterchangeable(settled, this.#passer)) this.#onReordered(run);
    this.#numberedExpected = this.#setGaps(unmatchedExpected, this.#numberedExpected, kept, (run) => run.expected);
    this.#numberedReceived = this.#setGaps(unmatchedReceived, this.#numberedReceived, kept, (run) => run.received);
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
}
