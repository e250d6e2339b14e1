import type { Digest } from './digest.js';

/** So many records back, at least, a repeated record is told from a foreign one. */
export const REMEMBERED_RECORDS = 1 << 20;

/** A generation begins with room for so many records, and is full with so many. */
const FIRST_RECORDS = 1 << 10;
const MAX_RECORDS = REMEMBERED_RECORDS / 2;

/**
 * The digests of the last million records of the expected log, so that a record that comes once more is known. Three generations of a
 * hash table with linear probing: when the youngest one is full, the oldest one is given up as a whole. That costs one cache miss a
 * record; a table from which records are taken one by one costs five.
 */
export class RecentlySent {
  #youngest = new Generation(0);
  /** The younger one first. */
  #older: readonly Generation[] = [];

  /** Forgets all; the record that comes next has this number. */
  restart(number: number): void {
    this.#youngest = new Generation(number);
    this.#older = [];
  }

  /** Takes the next record. */
  add(digest: Digest): void {
    if (this.#youngest.isFull) {
      this.#older = [this.#youngest, ...this.#older.slice(0, 1)];
      this.#youngest = new Generation(this.#youngest.next);
    }
    this.#youngest.add(digest);
  }

  /** The number of the last remembered record with this digest; -1 for none. */
  find(digest: Digest): number {
    let number = this.#youngest.find(digest);
    for (const generation of this.#older) if (number === -1) number = generation.find(digest);
    return number;
  }

  /** True if the record of a number is remembered and has this digest. */
  isAt(number: number, digest: Digest): boolean {
    return this.#youngest.isAt(number, digest) || this.#older.some((generation) => generation.isAt(number, digest));
  }
}

/** Up to half a million records, from a number on. */
class Generation {
  readonly #first: number;
  #count = 0;
  #low = new Int32Array(FIRST_RECORDS);
  #high = new Int32Array(FIRST_RECORDS);
  /** For each slot the last record with the digest that belongs there, counted from 1; 0 for none. At most half of them are used. */
  #slots = new Int32Array(2 * FIRST_RECORDS);

  constructor(first: number) {
    this.#first = first;
  }

  get isFull(): boolean {
    return this.#count === MAX_RECORDS;
  }

  get next(): number {
    return this.#first + this.#count;
  }

  add({ low, high }: Digest): void {
    if (this.#count === this.#low.length) this.#grow();
    this.#low[this.#count] = low;
    this.#high[this.#count] = high;
    this.#count += 1;
    this.#slots[this.#slotOf(low, high)] = this.#count;
  }

  find({ low, high }: Digest): number {
    const count = this.#slots[this.#slotOf(low, high)] ?? 0;
    return count === 0 ? -1 : this.#first + count - 1;
  }

  isAt(number: number, { low, high }: Digest): boolean {
    const index = number - this.#first;
    return index < this.#count && this.#low[index] === low && this.#high[index] === high;
  }

  /** The slot that a digest has, or would have. */
  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] ?? 0) - 1;
      if (index === -1 || (this.#low[index] === low && this.#high[index] === high)) return slot;
    }
  }

  #grow(): void {
    const length = 2 * this.#low.length;
    this.#low = extended(this.#low, length);
    this.#high = extended(this.#high, length);
    this.#slots = new Int32Array(2 * length);
    for (let index = 0; index < this.#count; index += 1) {
      this.#slots[this.#slotOf(this.#low[index] ?? 0, this.#high[index] ?? 0)] = index + 1;
    }
  }
}

function extended(values: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(length);
  longer.set(values);
  return longer;
}
