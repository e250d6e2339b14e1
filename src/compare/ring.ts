import type { Digest } from './digest.js';

/** The slots that a ring begins with, and the factor by which it grows: to its largest size of a million in two steps. */
const FIRST_SLOTS = 1 << 10;
const GROWTH = 1 << 6;

/** The share of the slots whose records go on waiting when the ring is full. */
const KEPT_SHARE = 8 / 9;

/** Records of a chain that are looked at: of more equal records, any may be the counterpart. */
const MAX_EQUAL = 32;

/** The columns of whole numbers. `AFTER` and `BEFORE` are slots + 1, and 0 for none; before the first of a chain stands the last. */
const LOW = 0;
const HIGH = 1;
const AFTER = 2;
const BEFORE = 3;
const TRAIT = 4;
const INTEGERS = 5;

/** The columns of other numbers. */
const RECORD = 0;
const LINE = 1;
const ADDRESS = 2;
const NUMBERS = 3;

/** A trait is one of these, or the number of a reason. */
const [NO_TRAIT, DUPLICATE] = [0, -1];

/** A record that waits. */
export interface WaitingRecord extends Digest {
  /** Its number on its side. */
  readonly record: number;
  readonly line: number;
  /** The address of its text. */
  readonly address: number;
  readonly seenMs: number;
  /** The reason that it cannot be a record; undefined for a record. */
  readonly reason: string | undefined;
  /** True if an equal record was sent, and delivered. */
  readonly isDuplicate: boolean;
}

/**
 * The records of one side that wait for their counterparts, in typed arrays: a slot for each position modulo the number of slots, and
 * chains of records by digest, the oldest first.
 */
export class Ring {
  /** The number of records that wait. */
  size = 0;
  /** The first position in use, and the next one. */
  first = 0;
  next = 0;
  /** The position of the record that was found last. */
  #found = -1;
  readonly #maxSlots: number;
  readonly #growth: number;
  #slots = 0;
  #integers = new Int32Array(0);
  #numbers = new Float64Array(0);
  /** Empty unless a time is known: logs that do not grow have none. */
  #times = new Float64Array(0);
  /** The first slot + 1 of each chain. */
  #chains = new Int32Array(0);
  /** The reasons that lines cannot be records, each once. */
  readonly #reasons: (string | undefined)[] = [undefined];

  /**
   * @param maxSlots the most positions that are in use at a time
   * @param growth the factor by which it grows: each growth leaves the memory of the smaller one behind
   */
  constructor(maxSlots: number, growth = GROWTH) {
    this.#maxSlots = maxSlots;
    this.#growth = growth;
  }

  /** True if there may be no room for a number of records more. */
  isFull(more: number): boolean {
    return this.next - this.first + more > this.#maxSlots;
  }

