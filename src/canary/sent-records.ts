import { MIN_FRAGMENT_BYTES } from '../compare/alteration.js';
import type { Digest } from '../compare/digest.js';
import type { RecordForm } from '../compare/form.js';
import { Ring, type WaitingRecord } from '../compare/ring.js';
import { recordOn } from '../input/log-lines.js';
import { TIMESTAMP_END } from '../log/record.js';
import type { CameRecord } from './came-record.js';

/** A request of which records were written. */
export interface SentRequest {
  /** The number in its mark. */
  readonly request: number;
  /** The number of its first record among those that are compared, from 0. */
  readonly firstRecord: number;
  /** When it was written: on the steady clock, and Unix time. */
  readonly sentMs: number;
  readonly writtenMs: number;
}

/** A record that was written. */
export interface SentRecord extends Omit<SentRequest, 'firstRecord'> {
  /** Its number among the records that are compared, from 0. */
  readonly record: number;
  /** Its line, and the compared part of it: byte strings without LF. */
  readonly text: string;
  readonly compared: string;
  /** False for a record that carries no target: equal ones count, they are not told apart. */
  readonly isMarked: boolean;
}

/** A record that has come, and what had become of it before. */
export interface KnownRecord extends Omit<SentRecord, 'text' | 'compared'> {
  readonly was: 'outstanding' | 'missing' | 'received';
  /** The compared part of it; undefined if it was not outstanding. */
  readonly compared: string | undefined;
}

/** The records that are due and have not come. */
interface DueRecords {
  readonly due: readonly SentRecord[];
  /** True if others came that would be due. */
  readonly hasPassed: boolean;
  /** True if the one of all that was written last is among those that have not come. */
  readonly endsInLoss: boolean;
}

/** The ring grows as it fills: to rate times `--late`, and a quarter more at most. */
const GROWTH = 1.25;

/** The records that were written, until they are forgotten: the digests of all, the texts of those that are outstanding. */
export class SentRecords {
  /** The latest request that was forgotten. */
  forgotten = 0;
  readonly #ring = new Ring(Infinity, GROWTH);
  /** Records that have not come and are not due, the oldest first. */
  readonly #outstanding = new Map<number, SentRecord>();
  readonly #missing = new Set<number>();
  /** The requests that are remembered, the oldest first. */
  readonly #requests: SentRequest[] = [];
  /** The number of the next record, and of the first one that is not due. */
  #next = 0;
  #firstNotDue = 0;
  /** The digests of records without a mark that have come, and when they were sent. */
  readonly #unmarked = new Map<string, number>();
  readonly #beginnings = new Beginnings();
  readonly #isSame: RecordForm['isSame'];

  /** @param isSame tells where equal digests are not enough */
  constructor(isSame: RecordForm['isSame']) {
    this.#isSame = isSame;
  }

  /** The number of records that are outstanding. */
  get outstanding(): number {
    return this.#outstanding.size;
  }

  /** The oldest of them; undefined if there is none. */
  get oldest(): SentRecord | undefined {
    const [oldest] = this.#outstanding.values();
    return oldest;
  }

  add(sent: SentRecord, { low, high, exact }: Digest): void {
    const { record, request, sentMs, writtenMs, isMarked } = sent;
    if (this.#requests.at(-1)?.request !== request) this.#requests.push({ request, firstRecord: record, sentMs, writtenMs });
    const address = isMarked ? request : NaN;
    this.#ring.add({ low, high, exact, record, line: 0, address, seenMs: sentMs, reason: undefined, isDuplicate: false });
    this.#outstanding.set(record, sent);
    this.#beginnings.add(sent);
    this.#next = record + 1;
  }

  /** Finds the outstanding record that a record is: its position in the ring; -1 for none. */
  #findOutstanding(came: CameRecord): number {
    const isSame = ({ compared }: SentRecord): boolean => this.#isSame?.(compared, came.compared) ?? true;
    return this.#find(came, (_, sent) => sent !== undefined && isSame(sent));
  }

  /** True for a record that is outstanding, and was sent at a moment or before. */
  isOutstanding(came: CameRecord, sentMs: number): boolean {
    const position = this.#findOutstanding(came);
    return position !== -1 && this.#ring.at(position).seenMs <= sentMs;
  }

  /**
   * Finds the record that has come: one that is outstanding, else one that is missing, else one that was received before. Equal records
   * without a mark are only counted: one that has come is forgotten.
   */
  receive(came: CameRecord): KnownRecord | undefined {
    let position = this.#findOutstanding(came);
    if (position === -1) position = this.#find(came, ({ record }) => this.#missing.has(record));
    if (position === -1) position = this.#find(came, ({ address }, sent) => sent === undefined && !Number.isNaN(address));
    if (position === -1) return undefined;
    const { record, address } = this.#ring.at(position);
    const isMarked = !Number.isNaN(address);
    const compared = this.#takeOutstanding(record)?.compared;
    const was = compared !== undefined ? 'outstanding' : this.#missing.delete(record) ? 'missing' : 'received';
    const { request, sentMs, writtenMs } = this.#requestOf(record);
    if (!isMarked) {
      this.#ring.remove(position);
      // The latest last: they are forgotten in this order.
      this.#unmarked.delete(keyOf(came));
      this.#unmarked.set(keyOf(came), sentMs);
    }
    return { record, request, sentMs, writtenMs, isMarked, was, compared };
  }

