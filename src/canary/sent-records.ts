import { MIN_FRAGMENT_BYTES } from '../compare/alteration.js';
import type { RecordForm } from '../compare/form.js';
import { recordOn } from '../input/log-lines.js';
import { Beginnings, type ReadRecord } from './read-record.js';

export interface SentRequest {
  readonly number: number;
  /** When it was written: on the steady clock, and Unix time. */
  readonly sentMs: number;
  readonly writtenMs: number;
  readonly waiting: SentRecord[];
  /** The keys of those that have come: a few bytes a record, since they are remembered for long. */
  readonly came: number[];
}

export interface SentRecord {
  readonly request: SentRequest;
  /** Its number among all that are compared, from 0. */
  readonly number: number;
  readonly key: number;
  /** False for a record that carries no target: equal ones count, they are not told apart. */
  readonly isMarked: boolean;
  isMissing: boolean;
  /** Its line, and the compared part of it: byte strings without LF; empty once it is missing. */
  text: string;
  compared: string;
}

/** The records that were written, until they are forgotten. */
export class SentRecords {
  count = 0;
  forgotten = 0;
  readonly #requests = new Map<number, SentRequest>();
  readonly #notDue = new Set<SentRequest>();
  readonly #outstanding = new Set<SentRecord>();
  readonly #beginnings = new Beginnings<SentRecord>();
  /** Those without a mark that have not come, by their keys; a key is remembered as its records are. */
  readonly #unmarked = new Map<number, Set<SentRecord>>();
  readonly #isSame: RecordForm['isSame'];

  constructor(isSame: RecordForm['isSame']) {
    this.#isSame = isSame;
  }

  get outstanding(): number {
    return this.#outstanding.size;
  }

  /** When the oldest record that is outstanding was sent; undefined if there is none. */
  get oldestMs(): number | undefined {
    const [oldest] = this.#outstanding;
    return oldest?.request.sentMs;
  }

  add(
    sent: Pick<SentRequest, 'number' | 'sentMs' | 'writtenMs'>,
    records: readonly (ReadRecord & Pick<SentRecord, 'isMarked'>)[],
  ): void {
    const request: SentRequest = { ...sent, waiting: [], came: [] };
    this.#requests.set(request.number, request);
    this.#notDue.add(request);
    for (const { key, isMarked, text, compared } of records) {
      const record: SentRecord = { request, number: this.count, key, isMarked, isMissing: false, text, compared };
      this.count += 1;
      request.waiting.push(record);
      this.#outstanding.add(record);
      this.#beginnings.add(record);
      if (!isMarked) this.#unmarked.set(key, (this.#unmarked.get(key) ?? new Set()).add(record));
    }
  }

  /** Finds the record that has come: an outstanding one, else a missing one; undefined if it comes again. @param number the number of its mark */
  find(came: ReadRecord, number: number | undefined): { readonly request: SentRequest; readonly sent?: SentRecord } | undefined {
    const request = number === undefined ? undefined : this.#requests.get(number);
    let missing: SentRecord | undefined;
    for (const sent of request?.waiting ?? this.#unmarked.get(came.key) ?? []) {
      if (sent.key !== came.key) continue;
      if (sent.isMissing) missing ??= sent;
      else if (this.#isSame?.(sent.compared, came.compared) !== false) return { request: sent.request, sent };
    }
    if (missing !== undefined) return { request: missing.request, sent: missing };
    return request?.came.includes(came.key) === true ? { request } : undefined;
  }

  /** True for a record that equals records without a mark, all of which have come. */
  equalsUnmarked({ key }: ReadRecord): boolean {
    return this.#unmarked.has(key);
  }

  /** True for a line that is the beginning of an outstanding record. Of other traffic in the same log, all but broken records are told at once. */
  isBeginning(line: ReadRecord): boolean {
    const { compared } = line;
    if (compared.length < MIN_FRAGMENT_BYTES || recordOn(compared)?.kind === 'load_failure') return false;
    for (const sent of this.#beginnings.like(line)) if (isCut(compared, sent)) return true;
    return false;
  }

  take(sent: SentRecord): void {
    const { request, key } = sent;
    if (this.#outstanding.delete(sent)) this.#beginnings.delete(sent);
    if (!sent.isMarked) this.#unmarked.get(key)?.delete(sent);
    request.waiting.splice(request.waiting.indexOf(sent), 1);
    request.came.push(key);
  }

  miss(sent: SentRecord): void {
    this.#outstanding.delete(sent);
    this.#beginnings.delete(sent);
    sent.isMissing = true;
    sent.text = sent.compared = '';
  }

  /** Takes the requests that were sent at a moment or before, and were not due: what has not come of them is now. */
  takeDue(sentMs: number): readonly SentRequest[] {
    const due: SentRequest[] = [];
    for (const request of this.#notDue) {
      if (request.sentMs > sentMs) break;
      this.#notDue.delete(request);
      due.push(request);
    }
    return due;
  }

  /** Forgets the records that were sent at a moment or before; none is outstanding. */
  forget(sentMs: number): void {
    for (const request of this.#requests.values()) {
      if (request.sentMs > sentMs) break;
      this.#requests.delete(request.number);
      this.forgotten = request.number;
      for (const sent of Array.from(request.waiting)) this.take(sent);
      for (const key of request.came) if (this.#unmarked.get(key)?.size === 0) this.#unmarked.delete(key);
    }
  }
}

/** True for a line that a record begins with, and does not end with. */
export function isCut(line: string, { compared }: SentRecord): boolean {
  return line.length < compared.length && compared.startsWith(line);
}