  /** Records before this position are decided when the ring is full. */
  get duePosition(): number {
    return this.next - Math.floor(KEPT_SHARE * this.#maxSlots);
  }

  /** True if a record has waited for too long. */
  get isDue(): boolean {
    return this.first < this.duePosition;
  }

  /** The record at a position, of one that waits or has just been removed. */
  at(position: number): WaitingRecord {
    const slot = position % this.#slots;
    const trait = this.#integer(slot, TRAIT);
    return {
      low: this.#integer(slot, LOW),
      high: this.#integer(slot, HIGH),
      record: this.#number(slot, RECORD),
      line: this.#number(slot, LINE),
      address: this.#number(slot, ADDRESS),
      seenMs: this.#times[slot] ?? NaN,
      reason: this.#reasons[trait],
      isDuplicate: trait === DUPLICATE,
    };
  }

  add({ low, high, record, line, address, seenMs, reason, isDuplicate }: WaitingRecord): void {
    if (this.next - this.first >= this.#slots) this.#grow();
    const slot = this.next % this.#slots;
    if (reason !== undefined && !this.#reasons.includes(reason)) this.#reasons.push(reason);
    const trait = reason !== undefined ? this.#reasons.indexOf(reason) : isDuplicate ? DUPLICATE : NO_TRAIT;
    const integers = slot * INTEGERS;
    this.#integers[integers + LOW] = low;
    this.#integers[integers + HIGH] = high;
    this.#integers[integers + TRAIT] = trait;
    const numbers = slot * NUMBERS;
    this.#numbers[numbers + RECORD] = record;
    this.#numbers[numbers + LINE] = line;
    this.#numbers[numbers + ADDRESS] = address;
    if (!Number.isNaN(seenMs) && this.#times.length === 0) this.#times = new Float64Array(this.#slots).fill(NaN);
    this.#times[slot] = seenMs;
    this.#link(slot);
    this.next += 1;
    this.size += 1;
  }

  /** Ends the waiting of a record. */
  remove(position: number): void {
    this.#unlink(position % this.#slots);
    this.size -= 1;
    this.first = this.nextWaiting(this.first);
  }

  /** The first position from another one on at which a record waits; `next` for none. */
  nextWaiting(from: number): number {
    let position = Math.max(from, this.first);
    while (position < this.next && this.#integer(position % this.#slots, BEFORE) === 0) position += 1;
    return position;
  }

  /**
   * Finds a record: the first behind the record that was found last, else the oldest.
   *
   * @param isSame tells whether the record at a position is the one that is looked for; undefined where equal digests are enough
   * @param isBehind true if only the first behind it will do
   * @returns its position; -1 for none
   */
  find(digest: Digest, isSame: ((position: number) => boolean) | undefined, isBehind = false): number {
    if (this.size === 0) return -1;
    let found = -1;
    let left = MAX_EQUAL;
    for (let link = this.#chains[this.#chainOf(digest.low)] ?? 0; link !== 0 && left > 0; link = this.#integer(link - 1, AFTER)) {
      if (this.#integer(link - 1, LOW) !== digest.low || this.#integer(link - 1, HIGH) !== digest.high) continue;
      left -= 1;
      const position = this.#positionOf(link - 1);
      const isPossible = position > this.#found || (found === -1 && !isBehind);
      if (!isPossible || isSame?.(position) === false) continue;
      found = position;
      if (position > this.#found) break;
    }
    if (found !== -1) this.#found = found;
    return found;
  }

  #integer(slot: number, column: number): number {
    return this.#integers[slot * INTEGERS + column] ?? 0;
  }

  #number(slot: number, column: number): number {
    return this.#numbers[slot * NUMBERS + column] ?? 0;
  }

  #positionOf(slot: number): number {
    const position = this.first - (this.first % this.#slots) + slot;
    return position < this.first ? position + this.#slots : position;
  }

  #chainOf(low: number): number {
    return low & (this.#chains.length - 1);
  }

  #link(slot: number): void {
    const chain = this.#chainOf(this.#integer(slot, LOW));
    const first = this.#chains[chain] ?? 0;
    const last = first === 0 ? slot + 1 : this.#integer(first - 1, BEFORE);
    this.#integers[slot * INTEGERS + AFTER] = 0;
    this.#integers[slot * INTEGERS + BEFORE] = last;
    if (first === 0) {
      this.#chains[chain] = slot + 1;
    } else {
      this.#integers[(last - 1) * INTEGERS + AFTER] = slot + 1;
      this.#integers[(first - 1) * INTEGERS + BEFORE] = slot + 1;
    }
  }

  #unlink(slot: number): void {
    const chain = this.#chainOf(this.#integer(slot, LOW));
    const after = this.#integer(slot, AFTER);
    const before = this.#integer(slot, BEFORE);
    if (this.#chains[chain] === slot + 1) this.#chains[chain] = after;
    else this.#integers[(before - 1) * INTEGERS + AFTER] = after;
    const behind = after === 0 ? (this.#chains[chain] ?? 0) : after;
    if (behind !== 0) this.#integers[(behind - 1) * INTEGERS + BEFORE] = before;
    this.#integers[slot * INTEGERS + BEFORE] = 0;
  }

  /** Makes more slots. Positions stay. */
  #grow(): void {
    const old = { slots: this.#slots, integers: this.#integers, numbers: this.#numbers, times: this.#times };
    const waiting: number[] = [];
    for (let position = this.first; position < this.next; position = this.nextWaiting(position + 1)) waiting.push(position);
    this.#slots = Math.min(this.#maxSlots, Math.max(FIRST_SLOTS, this.#growth * old.slots));
    this.#integers = new Int32Array(this.#slots * INTEGERS);
    this.#numbers = new Float64Array(this.#slots * NUMBERS);
    this.#times = new Float64Array(old.times.length === 0 ? 0 : this.#slots);
    this.#chains = new Int32Array(2 ** Math.floor(Math.log2(this.#slots)));
    for (const position of waiting) {
      const [from, to] = [position % old.slots, position % this.#slots];
      this.#integers.set(old.integers.subarray(from * INTEGERS, (from + 1) * INTEGERS), to * INTEGERS);
      this.#numbers.set(old.numbers.subarray(from * NUMBERS, (from + 1) * NUMBERS), to * NUMBERS);
      this.#times[to] = old.times[from] ?? NaN;
      this.#link(to);
    }
  }
}
