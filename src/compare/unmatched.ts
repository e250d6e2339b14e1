import type { Digest } from './digest.js';
import { DigestIndex } from './digest-index.js';

/** A table has room for so many records: those that come up to a million lines late, and what is looked at ahead. */
const MAX_SLOTS = 1 << 20;

/** Room is made when fewer slots than this are free: no step takes more. */
const SPARE_SLOTS = 1 << 12;

/** A table begins with so many slots, and grows so many times: twice at most, since what it leaves behind is memory too. */
const FIRST_SLOTS = 1 << 10;
const GROWTH = 1 << 5;

/** Among so many equal records the best one is looked for; else the oldest is taken. */
const MAX_EQUAL = 64;

/** No more records are passed over to find the next one that waits. */
const MAX_PASSED = 64;

const NO_SLOTS: readonly number[] = [];

/** In place of an equal record: a received record that equals none, and a line that cannot be a record. */
export const UNLIKE = -1;
export const FAULTY = -2;

/**
 * Records of one side whose counterparts have not been found, in the order of their lines: a ring of slots in typed arrays, with a
 * hash table over it. The same class serves both sides; some columns are those of one side only.
 */
export class Unmatched {
  /** The number of records that wait. */
  size = 0;
  /** The first position in use, and the one to be used next. A slot is a position modulo the number of slots. */
  first = 0;
  next = 0;
  /** The number of each record on its side. */
  records = new Float64Array(FIRST_SLOTS);
  /** The gap between delivered records that each one stands in, once it is known. */
  gaps = new Float64Array(FIRST_SLOTS);
  /** Expected side: the record that is missing for this one, of equal records the last. Received side: `UNLIKE`, `FAULTY` or a record. */
  equals = new Float64Array(FIRST_SLOTS);
  /** Received side: the place of the text; empty on the other. */
  places: Float64Array;
  #isWaiting = new Uint8Array(FIRST_SLOTS);
  #index = new DigestIndex(FIRST_SLOTS);

  /** @param hasPlaces records have places where their texts are kept */
  constructor(hasPlaces: boolean) {
    this.places = new Float64Array(hasPlaces ? FIRST_SLOTS : 0);
  }

  get isNearlyFull(): boolean {
    return this.next - this.first > MAX_SLOTS - SPARE_SLOTS;
  }

  get isHalfFull(): boolean {
    return this.next - this.first > MAX_SLOTS / 2;
  }

  /** Forgets all records, and gives up their memory. */
  clear(): void {
    this.size = 0;
    this.first = this.next;
    this.records = new Float64Array(FIRST_SLOTS);
    this.gaps = new Float64Array(FIRST_SLOTS);
    this.equals = new Float64Array(FIRST_SLOTS);
    this.places = new Float64Array(Math.min(this.places.length, FIRST_SLOTS));
    this.#isWaiting = new Uint8Array(FIRST_SLOTS);
    this.#index = new DigestIndex(FIRST_SLOTS);
  }

  /** The gap of the oldest record that waits; Infinity for none. */
  get firstGap(): number {
    return this.size === 0 ? Infinity : (this.gaps[this.slotOf(this.first)] ?? Infinity);
  }

  /** The number of the oldest record that waits; Infinity for none. */
  get oldestRecord(): number {
    return this.size === 0 ? Infinity : (this.records[this.slotOf(this.first)] ?? Infinity);
  }

  slotOf(position: number): number {
    return position % this.records.length;
  }

  positionOf(slot: number): number {
    const slots = this.records.length;
    const position = this.first - (this.first % slots) + slot;
    return position < this.first ? position + slots : position;
  }

  isWaiting(slot: number): boolean {
    return this.#isWaiting[slot] === 1;
  }

  /** Adds a record; gives its slot. */
  add(record: number, digest: Digest): number {
    if (this.next - this.first === this.records.length) this.#grow();
    const slot = this.slotOf(this.next);
    this.#index.link(slot, digest);
    this.#isWaiting[slot] = 1;
    this.records[slot] = record;
    this.equals[slot] = record;
    this.gaps[slot] = 0;
    this.next += 1;
    this.size += 1;
    return slot;
  }

