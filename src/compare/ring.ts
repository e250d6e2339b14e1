import { namesOf } from '../wording.js';
import type { Digest } from './digest.js';

/** The slots that a ring begins with, and the factor by which it grows: to its largest size of a million in two steps. */
const FIRST_SLOTS = 1 << 10;
const GROWTH = 1 << 6;

/** When the ring is full, the newest records, in this share of the slots, go on waiting; older ones are decided. */
const KEPT_SHARE = 8 / 9;

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

/** Tells whether the record at a position is the one that is looked for; undefined where no more records may be looked at. */
export type IsSameAt = (position: number) => boolean | undefined;

/** The numbers of the records in some slots. The times are empty unless one is known: logs that do not grow have none. */
function createColumns(slots: number, times: number) {
  return {
    high: new Int32Array(slots),
    trait: new Int32Array(slots),
    record: new Float64Array(slots),
    line: new Float64Array(slots),
    address: new Float64Array(slots),
    seenMs: new Float64Array(times).fill(NaN),
  };
}

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
  #slots = 0;
  #columns = createColumns(0, 0);
  /** Slots by digest, the oldest first. */
  #byDigest = new Chains(0);
  /** Slots by the exact part of the digest; undefined where equal digests are equal records. */
  #byExact: Chains | undefined;
  /** The reasons that lines cannot be records, each once. */
  readonly #reasons: (string | undefined)[] = [undefined];

  /** @param maxSlots the most positions in use at a time @param hasExact true if records of other bytes may have the same digest */
  constructor(maxSlots: number, hasExact = false) {
    this.#maxSlots = maxSlots;
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
    const { high, trait, record, line, address, seenMs } = this.#columns;
    return {
      low: this.#byDigest.keyOf(slot),
      high: high[slot] ?? 0,
      exact: this.#byExact?.keyOf(slot) ?? 0,
      record: record[slot] ?? 0,
      line: line[slot] ?? 0,
      address: address[slot] ?? 0,
      seenMs: seenMs[slot] ?? NaN,
      reason: this.#reasons[trait[slot] ?? 0],
      isDuplicate: trait[slot] === DUPLICATE,
    };
  }

  add({ low, high, exact, record, line, address, seenMs, reason, isDuplicate }: WaitingRecord): void {
    if (this.next - this.first >= this.#slots) this.#grow();
    const columns = this.#columns;
    const slot = this.next % this.#slots;
    if (reason !== undefined && !this.#reasons.includes(reason)) this.#reasons.push(reason);
    columns.high[slot] = high;
    columns.trait[slot] = reason !== undefined ? this.#reasons.indexOf(reason) : isDuplicate ? DUPLICATE : NO_TRAIT;
    columns.record[slot] = record;
    columns.line[slot] = line;
    columns.address[slot] = address;
    if (!Number.isNaN(seenMs) && columns.seenMs.length === 0) columns.seenMs = new Float64Array(this.#slots).fill(NaN);
    columns.seenMs[slot] = seenMs;
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
   * Finds a record: the first behind the one that was found last, else the oldest; records of the same bytes come first. Returns its position,
   * -1 for none. @param isSameAt undefined where equal digests are enough @param isBehind true if only one behind the last found will do
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
      if (this.#columns.high[slot] !== high || this.#byDigest.keyOf(slot) !== low) continue;
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

  #positionOf(slot: number): number {
    const position = this.first - (this.first % this.#slots) + slot;
    return position < this.first ? position + this.#slots : position;
  }

  /** Makes more slots. Positions stay. */
  #grow(): void {
    const [slots, old, byDigest, byExact] = [this.#slots, this.#columns, this.#byDigest, this.#byExact];
    const waiting: number[] = [];
    for (let position = this.first; position < this.next; position = this.nextWaiting(position + 1)) waiting.push(position);
    this.#slots = Math.min(this.#maxSlots, Math.max(FIRST_SLOTS, GROWTH * slots));
    this.#columns = createColumns(this.#slots, old.seenMs.length === 0 ? 0 : this.#slots);
    this.#byDigest = new Chains(this.#slots);
    this.#byExact &&= new Chains(this.#slots);
    for (const position of waiting) {
      const [from, to] = [position % slots, position % this.#slots];
      for (const name of COLUMNS) this.#columns[name][to] = old[name][from] ?? 0;
      this.#byDigest.link(to, byDigest.keyOf(from));
      this.#byExact?.link(to, byExact?.keyOf(from) ?? 0);
    }
  }
}

const COLUMNS = namesOf(createColumns(0, 0));

/** The columns of a slot in a chain. `AFTER` and `BEFORE` are slots + 1, and 0 for none; before the first of a chain stands the last. */
const KEY = 0;
const AFTER = 1;
const BEFORE = 2;
const CHAIN_COLUMNS = 3;

/** A hash table with chains, in typed arrays: slots by their keys, those of one key in the order in which they were linked. */
class Chains {
  /** The first slot + 1 of each chain. */
  readonly #heads: Int32Array;
  readonly #rows: Int32Array;

  constructor(slots: number) {
    this.#heads = new Int32Array(2 ** Math.floor(Math.log2(Math.max(1, slots))));
    this.#rows = new Int32Array(slots * CHAIN_COLUMNS);
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
    this.#put(slot, KEY, key);
    this.#put(slot, AFTER, 0);
    this.#put(slot, BEFORE, first === 0 ? slot + 1 : this.#at(first - 1, BEFORE));
    if (first === 0) {
      this.#heads[chain] = slot + 1;
    } else {
      this.#put(this.#at(first - 1, BEFORE) - 1, AFTER, slot + 1);
      this.#put(first - 1, BEFORE, slot + 1);
    }
  }

  unlink(slot: number): void {
    const chain = this.#chainOf(this.keyOf(slot));
    const [after, before] = [this.#at(slot, AFTER), this.#at(slot, BEFORE)];
    if (this.#heads[chain] === slot + 1) this.#heads[chain] = after;
    else this.#put(before - 1, AFTER, after);
    const behind = after === 0 ? (this.#heads[chain] ?? 0) : after;
    if (behind !== 0) this.#put(behind - 1, BEFORE, before);
    this.#put(slot, BEFORE, 0);
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
    return this.#rows[slot * CHAIN_COLUMNS + column] ?? 0;
  }

  #put(slot: number, column: number, value: number): void {
    this.#rows[slot * CHAIN_COLUMNS + column] = value;
  }
}
