import type { Digest } from './digest.js';

/** The slots that a ring begins with, before it grows to its largest size: memory that is not touched is not taken. */
const FIRST_SLOTS = 1 << 10;

/** When the ring is full, the newest records, in this share of the slots, go on waiting; older ones are decided. */
const KEPT_SHARE = 8 / 9;

/** A trait is one of these, or the number of a reason. */
const [NO_TRAIT, DUPLICATE] = [0, -1];

export interface WaitingRecord extends Digest {
  readonly record: number;
  readonly line: number;
  readonly address: number;
  readonly seenMs: number;
  /** The reason that it cannot be a record; undefined for a record. */
  readonly reason: string | undefined;
  /** True if an equal record was sent, and delivered. */
  readonly isDuplicate: boolean;
}

/** Tells whether the record at a position is the one that is looked for; undefined where no more records may be looked at. */
export type IsSameAt = (position: number) => boolean | undefined;

interface RingOptions {
  readonly maxSlots: number;
  /** True if records of other bytes may have the same digest. */
  readonly hasExact?: boolean;
  readonly hasTimes?: boolean;
}

/** The records of one side that wait for their counterparts, in typed arrays: a slot for each position modulo the number of slots. */
export class Ring {
  size = 0;
  /** The first position in use, and the next one. */
  first = 0;
  next = 0;
  #found = -1;
  readonly #options: RingOptions;
  #slots = 0;
  #columns = createColumns(0, {});
  readonly #reasons: (string | undefined)[] = [undefined];

  constructor(options: RingOptions) {
    this.#options = options;
  }

  isFull(more: number): boolean {
    return this.next - this.first + more > this.#options.maxSlots;
  }

