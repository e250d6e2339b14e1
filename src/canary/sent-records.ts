import { MIN_FRAGMENT_BYTES } from '../compare/alteration.js';
import type { Digest } from '../compare/digest.js';
import type { RecordForm } from '../compare/form.js';
import { Ring, type WaitingRecord } from '../compare/ring.js';
import { recordOn } from '../input/log-lines.js';
import type { CameRecord } from './came-record.js';

/** A record that was written. */
export interface SentRecord {
  /** Its number among the records that are compared, from 0. */
  readonly record: number;
  /** Its number among all records that the run wrote, from 1. */
  readonly line: number;
  /** Its line, and the compared part of it: byte strings without LF. */
  readonly text: string;
  readonly compared: string;
  /** The number of its request; undefined for a record that carries no target. */
  readonly request: number | undefined;
  readonly sentMs: number;
}

/** A record that has come, and what had become of it before. */
export interface KnownRecord extends Pick<SentRecord, 'record' | 'request' | 'sentMs'> {
  readonly was: 'outstanding' | 'missing' | 'received';
  /** The compared part of it; undefined if it was not outstanding. */
  readonly compared: string | undefined;
}

/** The ring grows as it fills: by rate times `--late`. */
const GROWTH = 2;

/** The records that were written, until they are forgotten: the digests of all, the texts of those that are outstanding. */
export class SentRecords {
  /** The latest request of which a record was forgotten. */
  forgotten = 0;
  readonly #ring = new Ring(Infinity, GROWTH);
  /** Records that have not come and are not due, the oldest first. */
  readonly #outstanding = new Map<number, SentRecord>();
  readonly #missing = new Set<number>();

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
    const { record, line, sentMs, request = NaN } = sent;
    this.#ring.add({ low, high, exact, record, line, address: request, seenMs: sentMs, reason: undefined, isDuplicate: false });
    this.#outstanding.set(record, sent);
  }

  /**
   * Finds the record that has come: one that is outstanding, else one that is missing, else one that was received before. Equal records
   * without a mark are only counted: one that has come is forgotten.
   */
  receive(came: CameRecord): KnownRecord | undefined {
    const ring = this.#ring;
    const isSame = ({ compared }: SentRecord): boolean => this.#isSame?.(compared, came.compared) ?? true;
    const find = (isPossible: (waiting: WaitingRecord, sent: SentRecord | undefined) => boolean): number =>
      ring.find(came, (at) => isPossible(ring.at(at), this.#outstanding.get(ring.at(at).record)));
    let position = find((_, sent) => sent !== undefined && isSame(sent));
    if (position === -1) position = find(({ record }) => this.#missing.has(record));
    if (position === -1) position = find(({ address }, sent) => sent === undefined && !Number.isNaN(address));
    if (position === -1) return undefined;
    const { record, address, seenMs: sentMs } = ring.at(position);
    const request = Number.isNaN(address) ? undefined : address;
    const compared = this.#outstanding.get(record)?.compared;
    const was = this.#outstanding.delete(record) ? 'outstanding' : this.#missing.delete(record) ? 'missing' : 'received';
    if (request === undefined) ring.remove(position);
    return { record, request, sentMs, was, compared };
  }

  /** Takes out the records that were sent at a moment or before and are outstanding. */
  takeDue(sentMs: number): readonly SentRecord[] {
    const due: SentRecord[] = [];
    for (const sent of this.#outstanding.values()) {
      if (sent.sentMs > sentMs) break;
      due.push(sent);
    }
    for (const { record } of due) this.#outstanding.delete(record);
    return due;
  }

  /** Notes that a record is missing, after it was due. */
  miss({ record }: SentRecord): void {
    this.#missing.add(record);
  }

  /** Forgets the records that were sent at a moment or before; none is outstanding. */
  forget(sentMs: number): void {
    const ring = this.#ring;
    while (ring.size > 0) {
      const { seenMs, record, address } = ring.at(ring.first);
      if (seenMs > sentMs) return;
      if (address > this.forgotten) this.forgotten = address;
      this.#missing.delete(record);
      ring.remove(ring.first);
    }
  }

  /** True for a record that is outstanding. */
  has(record: number): boolean {
    return this.#outstanding.has(record);
  }

  /**
   * Finds the outstanding record that a line is the beginning of, and no whole record itself: the next one behind those that came, else
   * any. Many records of a second begin alike.
   *
   * @param line a byte string without LF
   * @param latest the number of the record that came last before it
   */
  findBegun(line: string, latest: number): number | undefined {
    if (line.length < MIN_FRAGMENT_BYTES || !line.startsWith('[')) return undefined;
    // Of other traffic in the same log, all but broken records are told at once.
    if (recordOn(line)?.kind === 'load_failure') return undefined;
    let found: number | undefined;
    for (const { record, compared } of this.#outstanding.values()) {
      if (compared.length <= line.length || !compared.startsWith(line)) continue;
      if (record > latest) return record;
      found ??= record;
    }
    return found;
  }
}
