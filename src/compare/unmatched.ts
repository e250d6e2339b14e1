import type { Digest } from './digest.js';
import { DigestIndex } from './digest-index.js';

/** A table has room for so many records: those that come up to a million lines late, and what is looked at ahead. */
const SLOTS = 1 << 20;

/** Room is made when fewer slots than this are free: no step takes more. */
const SPARE_SLOTS = 1 << 12;

/** Among so many equal records the best one is looked for; else the oldest is taken. */
const MAX_EQUAL = 64;

const NO_SLOTS: readonly number[] = [];

/** No more records are passed over to find the next one that waits. */
const MAX_PASSED = 64;

/**
 * Records of one side whose counterparts have not been found, in the order of their lines: a ring of slots in typed arrays, with a
 * hash table over it. The same class serves both sides; some columns are those of one side only.
 */
export class Unmatched {
  /** How many records wait. */
  size = 0;
  /** The first position in use, and the one to be used next. A slot is a position modulo the size of the table. */
  first = 0;
  next = 0;
  /** The number of each record on its side. */
  readonly records = new Float64Array(SLOTS);
  /** The gap between delivered records that each one stands in, once it is known. */
  readonly gaps = new Float64Array(SLOTS);
  /** Expected side: of as many equal records as are missing, these are the last ones. */
  readonly lastEquals = new Float64Array(SLOTS);
  /** Received side: the expected record that was delivered before and is equal. */
  readonly sentAs = new Float64Array(SLOTS);
  /** Received side: the place of the text, and the lengths of what is compared and what stands on the line. */
  readonly places = new Float64Array(SLOTS);
  readonly lengths = new Uint32Array(SLOTS);
  readonly shownLengths = new Uint32Array(SLOTS);
  readonly flags = new Uint8Array(SLOTS);
  readonly #isWaiting = new Uint8Array(SLOTS);
  readonly #index = new DigestIndex(SLOTS);

  get isNearlyFull(): boolean {
    return this.next - this.first > SLOTS - SPARE_SLOTS;
  }

  get isHalfFull(): boolean {
    return this.next - this.first > SLOTS / 2;
  }

  /** The gap of the oldest record that waits; Infinity for none. */
  get firstGap(): number {
    return this.size === 0 ? Infinity : (this.gaps[this.first % SLOTS] ?? Infinity);
  }

  /** The slots of the records that wait in the first gap, if it is a certain one; in order. */
  slotsIn(gap: number): readonly number[] {
    const slots: number[] = [];
    for (let position = this.first; position < this.next; position += 1) {
      const slot = position % SLOTS;
      if (!this.isWaiting(slot)) continue;
      if (this.gaps[slot] !== gap) break;
      slots.push(slot);
    }
    return slots;
  }

  /** The number of the oldest record that waits; Infinity for none. */
  get oldestRecord(): number {
    return this.size === 0 ? Infinity : (this.records[this.first % SLOTS] ?? Infinity);
  }

  slotOf(position: number): number {
    return position % SLOTS;
  }

  positionOf(slot: number): number {
    const position = this.first - (this.first % SLOTS) + slot;
    return position < this.first ? position + SLOTS : position;
  }

  isWaiting(slot: number): boolean {
    return this.#isWaiting[slot] === 1;
  }

  /** Adds a record; gives its slot. */
  add(record: number, digest: Digest): number {
    const slot = this.next % SLOTS;
    this.#index.link(slot, digest);
    this.#isWaiting[slot] = 1;
    this.records[slot] = record;
    this.lastEquals[slot] = record;
    this.gaps[slot] = 0;
    this.flags[slot] = 0;
    this.next += 1;
    this.size += 1;
    return slot;
  }

  /** Ends the waiting of a record. */
  remove(slot: number): void {
    this.#index.unlink(slot);
    this.#isWaiting[slot] = 0;
    this.size -= 1;
    while (this.first < this.next && !this.isWaiting(this.first % SLOTS)) this.first += 1;
  }

  /** The slot of a record that equals a given one: the first behind a certain record if one is near, else the oldest; -1 for none. */
  find(digest: Digest, behind: number): number {
    const oldest = this.#index.find(digest);
    let slot = oldest;
    for (let looked = 0; slot !== -1 && looked < MAX_EQUAL; looked += 1) {
      if ((this.records[slot] ?? 0) > behind) return slot;
      slot = this.#index.findNext(slot, digest);
    }
    return oldest;
  }

  /** The slot of the next record behind a position, if that record equals a given one; else -1. */
  findSuccessor(position: number, digest: Digest): number {
    const from = Math.max(position + 1, this.first);
    for (let at = from; at < Math.min(this.next, from + MAX_PASSED); at += 1) {
      const slot = at % SLOTS;
      if (this.isWaiting(slot)) return this.#index.holds(slot, digest) ? slot : -1;
    }
    return -1;
  }

  /** The slots of records that equal a given one, the oldest first; not more of them than are worth the time. */
  equalTo(digest: Digest): readonly number[] {
    let slot = this.#index.find(digest);
    if (slot === -1) return NO_SLOTS;
    const slots: number[] = [];
    for (; slot !== -1 && slots.length < MAX_EQUAL; slot = this.#index.findNext(slot, digest)) slots.push(slot);
    return slots;
  }

  /** Ends the waiting of a record that came altered: if the last of its equals was to be missing for it, that is missing for another. */
  removeAltered(slot: number): void {
    const digest: Digest = { low: 0, high: 0 };
    this.#index.read(slot, digest);
    let first = -1;
    for (const equal of this.equalTo(digest)) {
      if (equal !== slot && (first === -1 || (this.lastEquals[equal] ?? 0) < (this.lastEquals[first] ?? 0))) first = equal;
    }
    const last = this.lastEquals[slot] ?? 0;
    if (first !== -1 && last > (this.records[slot] ?? 0) && last > (this.lastEquals[first] ?? 0)) this.lastEquals[first] = last;
    this.remove(slot);
  }

  /** Ends the waiting of a record for which an equal one has come: of equal records, the last ones go on waiting. */
  removeEqual(slot: number, digest: Digest): void {
    let first = slot;
    for (const equal of this.equalTo(digest)) {
      if ((this.lastEquals[equal] ?? 0) < (this.lastEquals[first] ?? 0)) first = equal;
    }
    this.lastEquals[first] = this.lastEquals[slot] ?? 0;
    this.remove(slot);
  }

  readDigest(slot: number, digest: Digest): void {
    this.#index.read(slot, digest);
  }
}
