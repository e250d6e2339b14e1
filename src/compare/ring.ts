import type { Digest } from './equality.js';

/** The slots that a ring begins with, before it grows to its largest size: memory that is not touched is not taken. */
const FIRST_SLOTS = 1 << 10;

/** When the ring is full, the newest records, in this share of the slots, go on waiting; older ones are decided. */
const KEPT_SHARE = 8 / 9;

/** A trait is this, or the index of a reason. */
const DUPLICATE = -1;

export interface WaitingRecord extends Digest {
  readonly record: number;
  readonly line: number;
  readonly address: number;
  readonly seenMs: number;
  readonly reason: string | undefined;
  /** An equal record was sent, and delivered. */
  readonly isDuplicate: boolean;
}

/** Tells whether the record at a position is the one that is looked for; undefined where no more records may be looked at. */
export type IsSameAt = (position: number) => boolean | undefined;

/** The records of one side that wait, in typed arrays: a slot for each position modulo their number, from 1. A hash table chains them in circles. */
export class Ring {
  size = 0;
  /** The first position in use, and the next one. */
  first = 0;
  next = 0;
  #found = -1;
  #slots = 0;
  #columns = createColumns(0, false, false);
  readonly #reasons: (string | undefined)[] = [undefined];

  /** @param hasExact true if records of other bytes may have the same digest */
  constructor(
    private readonly maxSlots: number,
    private readonly hasExact: boolean,
    private readonly hasTimes: boolean,
  ) {}

  isFull(more: number): boolean {
    return this.next - this.first + more > this.maxSlots;
  }

  get duePosition(): number {
    return this.next - Math.floor(KEPT_SHARE * this.maxSlots);
  }

  /** The record at a position, of one that waits or has just been removed. */
  at(position: number): WaitingRecord {
    const slot = this.#slotOf(position);
    const { low, high, exact, trait, record, line, address, seenMs } = this.#columns;
    return {
      low: low[slot] ?? 0,
      high: high[slot] ?? 0,
      exact: exact[slot] ?? 0,
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
    if (!this.#reasons.includes(reason)) this.#reasons.push(reason);
    columns.trait[slot] = isDuplicate ? DUPLICATE : this.#reasons.indexOf(reason);
    columns.low[slot] = low;
    columns.high[slot] = high;
    columns.exact[slot] = exact;
    columns.record[slot] = record;
    columns.line[slot] = line;
    columns.address[slot] = address;
    columns.seenMs[slot] = seenMs;
    const { lasts, after } = columns;
    const chain = this.#chainOf(low);
    const last = lasts[chain] ?? 0;
    after[slot] = last === 0 ? slot : (after[last] ?? 0);
    after[last] = slot;
    lasts[chain] = slot;
  }

  remove(position: number): void {
    const { low, lasts, after } = this.#columns;
    const slot = this.#slotOf(position);
    const chain = this.#chainOf(low[slot] ?? 0);
    let before = lasts[chain] ?? 0;
    while (after[before] !== slot) before = after[before] ?? 0;
    after[before] = after[slot] ?? 0;
    if (lasts[chain] === slot) lasts[chain] = before === slot ? 0 : before;
    after[slot] = 0;
    this.size -= 1;
    while (this.first < this.next && !this.has(this.first)) this.first += 1;
  }

  has(position: number): boolean {
    return this.#columns.after[this.#slotOf(position)] !== 0;
  }

  *positions(): Generator<number> {
    for (let position = this.first; position < this.next; position += 1) if (this.has(position)) yield position;
  }

  /** Finds the first position behind the one found last, else (unless `isBehind`) the oldest; -1 for none. Records of the same bytes come first. */
  find(digest: Digest, isSameAt: IsSameAt | undefined, isBehind = false): number {
    if (this.size === 0) return -1;
    let found = isSameAt === undefined ? -1 : this.#find(digest, isSameAt, isBehind, true);
    if (found === -1) found = this.#find(digest, isSameAt, isBehind, false);
    if (found !== -1) this.#found = found;
    return found;
  }

  #find({ low, high, exact }: Digest, isSameAt: IsSameAt | undefined, isBehind: boolean, isExact: boolean): number {
    const columns = this.#columns;
    const last = columns.lasts[this.#chainOf(low)] ?? 0;
    let found = -1;
    let slot = last;
    while (slot !== 0) {
      slot = columns.after[slot] ?? 0;
      const isAlike = columns.low[slot] === low && columns.high[slot] === high && (!isExact || columns.exact[slot] === exact);
      const position = this.first + ((slot - this.#slotOf(this.first) + this.#slots) % this.#slots);
      if (isAlike && (position > this.#found || (found === -1 && !isBehind))) {
        const isSame = isSameAt === undefined || isSameAt(position);
        if (isSame === true) found = position;
        if (isSame === undefined || found > this.#found) return found;
      }
      if (slot === last) break;
    }
    return found;
  }

  #slotOf(position: number): number {
    return 1 + (position % this.#slots);
  }

  #chainOf(low: number): number {
    return low & (this.#columns.lasts.length - 1);
  }

  #grow(): void {
    const waiting = Array.from(this.positions(), (position) => [position, this.at(position)] as const);
    this.#slots = this.#slots === 0 ? Math.min(FIRST_SLOTS, this.maxSlots) : this.maxSlots;
    this.#columns = createColumns(this.#slots, this.hasExact, this.hasTimes);
    for (const [position, record] of waiting) this.#put(position, record);
  }
}

function createColumns(slots: number, hasExact: boolean, hasTimes: boolean) {
  const integers = (isKept = true): Int32Array => new Int32Array(isKept ? slots + 1 : 0);
  const numbers = (isKept = true): Float64Array => new Float64Array(isKept ? slots + 1 : 0);
  return {
    low: integers(),
    high: integers(),
    exact: integers(hasExact),
    trait: integers(),
    after: integers(),
    lasts: new Int32Array(2 ** Math.floor(Math.log2(Math.max(1, slots)))),
    record: numbers(),
    line: numbers(),
    address: numbers(),
    seenMs: numbers(hasTimes),
  };
}
