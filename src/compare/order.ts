import { inputOf } from './records.js';

/** The most runs that are undecided; one step may add some more. */
const MAX_RUNS = 1 << 19;

/** More than there are ever runs: a number of this base tells a run in a sort key. */
const MAX_KEYS = 2 * MAX_RUNS;

/** The runs that there is room for at first; it doubles. Objects in place of columns take twice the memory of all the rest. */
const FIRST_RUNS = 1 << 8;

const NUMBERS = ['sent', 'received', 'length', 'line', 'lastLine', 'address'] as const;

/** Consecutive records of both sides that were delivered: the numbers of the first ones, the received lines of the first and the last. */
export type Run = Readonly<Record<(typeof NUMBERS)[number], number>>;

/** The delivered records, as runs. The heaviest increasing subsequence stays in place: the fewest records would have to move. Gaps lie between. */
export class Order {
  length = 0;
  #columns = createColumns(FIRST_RUNS);
  /** Records before these are decided on both sides: what comes of them later is out of order. */
  #decided = { sent: 0, received: 0 };

  get isFull(): boolean {
    return this.length >= MAX_RUNS;
  }

  at(index: number): Run {
    const { sent, received, length, line, lastLine, address } = this.#columns;
    return {
      sent: sent[index] ?? 0,
      received: received[index] ?? 0,
      length: length[index] ?? 0,
      line: line[index] ?? 0,
      lastLine: lastLine[index] ?? 0,
      address: address[index] ?? 0,
    };
  }

  /** Adds records to the last run if they follow it on both sides, in one input; else begins a run, and keeps its text. */
  add({ sent, received, length, line }: Omit<Run, 'lastLine' | 'address'>, keepText: () => number): void {
    const columns = this.#columns;
    const [last, lastLine] = [this.length - 1, line + length - 1];
    const before = columns.length[last] ?? 0;
    const isSameInput = inputOf(columns.lastLine[last] ?? 0) === inputOf(line);
    if (isSameInput && columns.sent[last] === sent - before && columns.received[last] === received - before) {
      columns.length[last] = before + length;
      columns.lastLine[last] = lastLine;
      return;
    }
    if (this.length === this.#columns.sent.length) {
      this.#columns = createColumns(2 * this.length);
      for (const name of NUMBERS) this.#columns[name].set(columns[name]);
    }
    const run: Run = { sent, received, length, line, lastLine, address: keepText() };
    for (const name of NUMBERS) this.#columns[name][this.length] = run[name];
    this.length += 1;
  }

  /** Sorts the runs by their received records. Returns 1 for each that stays in place, else 0, as for all before what is decided. */
  weigh(): Uint8Array {
    const order = sortedIndices(this.#columns.received.subarray(0, this.length));
    // One after the other, in place: they take megabytes.
    for (const name of NUMBERS)
      this.#columns[name].set(new Float64Array(order.length).map((_, index) => this.#columns[name][order[index] ?? 0] ?? 0));
    const { sent, received, length } = this.#columns;
    const weights = length.slice(0, this.length).map((records, index) => {
      const isDecided = (sent[index] ?? 0) < this.#decided.sent || (received[index] ?? 0) < this.#decided.received;
      return isDecided ? 0 : records;
    });
    return heaviestIncreasing(sent.subarray(0, this.length), weights);
  }

  drop(count: number, { sent, received }: Pick<Run, 'sent' | 'received'>): void {
    for (const name of NUMBERS) this.#columns[name].copyWithin(0, count, this.length);
    this.length -= count;
    this.#decided = { sent: Math.max(this.#decided.sent, sent), received: Math.max(this.#decided.received, received) };
  }
}

function createColumns(runs: number) {
  const column = (): Float64Array => new Float64Array(runs);
  return { sent: column(), received: column(), length: column(), line: column(), lastLine: column(), address: column() };
}

/** Returns 1 for each element of the increasing subsequence with the most weight, else 0: a Fenwick tree over the ranks of the keys, O(n log n). */
function heaviestIncreasing(keys: Float64Array, weights: Float64Array): Uint8Array {
  const { length } = keys;
  const ranks = new Int32Array(length);
  for (const [rank, index] of sortedIndices(keys).entries()) ranks[index] = rank;
  // Elements are counted from 1, and 0 stands for none: the weight of the heaviest chain that ends in each, and the one before it there.
  const totals = new Float64Array(length + 1);
  const predecessors = new Int32Array(length + 1);
  const totalOf = (element: number): number => totals[element] ?? 0;
  const tree = new Int32Array(length);
  let last = 0;
  for (let element = 1; element <= length; element += 1) {
    const [rank, weight] = [ranks[element - 1] ?? 0, weights[element - 1] ?? 0];
    if (weight === 0) continue;
    let best = 0;
    for (let node = rank; node > 0; node -= node & -node) {
      const candidate = tree[node] ?? 0;
      if (totalOf(candidate) > totalOf(best)) best = candidate;
    }
    const total = weight + totalOf(best);
    totals[element] = total;
    predecessors[element] = best;
    if (total > totalOf(last)) last = element;
    for (let node = rank + 1; node < length; node += node & -node) if (total > totalOf(tree[node] ?? 0)) tree[node] = element;
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
