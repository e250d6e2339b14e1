import { Chains } from './chains.js';
import type { Digest } from './digest.js';

/** The slots that a ring begins with, and the factor by which it grows: to its largest size of a million in two steps. */
const FIRST_SLOTS = 1 << 10;
const GROWTH = 1 << 6;

/** When the ring is full, the newest records, in this share of the slots, go on waiting; older ones are decided. */
const KEPT_SHARE = 8 / 9;

/** The columns of whole numbers. */
const HIGH = 0;
const TRAIT = 1;
const INTEGERS = 2;

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
 * Tells whether the record at a position is the one that is looked for; undefined where no more records may be looked at.
 */
export type IsSameAt = (position: number) => boolean | undefined;

/** The records of one side that wait for their counterparts, in typed arrays: a slot for each position modulo the number of slots. */
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
  /** Slots by digest, the oldest first. */
  #byDigest = new Chains(0);
  /** Slots by the exact part of the digest; undefined where equal digests are equal records. */
  #byExact: Chains | undefined;
  /** The reasons that lines cannot be records, each once. */
  readonly #reasons: (string | undefined)[] = [undefined];

  /**
   * @param maxSlots the most positions that are in use at a time
   * @param growth the factor by which it grows: each growth leaves the memory of the smaller one behind
   * @param hasExact true if records of other bytes may have the same digest
   */
  constructor(maxSlots: number, growth = GROWTH, hasExact = false) {
    this.#maxSlots = maxSlots;
    this.#growth = growth;
    if (hasExact) this.#byExact = new Chains(0);
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
      low: this.#byDigest.keyOf(slot),
      high: this.#integer(slot, HIGH),
      exact: this.#byExact?.keyOf(slot) ?? 0,
      record: this.#number(slot, RECORD),
      line: this.#number(slot, LINE),
      address: this.#number(slot, ADDRESS),
      seenMs: this.#times[slot] ?? NaN,
      reason: this.#reasons[trait],
      isDuplicate: trait === DUPLICATE,
    };
  }

  add({ low, high, exact, record, line, address, seenMs, reason, isDuplicate }: WaitingRecord): void {
    if (this.next - this.first >= this.#slots) this.#grow();
    const slot = this.next % this.#slots;
    if (reason !== undefined && !this.#reasons.includes(reason)) this.#reasons.push(reason);
    const trait = reason !== undefined ? this.#reasons.indexOf(reason) : isDuplicate ? DUPLICATE : NO_TRAIT;
    const integers = slot * INTEGERS;
    this.#integers[integers + HIGH] = high;
    this.#integers[integers + TRAIT] = trait;
    const numbers = slot * NUMBERS;
    this.#numbers[numbers + RECORD] = record;
    this.#numbers[numbers + LINE] = line;
    this.#numbers[numbers + ADDRESS] = address;
    if (!Number.isNaN(seenMs) && this.#times.length === 0) this.#times = new Float64Array(this.#slots).fill(NaN);
    this.#times[slot] = seenMs;
    this.#byDigest.link(slot, low);
    this.#byExact?.link(slot, exact);
    this.next += 1;
    this.size += 1;
  }

  /** Ends the waiting of a record. */
  remove(position: number): void {
    this.#byDigest.unlink(position % this.#slots);
    this.#byExact?.unlink(position % this.#slots);
    this.size -= 1;
    this.first = this.nextWaiting(this.first);
  }

  /** The first position from another one on at which a record waits; `next` for none. */
  nextWaiting(from: number): number {
    let position = Math.max(from, this.first);
    while (position < this.next && !this.#byDigest.has(position % this.#slots)) position += 1;
    return position;
  }

  /**
   * Finds a record: the first behind the record that was found last, else the oldest. Records of the same bytes come first.
   *
   * @param isSameAt undefined where equal digests are enough
   * @param isBehind true if only the first behind it will do
   * @returns its position; -1 for none
   */
  find(digest: Digest, isSameAt: IsSameAt | undefined, isBehind = false): number {
    if (this.size === 0) return -1;
    let found = this.#byExact === undefined ? -1 : this.#findIn(this.#byExact, digest.exact, digest, isSameAt, isBehind);
    if (found === -1) found = this.#findIn(this.#byDigest, digest.low, digest, isSameAt, isBehind);
    if (found !== -1) this.#found = found;
    return found;
  }

  #findIn(chains: Chains, key: number, { low, high }: Digest, isSameAt: IsSameAt | undefined, isBehind: boolean): number {
    let found = -1;
    for (let slot = chains.firstOf(key); slot !== -1; slot = chains.nextOf(slot)) {
      if (this.#integer(slot, HIGH) !== high || this.#byDigest.keyOf(slot) !== low) continue;
      const position = this.#positionOf(slot);
      if (position <= this.#found && (found !== -1 || isBehind)) continue;
      const isSame = isSameAt?.(position);
      if (isSameAt !== undefined && isSame === undefined) return found;
      if (isSame === false) continue;
      found = position;
      if (position > this.#found) return found;
    }
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

  /** Makes more slots. Positions stay. */
  #grow(): void {
    const old = { slots: this.#slots, integers: this.#integers, numbers: this.#numbers, times: this.#times };
    const [byDigest, byExact] = [this.#byDigest, this.#byExact];
    const waiting: number[] = [];
    for (let position = this.first; position < this.next; position = this.nextWaiting(position + 1)) waiting.push(position);
    this.#slots = Math.min(this.#maxSlots, Math.max(FIRST_SLOTS, Math.ceil(this.#growth * old.slots)));
    this.#integers = new Int32Array(this.#slots * INTEGERS);
    this.#numbers = new Float64Array(this.#slots * NUMBERS);
    this.#times = new Float64Array(old.times.length === 0 ? 0 : this.#slots);
    this.#byDigest = new Chains(this.#slots);
    this.#byExact &&= new Chains(this.#slots);
    for (const position of waiting) {
      const [from, to] = [position % old.slots, position % this.#slots];
      this.#integers.set(old.integers.subarray(from * INTEGERS, (from + 1) * INTEGERS), to * INTEGERS);
      this.#numbers.set(old.numbers.subarray(from * NUMBERS, (from + 1) * NUMBERS), to * NUMBERS);
      this.#times[to] = old.times[from] ?? NaN;
      this.#byDigest.link(to, byDigest.keyOf(from));
      this.#byExact?.link(to, byExact?.keyOf(from) ?? 0);
    }
  }
}
