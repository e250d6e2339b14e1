import { heaviestIncreasing, sortedIndices } from './subsequence.js';

/** Records that were delivered one behind the other: they follow one another on both sides. */
export interface Run {
  readonly expected: number;
  readonly received: number;
  readonly length: number;
}

/** A place on both sides. */
export type Places = Omit<Run, 'length'>;

/** The order of what was delivered between two places. */
export interface SettledOrder {
  /** The runs that stay in place, in order. */
  readonly kept: readonly Run[];
  /** The runs that would have to move, in the order of received records. */
  readonly moved: readonly Run[];
  readonly from: Places;
  readonly until: Places;
}

/** So many runs are weighed against one another; when there are more, those that have come are decided by themselves. */
const MAX_RUNS = 1 << 20;

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
  #expected: number[] = [];
  #received: number[] = [];
  #lengths: number[] = [];
  /** Records before these are settled. */
  #settledExpected = 0;
  #settledReceived = 0;
  readonly #onReordered: (run: Run) => void;

  constructor(onReordered: (run: Run) => void) {
    this.#onReordered = onReordered;
  }

  get isFull(): boolean {
    return this.#lengths.length > MAX_RUNS;
  }

  get settledReceived(): number {
    return this.#settledReceived;
  }

  /** Takes records that were delivered. */
  add(expected: number, received: number, length: number): void {
    if (expected < this.#settledExpected || received < this.#settledReceived) {
      this.#onReordered({ expected, received, length });
      return;
    }
    const runs = this.#lengths.length;
    for (let index = runs - 1; index >= 0 && index >= runs - GROWING_RUNS; index -= 1) {
      const grown = this.#lengths[index] ?? 0;
      if ((this.#expected[index] ?? 0) + grown === expected && (this.#received[index] ?? 0) + grown === received) {
        this.#lengths[index] = grown + length;
        return;
      }
    }
    this.#expected.push(expected);
    this.#received.push(received);
    this.#lengths.push(length);
  }

  /** The length of the run that reaches up to these places; 0 for none. */
  runUpTo(expected: number, received: number): number {
    const runs = this.#lengths.length;
    for (let index = runs - 1; index >= 0 && index >= runs - GROWING_RUNS; index -= 1) {
      const length = this.#lengths[index] ?? 0;
      if ((this.#expected[index] ?? 0) + length === expected && (this.#received[index] ?? 0) + length === received) return length;
    }
    return 0;
  }

  /** Settles the order of all that has come, up to a place on each side. */
  settle(expected: number, received: number): SettledOrder {
    const starts = Float64Array.from(this.#expected);
    const places = Float64Array.from(this.#received);
    const lengths = Float64Array.from(this.#lengths);
    const from = { expected: this.#settledExpected, received: this.#settledReceived };
    const until = { expected, received };
    this.#expected = [];
    this.#received = [];
    this.#lengths = [];
    this.#settledExpected = expected;
    this.#settledReceived = received;
    const order = sortedIndices(places);
    const belongs = heaviestIncreasing(
      Float64Array.from(order, (index) => starts[index] ?? 0),
      Float64Array.from(order, (index) => lengths[index] ?? 0),
    );
    const kept: Run[] = [];
    const moved: Run[] = [];
    for (const [rank, index] of order.entries()) {
      const run = { expected: starts[index] ?? 0, received: places[index] ?? 0, length: lengths[index] ?? 0 };
      (belongs[rank] === 1 ? kept : moved).push(run);
    }
    return { kept, moved, from, until };
  }
}
