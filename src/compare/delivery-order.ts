import { RunList, type Places, type Run } from './run-list.js';
import { heaviestIncreasing } from './subsequence.js';

/** The order of what was delivered between two places. */
export interface SettledOrder {
  /** The runs that stay in place, in order. */
  readonly kept: RunList;
  /** The runs that would have to move, in the order of received records. */
  readonly moved: RunList;
  readonly from: Places;
  readonly until: Places;
}

/** So many runs are weighed against one another; when there are more, those that have come are decided by themselves. */
const MAX_RUNS = (1 << 20) - (1 << 12);

/** At a difference, a run can go on where it was, on either side of it: so many of the last runs may still grow. */
const GROWING_RUNS = 3;

/**
 * The delivered records that are out of order: those that are not in the heaviest increasing subsequence of runs, in the order in
 * which they came, by their places in the expected log. No fewer records could be moved to set the order right.
 *
 * The order is settled piece by piece. A run that reaches up to where both sides are read, and is at least as long as there are
 * records waiting on both, belongs to a best solution: whatever comes late crosses that run, and cannot outweigh it. So all before its
 * end is settled, and what comes from before it later is out of order.
 */
export class DeliveryOrder {
  #runs = new RunList();
  /** Records before these are settled. */
  #settledExpected = 0;
  #settledReceived = 0;
  readonly #onReordered: (run: Run) => void;

  constructor(onReordered: (run: Run) => void) {
    this.#onReordered = onReordered;
  }

  get isFull(): boolean {
    return this.#runs.length > MAX_RUNS;
  }

  /** Takes records that were delivered. */
  add(expected: number, received: number, length: number): void {
    if (expected < this.#settledExpected || received < this.#settledReceived) {
      this.#onReordered({ expected, received, length });
      return;
    }
    const index = this.#indexOfRunUpTo(expected, received);
    if (index === -1) this.#runs.add(expected, received, length);
    else this.#runs.lengthen(index, length);
  }

  /** The length of the run that reaches up to these places; 0 for none. */
  runUpTo(expected: number, received: number): number {
    return this.#runs.at(this.#indexOfRunUpTo(expected, received))?.length ?? 0;
  }

  /** Settles the order of all that has come, up to a place on each side. */
  settle(expected: number, received: number): SettledOrder {
    const runs = this.#runs;
    const from = { expected: this.#settledExpected, received: this.#settledReceived };
    const until = { expected, received };
    this.#runs = new RunList();
    this.#settledExpected = expected;
    this.#settledReceived = received;
    runs.sortByReceived();
    const belongs = heaviestIncreasing(runs.expected, runs.lengths);
    const kept = new RunList();
    const moved = new RunList();
    let rank = 0;
    for (const run of runs) {
      (belongs[rank] === 1 ? kept : moved).add(run.expected, run.received, run.length);
      rank += 1;
    }
    return { kept, moved, from, until };
  }

  /** The index of the run that reaches up to these places; -1 for none. */
  #indexOfRunUpTo(expected: number, received: number): number {
    const runs = this.#runs.length;
    for (let index = runs - 1; index >= Math.max(0, runs - GROWING_RUNS); index -= 1) {
      if (this.#runs.reaches(index, expected, received)) return index;
    }
    return -1;
  }
}
