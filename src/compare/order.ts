/** Runs that are undecided at the same time, at most. */
const MAX_RUNS = 1 << 19;

/** The number of runs that the rows have room for at the beginning; it doubles. */
const FIRST_RUNS = 1 << 8;

/** At a difference, a run may go on where it was on either side: this number of the last runs may still grow. */
const GROWING_RUNS = 3;

/** Consecutive records of both sides that were delivered. */
interface Run {
  /** The numbers of the first record on both sides. */
  readonly sent: number;
  readonly received: number;
  /** The number of records. */
  readonly length: number;
  /** The received lines of the first and the last record. */
  readonly line: number;
  readonly lastLine: number;
  /** The place of the first record's text among the received ones. */
  readonly place: number;
}

/** The columns of a row. */
const SENT = 0;
const RECEIVED = 1;
const LENGTH = 2;
const LINE = 3;
const LAST_LINE = 4;
const PLACE = 5;
const COLUMNS = 6;

/**
 * The order of what was delivered, as runs. Those in the heaviest increasing subsequence stay in place, so that the fewest records
 * would have to move; gaps lie between them.
 */
export class Order {
  length = 0;
  #rows = new Float64Array(FIRST_RUNS * COLUMNS);
  /** Sent records before this one are decided: what comes of them later is out of order. */
  #decidedSent = 0;

  get isFull(): boolean {
    return this.length >= MAX_RUNS;
  }

  /** The run at an index. */
  at(index: number): Run {
    const row = index * COLUMNS;
    return {
      sent: this.#rows[row + SENT] ?? 0,
      received: this.#rows[row + RECEIVED] ?? 0,
      length: this.#rows[row + LENGTH] ?? 0,
      line: this.#rows[row + LINE] ?? 0,
      lastLine: this.#rows[row + LAST_LINE] ?? 0,
      place: this.#rows[row + PLACE] ?? 0,
    };
  }

  /** Adds records to the run that they follow on both sides, or begins one. @param keepText gives the place of the first text */
  add({ sent, received, length, line }: Omit<Run, 'lastLine' | 'place'>, keepText: () => number): void {
    const lastLine = line + length - 1;
    for (let index = this.length - 1; index >= Math.max(0, this.length - GROWING_RUNS); index -= 1) {
      const row = index * COLUMNS;
      const before = this.#rows[row + LENGTH] ?? 0;
      if (this.#rows[row + SENT] !== sent - before || this.#rows[row + RECEIVED] !== received - before) continue;
      this.#rows[row + LENGTH] = before + length;
      this.#rows[row + LAST_LINE] = lastLine;
      return;
    }
    const row = this.length * COLUMNS;
    if (row === this.#rows.length) {
      const rows = new Float64Array(2 * row);
      rows.set(this.#rows);
      this.#rows = rows;
    }
    this.#rows[row + SENT] = sent;
    this.#rows[row + RECEIVED] = received;
    this.#rows[row + LENGTH] = length;
    this.#rows[row + LINE] = line;
    this.#rows[row + LAST_LINE] = lastLine;
    this.#rows[row + PLACE] = keepText();
    this.length += 1;
  }

  /** Sorts the runs by their received records. Returns 1 for each run that stays in place, else 0. */
  weigh(): Uint8Array {
    this.#sort(sortedIndices(this.#column(RECEIVED)));
    const sent = this.#column(SENT);
    const stays = heaviestIncreasing(sent, this.#column(LENGTH));
    for (let index = 0; index < stays.length; index += 1) if ((sent[index] ?? 0) < this.#decidedSent) stays[index] = 0;
    return stays;
  }

  /** Drops the first runs: they are decided, and so are sent records before one. */
  drop(count: number, decidedSent: number): void {
    this.#rows.copyWithin(0, count * COLUMNS, this.length * COLUMNS);
    this.length -= count;
    this.#decidedSent = Math.max(this.#decidedSent, decidedSent);
  }

  /** Puts the rows in another order, in place: they take megabytes. @param order the indices of the rows in that order; is used up */
  #sort(order: Int32Array): void {
    const first = new Float64Array(COLUMNS);
    for (let start = 0; start < order.length; start += 1) {
      if (order[start] === start) continue;
      first.set(this.#rows.subarray(start * COLUMNS, (start + 1) * COLUMNS));
      let row = start;
      for (let from = order[row] ?? 0; from !== start; from = order[row] ?? 0) {
        this.#rows.copyWithin(row * COLUMNS, from * COLUMNS, (from + 1) * COLUMNS);
        order[row] = row;
        row = from;
      }
      this.#rows.set(first, row * COLUMNS);
      order[row] = row;
    }
  }

  #column(column: number): Float64Array {
    return new Float64Array(this.length).map((_, index) => this.#rows[index * COLUMNS + column] ?? 0);
  }
}

/**
 * The heaviest increasing subsequence: of elements in a given order, those with ascending keys whose weights come to the most. A
 * Fenwick tree over the ranks of the keys gives the best predecessor of each element: O(n log n).
 *
 * @param keys whole numbers, no two equal
 * @param weights above 0
 * @returns 1 for each element that belongs to it, else 0
 */
function heaviestIncreasing(keys: Float64Array, weights: Float64Array): Uint8Array {
  const { length } = keys;
  const ranks = new Int32Array(length);
  for (const [rank, index] of sortedIndices(keys).entries()) ranks[index] = rank;
  // Elements are counted from 1, and 0 stands for none: the weight of the heaviest chain that ends in each, and the one before it there.
  const totals = new Float64Array(length + 1);
  const predecessors = new Int32Array(length + 1);
  const totalOf = (element: number): number => totals[element] ?? 0;
  // The element with the heaviest chain among those ranks that each node of the tree stands for.
  const tree = new Int32Array(length);
  let last = 0;
  for (let element = 1; element <= length; element += 1) {
    const rank = ranks[element - 1] ?? 0;
    let best = 0;
    for (let node = rank; node > 0; node -= node & -node) {
      const candidate = tree[node] ?? 0;
      if (totalOf(candidate) > totalOf(best)) best = candidate;
    }
    const total = (weights[element - 1] ?? 0) + totalOf(best);
    totals[element] = total;
    predecessors[element] = best;
    if (total > totalOf(last)) last = element;
    for (let node = rank + 1; node < length; node += node & -node) {
      if (total > totalOf(tree[node] ?? 0)) tree[node] = element;
    }
  }
  const belongs = new Uint8Array(length);
  for (let element = last; element !== 0; element = predecessors[element] ?? 0) belongs[element - 1] = 1;
  return belongs;
}

/** The indices of whole numbers in ascending order. Sorted with their indices in one number: without a comparator, in a tenth of the time. */
function sortedIndices(numbers: Float64Array): Int32Array {
  const least = numbers.reduce((smallest, number) => Math.min(smallest, number), Infinity);
  const keys = numbers.map((number, index) => (number - least) * MAX_KEYS + index).sort();
  return Int32Array.from(keys, (key) => key % MAX_KEYS);
}

/** Above the number of runs: those that one step may add come on top. */
const MAX_KEYS = 2 * MAX_RUNS;
