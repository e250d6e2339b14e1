import { MIN_FRAGMENT_BYTES } from '../compare/alteration.js';
import type { RecordForm } from '../compare/form.js';
import { recordOn } from '../input/log-lines.js';
import { TIMESTAMP_END } from '../log/record.js';

/** A record that was read: byte strings without LF. */
export interface ReadRecord {
  /** Equal records have equal keys. */
  readonly key: number;
  readonly text: string;
  readonly compared: string;
  readonly reason: string | undefined;
  /** The requests whose marks it carries. Of several in a target the last one is its own. */
  readonly marks: readonly number[];
}

export interface SentRequest {
  readonly number: number;
  /** When it was written: on the steady clock, and Unix time. */
  readonly sentMs: number;
  readonly writtenMs: number;
  readonly waiting: SentRecord[];
  /** The keys of those that have come: a few bytes a record, since they are remembered for long. */
  readonly came: number[];
}

export interface SentRecord extends Pick<ReadRecord, 'key'> {
  readonly request: SentRequest;
  /** Its number among all that are compared, from 0. */
  readonly number: number;
  /** False for a record that carries no target: equal ones count, they are not told apart. */
  readonly isMarked: boolean;
  isMissing: boolean;
  /** Empty once it is missing. */
  text: string;
  compared: string;
}

export class SentRecords {
  count = 0;
  forgotten = 0;
  readonly #requests = new Map<number, SentRequest>();
  readonly #notDue: SentRequest[] = [];
  readonly #outstanding = new Set<SentRecord>();
  readonly #beginnings = new Beginnings<SentRecord>();
  /** Those without a mark that have not come, by their keys; a key is remembered as its records are. */
  readonly #unmarked = new Map<number, Set<SentRecord>>();

  constructor(private readonly isSame: RecordForm['isSame']) {}

  get outstanding(): number {
    return this.#outstanding.size;
  }

  get oldestMs(): number | undefined {
    const [oldest] = this.#outstanding;
    return oldest?.request.sentMs;
  }

  add(sent: Pick<SentRequest, 'number' | 'sentMs' | 'writtenMs'>, records: Iterable<ReadRecord>): void {
    const request: SentRequest = { ...sent, waiting: [], came: [] };
    this.#requests.set(request.number, request);
    this.#notDue.push(request);
    for (const { key, marks, text, compared } of records) {
      const isMarked = marks.length > 0;
      // Written out: an object made by spreading takes three times the memory, and an outage leaves many.
      const record: SentRecord = { request, number: this.count, key, isMarked, isMissing: false, text, compared };
      this.count += 1;
      request.waiting.push(record);
      this.#outstanding.add(record);
      this.#beginnings.add(record);
      if (!isMarked) this.#unmarked.set(key, (this.#unmarked.get(key) ?? new Set()).add(record));
    }
  }

  /** Finds the record that has come: an outstanding one, else a missing one; undefined if it comes again. */
  find({ key, compared, marks }: ReadRecord): { readonly request: SentRequest; readonly sent?: SentRecord } | undefined {
    const request = this.#requests.get(marks.at(-1) ?? NaN);
    const waiting = Array.from(request?.waiting ?? this.#unmarked.get(key) ?? []).filter((sent) => sent.key === key);
    const isSame = (sent: SentRecord): boolean => this.isSame?.(sent.compared, compared) !== false;
    const sent = waiting.find((record) => !record.isMissing && isSame(record)) ?? waiting.find(({ isMissing }) => isMissing);
    if (sent !== undefined) return { request: sent.request, sent };
    return request?.came.includes(key) === true ? { request } : undefined;
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
    if (!sent.isMissing) this.#settle(sent);
    this.#unmarked.get(key)?.delete(sent);
    request.waiting.splice(request.waiting.indexOf(sent), 1);
    request.came.push(key);
  }

  miss(sent: SentRecord): void {
    this.#settle(sent);
    sent.isMissing = true;
    sent.text = sent.compared = '';
  }

  #settle(sent: SentRecord): void {
    this.#outstanding.delete(sent);
    this.#beginnings.delete(sent);
  }

  /** Takes the requests that were sent at a moment or before, and were not due: what has not come of them is now. */
  takeDue(sentMs: number): readonly SentRequest[] {
    const end = this.#notDue.findIndex((request) => request.sentMs > sentMs);
    return this.#notDue.splice(0, end === -1 ? Infinity : end);
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

/** Records and lines by their first bytes, where a record has its time: those of one second. */
export class Beginnings<Entry extends Pick<ReadRecord, 'compared'>> {
  readonly #byStart = new Map<string, Set<Entry>>();

  add(entry: Entry): void {
    const start = startOf(entry);
    this.#byStart.set(start, (this.#byStart.get(start) ?? new Set()).add(entry));
  }

  delete(entry: Entry): void {
    const start = startOf(entry);
    const others = this.#byStart.get(start);
    others?.delete(entry);
    if (others?.size === 0) this.#byStart.delete(start);
  }

  /** Those that begin as another one does, as far as both go; first those that go as far. */
  *like(other: Pick<ReadRecord, 'compared'>): Generator<Entry> {
    const own = startOf(other);
    yield* this.#byStart.get(own) ?? [];
    for (const [start, entries] of this.#byStart)
      if (start !== own && (start.startsWith(own) || own.startsWith(start))) yield* entries;
  }
}

function startOf({ compared }: Pick<ReadRecord, 'compared'>): string {
  return compared.slice(0, TIMESTAMP_END);
}
