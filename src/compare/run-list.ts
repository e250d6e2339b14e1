import { sortedIndices } from './subsequence.js';

/** A place on both sides, in records. */
export interface Places {
  readonly expected: number;
  readonly received: number;
}

/** Records that were delivered one behind the other: they follow one another on both sides. */
export interface Run extends Places {
  readonly length: number;
}

/** A list begins with room for so many runs, and doubles. */
const FIRST_RUNS = 1 << 8;

/** Runs in typed arrays: a million of them as objects in an array take 80 MB, and 24 MB here. */
export class RunList implements Iterable<Run> {
  length = 0;
  #expected = new Float64Array(FIRST_RUNS);
  #received = new Float64Array(FIRST_RUNS);
  #lengths = new Float64Array(FIRST_RUNS);

  /** The first record of each run in the expected log. */
  get expected(): Float64Array {
    return this.#expected.subarray(0, this.length);
  }

  /** The number of records of each run. */
  get lengths(): Float64Array {
    return this.#lengths.subarray(0, this.length);
  }

  add(expected: number, received: number, length: number): void {
    if (this.length === this.#lengths.length) this.#grow();
    this.#expected[this.length] = expected;
    this.#received[this.length] = received;
    this.#lengths[this.length] = length;
    this.length += 1;
  }

  /** The run at an index; undefined for none. */
  at(index: number): Run | undefined {
    if (index < 0 || index >= this.length) return undefined;
    return {
      expected: this.#expected[index] ?? 0,
      received: this.#received[index] ?? 0,
      length: this.#lengths[index] ?? 0,
    };
  }

  *[Symbol.iterator](): Generator<Run> {
    for (let index = 0, run = this.at(0); run !== undefined; index += 1, run = this.at(index)) yield run;
  }

  /** True if records at these places would belong to a run: they follow its last one on both sides. */
  reaches(index: number, expected: number, received: number): boolean {
    const length = this.#lengths[index] ?? 0;
    return (this.#expected[index] ?? 0) + length === expected && (this.#received[index] ?? 0) + length === received;
  }

  /** Adds records to the end of a run. */
  lengthen(index: number, records: number): void {
    this.#lengths[index] = (this.#lengths[index] ?? 0) + records;
  }

  /** Sorts runs by their places among the received records. */
  sortByReceived(): void {
    const order = sortedIndices(this.#received.subarray(0, this.length));
    this.#expected = permuted(this.#expected, order);
    this.#received = permuted(this.#received, order);
    this.#lengths = permuted(this.#lengths, order);
  }

  removeFirst(count: number): void {
    for (const column of [this.#expected, this.#received, this.#lengths]) column.copyWithin(0, count, this.length);
    this.length -= count;
  }

  #grow(): void {
    const runs = 2 * this.length;
    this.#expected = extended(this.#expected, runs);
    this.#received = extended(this.#received, runs);
    this.#lengths = extended(this.#lengths, runs);
  }
}

function permuted(column: Float64Array, order: Int32Array): Float64Array<ArrayBuffer> {
  const sorted = new Float64Array(Math.max(order.length, FIRST_RUNS));
  for (let rank = 0; rank < order.length; rank += 1) sorted[rank] = column[order[rank] ?? 0] ?? 0;
  return sorted;
}

function extended(column: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(length);
  longer.set(column);
  return longer;
}