  get duePosition(): number {
    return this.next - Math.floor(KEPT_SHARE * this.#options.maxSlots);
  }

  /** The record at a position, of one that waits or has just been removed. */
  at(position: number): WaitingRecord {
    const slot = this.#slotOf(position);
    const { byDigest, byExact, high, trait, record, line, address, seenMs } = this.#columns;
    return {
      low: byDigest.keys[slot] ?? 0,
      high: high[slot] ?? 0,
      exact: byExact?.keys[slot] ?? 0,
      record: record[slot] ?? 0,
      line: line[slot] ?? 0,
      address: address[slot] ?? 0,
      seenMs: seenMs[slot] ?? NaN,
      reason: this.#reasons[trait[slot] ?? 0],
      isDuplicate: trait[slot] === DUPLICATE,
    };
  }

  add(record: WaitingRecord): void {
    if (this.next - this.first >= this.#slots) this.#grow();
    this.#put(this.next, record);
    this.next += 1;
    this.size += 1;
  }

  #put(position: number, { low, high, exact, record, line, address, seenMs, reason, isDuplicate }: WaitingRecord): void {
    const columns = this.#columns;
    const slot = this.#slotOf(position);
    if (reason !== undefined && !this.#reasons.includes(reason)) this.#reasons.push(reason);
    columns.high[slot] = high;
    columns.trait[slot] = reason !== undefined ? this.#reasons.indexOf(reason) : isDuplicate ? DUPLICATE : NO_TRAIT;
    columns.record[slot] = record;
    columns.line[slot] = line;
    columns.address[slot] = address;
    columns.seenMs[slot] = seenMs;
    columns.byDigest.link(slot, low);
    columns.byExact?.link(slot, exact);
  }

  remove(position: number): void {
    this.#columns.byDigest.unlink(this.#slotOf(position));
    this.#columns.byExact?.unlink(this.#slotOf(position));
    this.size -= 1;
    while (this.first < this.next && !this.has(this.first)) this.first += 1;
  }

  has(position: number): boolean {
    return this.#columns.byDigest.has(this.#slotOf(position));
  }

  /** The positions at which records wait; those that are given may be removed. */
  *positions(): Generator<number> {
    for (let position = this.first; position < this.next; position += 1) if (this.has(position)) yield position;
  }

  /**
   * Finds a record: the first behind the one that was found last, else the oldest; records of the same bytes come first. Returns its position,
   * -1 for none. @param isSameAt undefined where equal digests are enough @param isBehind true if only one behind the last found will do
   */
  find(digest: Digest, isSameAt: IsSameAt | undefined, isBehind = false): number {
    if (this.size === 0) return -1;
    const { byDigest, byExact } = this.#columns;
    let found = byExact === undefined ? -1 : this.#findIn(byExact, digest.exact, digest, isSameAt, isBehind);
    if (found === -1) found = this.#findIn(byDigest, digest.low, digest, isSameAt, isBehind);
    if (found !== -1) this.#found = found;
    return found;
  }

  #findIn(chains: Chains, key: number, { low, high }: Digest, isSameAt: IsSameAt | undefined, isBehind: boolean): number {
    const columns = this.#columns;
    let found = -1;
    for (let slot = chains.nextOf(key, 0); slot !== 0; slot = chains.nextOf(key, slot)) {
      if (columns.high[slot] !== high || columns.byDigest.keys[slot] !== low) continue;
      const position = this.first + ((slot - this.#slotOf(this.first) + this.#slots) % this.#slots);
      if (position <= this.#found && (found !== -1 || isBehind)) continue;
      const isSame = isSameAt?.(position);
      if (isSameAt !== undefined && isSame === undefined) return found;
      if (isSame === false) continue;
      found = position;
      if (position > this.#found) return found;
    }
    return found;
  }

  #slotOf(position: number): number {
    return 1 + (position % this.#slots);
  }

  /** Makes more slots. Positions stay. */
  #grow(): void {
    const waiting = Array.from(this.positions(), (position) => [position, this.at(position)] as const);
    const { maxSlots } = this.#options;
    this.#slots = this.#slots === 0 ? Math.min(FIRST_SLOTS, maxSlots) : maxSlots;
    this.#columns = createColumns(this.#slots, this.#options);
    for (const [position, record] of waiting) this.#put(position, record);
  }
}

function createColumns(slots: number, { hasExact = false, hasTimes = false }: Omit<RingOptions, 'maxSlots'>) {
  return {
    byDigest: new Chains(slots),
    /** Slots by the exact part of the digest; undefined where equal digests are equal records. */
    byExact: hasExact ? new Chains(slots) : undefined,
    high: new Int32Array(slots + 1),
    trait: new Int32Array(slots + 1),
    record: new Float64Array(slots + 1),
    line: new Float64Array(slots + 1),
    address: new Float64Array(slots + 1),
    seenMs: new Float64Array(hasTimes ? slots + 1 : 0),
  };
}

/** A hash table with chains, in typed arrays: slots by their keys, those of one key in the order in which they were linked. 0 is no slot. */
class Chains {
  readonly keys: Int32Array;
  readonly #lasts: Int32Array;
  readonly #after: Int32Array;
  readonly #before: Int32Array;

  constructor(slots: number) {
    this.#lasts = new Int32Array(2 ** Math.floor(Math.log2(Math.max(1, slots))));
    [this.keys, this.#after, this.#before] = [new Int32Array(slots + 1), new Int32Array(slots + 1), new Int32Array(slots + 1)];
  }

  has(slot: number): boolean {
    return this.#after[slot] !== 0;
  }

  /** The next slot of a key behind another one, 0 for none. @param behind 0 for the first one */
  nextOf(key: number, behind: number): number {
    const last = this.#lasts[this.#chainOf(key)] ?? 0;
    if (last === behind) return 0;
    for (let slot = this.#after[behind === 0 ? last : behind] ?? 0; ; slot = this.#after[slot] ?? 0) {
      if (this.keys[slot] === key) return slot;
      if (slot === last) return 0;
    }
  }

  link(slot: number, key: number): void {
    const chain = this.#chainOf(key);
    const last = this.#lasts[chain] ?? 0;
    const [before, after] = last === 0 ? [slot, slot] : [last, this.#after[last] ?? 0];
    this.keys[slot] = key;
    [this.#after[slot], this.#before[slot]] = [after, before];
    [this.#after[before], this.#before[after]] = [slot, slot];
    this.#lasts[chain] = slot;
  }

  unlink(slot: number): void {
    const chain = this.#chainOf(this.keys[slot] ?? 0);
    const [after, before] = [this.#after[slot] ?? 0, this.#before[slot] ?? 0];
    [this.#after[before], this.#before[after]] = [after, before];
    if (this.#lasts[chain] === slot) this.#lasts[chain] = before === slot ? 0 : before;
    this.#after[slot] = 0;
  }

  #chainOf(key: number): number {
    return key & (this.#lasts.length - 1);
  }
}