  /** Ends the waiting of a record. */
  remove(slot: number): void {
    this.#index.unlink(slot);
    this.#isWaiting[slot] = 0;
    this.size -= 1;
    while (this.first < this.next && !this.isWaiting(this.slotOf(this.first))) this.first += 1;
  }

  /** Ends the waiting of a record for which an equal one has come: of equal records, the last ones go on waiting. */
  removeEqual(slot: number, digest: Digest): void {
    const first = this.#withFirstEqual(digest);
    if ((this.equals[first] ?? 0) < (this.equals[slot] ?? 0)) this.equals[first] = this.equals[slot] ?? 0;
    this.remove(slot);
  }

  /** Ends the waiting of a record that came altered: if an equal record was to be missing for it, that is missing for another one. */
  removeAltered(slot: number): void {
    const digest: Digest = { low: 0, high: 0 };
    this.#index.read(slot, digest);
    if ((this.equals[slot] ?? 0) > (this.records[slot] ?? 0)) this.removeEqual(slot, digest);
    else this.remove(slot);
  }

  /** A delivered record takes the place of the first of its equals that wait: the last ones are missing. */
  moveToLastEqual(digest: Digest, record: number): void {
    const first = this.#withFirstEqual(digest);
    if (first !== -1) this.equals[first] = record;
  }

  /** Received records that equal one that was sent and delivered came once more than they were sent. */
  noteSent(digest: Digest, record: number): void {
    for (const slot of this.equalTo(digest)) {
      if (this.equals[slot] !== UNLIKE) return;
      this.equals[slot] = record;
    }
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
      const slot = this.slotOf(at);
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

  /** The slots of the records that wait in the first gap, if it is a certain one; in order. */
  slotsIn(gap: number): Int32Array {
    let count = 0;
    let end = this.first;
    for (; end < this.next; end += 1) {
      const slot = this.slotOf(end);
      if (!this.isWaiting(slot)) continue;
      if (this.gaps[slot] !== gap) break;
      count += 1;
    }
    const slots = new Int32Array(count);
    let index = 0;
    for (let position = this.first; position < end; position += 1) {
      const slot = this.slotOf(position);
      if (!this.isWaiting(slot)) continue;
      slots[index] = slot;
      index += 1;
    }
    return slots;
  }

  /** Of the records that equal a given one, the one that is missing first; -1 for none. */
  #withFirstEqual(digest: Digest): number {
    let first = -1;
    for (const slot of this.equalTo(digest)) {
      if (first === -1 || (this.equals[slot] ?? 0) < (this.equals[first] ?? 0)) first = slot;
    }
    return first;
  }

  /** Makes more slots. Positions stay. */
  #grow(): void {
    const slots = GROWTH * this.records.length;
    const index = new DigestIndex(slots);
    const isWaiting = new Uint8Array(slots);
    const digest: Digest = { low: 0, high: 0 };
    for (let position = this.first; position < this.next; position += 1) {
      const from = this.slotOf(position);
      if (!this.isWaiting(from)) continue;
      this.#index.read(from, digest);
      index.link(position % slots, digest);
      isWaiting[position % slots] = 1;
    }
    this.#index = index;
    this.#isWaiting = isWaiting;
    const { first, next } = this;
    this.gaps = widened(this.gaps, slots, first, next);
    this.equals = widened(this.equals, slots, first, next);
    if (this.places.length > 0) this.places = widened(this.places, slots, first, next);
    this.records = widened(this.records, slots, first, next);
  }
}

/** Copies the positions in use of a ring to a larger one. */
function widened(column: Float64Array, slots: number, first: number, next: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(slots);
  for (let position = first; position < next; position += 1) {
    larger[position % slots] = column[position % column.length] ?? 0;
  }
  return larger;
}