  /** True for a record that equals a record without a mark which has come. */
  equalsUnmarked(came: CameRecord): boolean {
    return this.#unmarked.has(keyOf(came));
  }

  /** Takes out the records that were sent at a moment or before and are outstanding. */
  takeDue(sentMs: number): DueRecords {
    const due: SentRecord[] = [];
    for (const sent of this.#outstanding.values()) {
      if (sent.sentMs > sentMs) break;
      due.push(sent);
    }
    for (const { record } of due) this.#takeOutstanding(record);
    const before = this.#firstNotDue;
    const next = this.#requests[this.#countRequests((request) => request.sentMs <= sentMs)];
    this.#firstNotDue = next?.firstRecord ?? this.#next;
    const endsInLoss = due.length > 0 && due.at(-1)?.record === this.#firstNotDue - 1;
    return { due, hasPassed: this.#firstNotDue - before > due.length, endsInLoss };
  }

  /** Notes that a record is missing, after it was due. */
  miss({ record }: SentRecord): void {
    this.#missing.add(record);
  }

  /** Forgets the records that were sent at a moment or before; none is outstanding. */
  forget(sentMs: number): void {
    const ring = this.#ring;
    while (ring.size > 0) {
      const { seenMs, record } = ring.at(ring.first);
      if (seenMs > sentMs) break;
      this.#missing.delete(record);
      ring.remove(ring.first);
    }
    const isForgotten = (request: SentRequest): boolean => request.sentMs <= sentMs;
    for (const { request } of this.#requests.splice(0, this.#countRequests(isForgotten))) this.forgotten = request;
    for (const [key, seenMs] of this.#unmarked) {
      if (seenMs > sentMs) break;
      this.#unmarked.delete(key);
    }
  }

  /** True for a record that is outstanding. */
  has(record: number): boolean {
    return this.#outstanding.has(record);
  }

  /**
   * Finds the outstanding record that a line is the beginning of, and no whole record itself: the next one behind those that came, else
   * any. Many records of a second begin alike: each is found once.
   *
   * @param line a byte string without LF
   * @param latest the number of the record that came last before it
   */
  findBegun(line: string, latest: number): number | undefined {
    if (line.length < MIN_FRAGMENT_BYTES) return undefined;
    // Of other traffic in the same log, all but broken records are told at once.
    if (recordOn(line)?.kind === 'load_failure') return undefined;
    return this.#beginnings.take(line, latest);
  }

  #find(came: CameRecord, isPossible: (waiting: WaitingRecord, sent: SentRecord | undefined) => boolean): number {
    const ring = this.#ring;
    return ring.find(came, (at) => {
      const waiting = ring.at(at);
      return isPossible(waiting, this.#outstanding.get(waiting.record));
    });
  }

  #takeOutstanding(record: number): SentRecord | undefined {
    const sent = this.#outstanding.get(record);
    if (sent === undefined) return undefined;
    this.#outstanding.delete(record);
    this.#beginnings.delete(sent);
    return sent;
  }

  /** The request of a record that is remembered. */
  #requestOf(record: number): SentRequest {
    const index = this.#countRequests(({ firstRecord }) => firstRecord <= record) - 1;
    return this.#requests[index] ?? { request: NaN, firstRecord: record, sentMs: NaN, writtenMs: NaN };
  }

  /** The number of requests at the beginning of which something is true, and of none behind them. */
  #countRequests(isTrue: (request: SentRequest) => boolean): number {
    let [count, until] = [0, this.#requests.length];
    while (count < until) {
      const middle = (count + until) >> 1;
      const request = this.#requests[middle];
      if (request !== undefined && isTrue(request)) count = middle + 1;
      else until = middle;
    }
    return count;
  }
}

function keyOf({ low, high }: Digest): string {
  return `${String(low)} ${String(high)}`;
}

/** The outstanding records of which no beginning has come, by their first bytes: those of one second, in the order of their numbers. */
class Beginnings {
  readonly #bySecond = new Map<string, Set<SentRecord>>();

  add(sent: SentRecord): void {
    const key = sent.compared.slice(0, TIMESTAMP_END);
    const others = this.#bySecond.get(key);
    if (others === undefined) this.#bySecond.set(key, new Set([sent]));
    else others.add(sent);
  }

  delete(sent: SentRecord): void {
    const key = sent.compared.slice(0, TIMESTAMP_END);
    const others = this.#bySecond.get(key);
    others?.delete(sent);
    if (others?.size === 0) this.#bySecond.delete(key);
  }

  /** Takes out the record that a line is the beginning of: the next one behind another, else any. Returns its number. */
  take(line: string, latest: number): number | undefined {
    let found: SentRecord | undefined;
    for (const sent of this.#possible(line)) {
      if (sent.compared.length <= line.length || !sent.compared.startsWith(line)) continue;
      found ??= sent;
      if (sent.record <= latest) continue;
      found = sent;
      break;
    }
    if (found !== undefined) this.delete(found);
    return found?.record;
  }

  *#possible(line: string): Generator<SentRecord> {
    if (line.length >= TIMESTAMP_END) {
      yield* this.#bySecond.get(line.slice(0, TIMESTAMP_END)) ?? [];
      return;
    }
    for (const [key, records] of this.#bySecond) if (key.startsWith(line)) yield* records;
  }
}
