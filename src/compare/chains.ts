/** The columns of a slot. `AFTER` and `BEFORE` are slots + 1, and 0 for none; before the first of a chain stands the last. */
const KEY = 0;
const AFTER = 1;
const BEFORE = 2;
const COLUMNS = 3;

/** A hash table with chains, in typed arrays: slots by their keys, those of one key in the order in which they were linked. */
export class Chains {
  /** The first slot + 1 of each chain. */
  readonly #heads: Int32Array;
  readonly #rows: Int32Array;

  constructor(slots: number) {
    this.#heads = new Int32Array(2 ** Math.floor(Math.log2(Math.max(1, slots))));
    this.#rows = new Int32Array(slots * COLUMNS);
  }

  has(slot: number): boolean {
    return this.#at(slot, BEFORE) !== 0;
  }

  keyOf(slot: number): number {
    return this.#at(slot, KEY);
  }

  /** The first slot of a key; -1 for none. */
  firstOf(key: number): number {
    return this.#find((this.#heads[this.#chainOf(key)] ?? 0) - 1, key);
  }

  /** The next slot of the same key; -1 for none. */
  nextOf(slot: number): number {
    return this.#find(this.#at(slot, AFTER) - 1, this.#at(slot, KEY));
  }

  link(slot: number, key: number): void {
    const chain = this.#chainOf(key);
    const first = this.#heads[chain] ?? 0;
    const last = first === 0 ? slot + 1 : this.#at(first - 1, BEFORE);
    this.#rows[slot * COLUMNS + KEY] = key;
    this.#rows[slot * COLUMNS + AFTER] = 0;
    this.#rows[slot * COLUMNS + BEFORE] = last;
    if (first === 0) {
      this.#heads[chain] = slot + 1;
    } else {
      this.#rows[(last - 1) * COLUMNS + AFTER] = slot + 1;
      this.#rows[(first - 1) * COLUMNS + BEFORE] = slot + 1;
    }
  }

  unlink(slot: number): void {
    const chain = this.#chainOf(this.keyOf(slot));
    const after = this.#at(slot, AFTER);
    const before = this.#at(slot, BEFORE);
    if (this.#heads[chain] === slot + 1) this.#heads[chain] = after;
    else this.#rows[(before - 1) * COLUMNS + AFTER] = after;
    const behind = after === 0 ? (this.#heads[chain] ?? 0) : after;
    if (behind !== 0) this.#rows[(behind - 1) * COLUMNS + BEFORE] = before;
    this.#rows[slot * COLUMNS + BEFORE] = 0;
  }

  /** The first slot of a key in a chain, from a slot on. */
  #find(from: number, key: number): number {
    let slot = from;
    while (slot !== -1 && this.#at(slot, KEY) !== key) slot = this.#at(slot, AFTER) - 1;
    return slot;
  }

  #chainOf(key: number): number {
    return key & (this.#heads.length - 1);
  }

  #at(slot: number, column: number): number {
    return this.#rows[slot * COLUMNS + column] ?? 0;
  }
}
