import { MIN_FRAGMENT_BYTES } from '../compare/alteration.js';
import type { RecordForm } from '../compare/form.js';
import { recordOn } from '../input/log-lines.js';
import { Beginnings, type ReadRecord } from './read-record.js';

type State = 'outstanding' | 'missing' | 'received';

export interface SentRequest {
  readonly number: number;
  /** When it was written: on the steady clock, and Unix time. */
  readonly sentMs: number;
  readonly writtenMs: number;
  readonly records: readonly SentRecord[];
}

export interface SentRecord {
  readonly request: SentRequest;
  /** Its number among all that are compared, from 0. */
  readonly number: number;
  readonly key: number;
  /** False for a record that carries no target: equal ones count, they are not told apart. */
  readonly isMarked: boolean;
  state: State;
  /** Its line, and the compared part of it: byte strings without LF. Empty once it is decided: it is remembered for long. */
  text: string;
  compared: string;
}

/** A record that has come. */
export interface Arrival {
  readonly sent: SentRecord;
  readonly was: State;
  /** True for a record that equals the one that was sent, and has other bytes. */
  readonly isReplaced: boolean;
}

/** The records that were written, until they are forgotten. */
export class SentRecords {
  count = 0;
  /** The last request that was forgotten. */
  forgotten = 0;
  readonly #requests = new Map<number, SentRequest>();
  readonly #notDue = new Set<SentRequest>();
  readonly #outstanding = new Set<SentRecord>();
  readonly #beginnings = new Beginnings<SentRecord>();
  /** Those without a mark that have not come, by their keys. Keys are remembered as the records are. */
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

  add(sent: Omit<SentRequest, 'records'>, written: readonly (ReadRecord & Pick<SentRecord, 'isMarked'>)[]): void {
    const records: SentRecord[] = [];
    const request = { ...sent, records };
    this.#requests.set(request.number, request);
    this.#notDue.add(request);
    for (const { key, isMarked, text, compared } of written) {
      const record: SentRecord = { request, number: this.count, key, isMarked, state: 'outstanding', text, compared };
      this.count += 1;
      records.push(record);
      this.#outstanding.add(record);
      this.#beginnings.add(record);
      if (!isMarked) this.#unmarked.set(key, (this.#unmarked.get(key) ?? new Set()).add(record));
    }
  }

  /** True for a record that is outstanding, and was sent at a moment or before. @param request the number of its mark */
  isOutstanding(came: ReadRecord, request: number | undefined, sentMs: number): boolean {
    const sent = this.#find(came, request);
    return sent?.state === 'outstanding' && sent.request.sentMs <= sentMs;
  }

  /** Finds the record that has come: an outstanding one, else a missing one, else one that was received. Unmarked ones come once each. */
  receive(came: ReadRecord, request: number | undefined): Arrival | undefined {
    const sent = this.#find(came, request);
    if (sent === undefined) return undefined;
    const { state: was, compared } = sent;
    this.settle(sent, 'received');
    if (!sent.isMarked) this.#unmarked.get(sent.key)?.delete(sent);
    return { sent, was, isReplaced: was === 'outstanding' && compared !== came.compared };
  }

  /** True for a record that equals records without a mark, all of which have come. */
  equalsUnmarked({ key }: ReadRecord): boolean {
    return this.#unmarked.has(key);
  }

  /** Takes the records that were sent at a moment or before, and were not due: those that are outstanding are to be settled. */
  takeDue(sentMs: number): readonly SentRecord[] {
    const due: SentRecord[] = [];
    for (const request of this.#notDue) {
      if (request.sentMs > sentMs) break;
      this.#notDue.delete(request);
      due.push(...request.records);
    }
    return due;
  }

  /** Decides a record. One that came in another way is received: none that equals it is late. */
  settle(sent: SentRecord, state: 'missing' | 'received'): void {
    if (this.#outstanding.delete(sent)) this.#beginnings.delete(sent);
    sent.state = state;
    sent.text = sent.compared = '';
  }

  /** Forgets the records that were sent at a moment or before; none is outstanding. */
  forget(sentMs: number): void {
    for (const request of this.#requests.values()) {
      if (request.sentMs > sentMs) break;
      this.#requests.delete(request.number);
      this.forgotten = request.number;
      for (const record of request.records) {
        const equal = record.isMarked ? undefined : this.#unmarked.get(record.key);
        equal?.delete(record);
        if (equal?.size === 0) this.#unmarked.delete(record.key);
      }
    }
  }

  /** True for a line that is the beginning of an outstanding record. Of other traffic in the same log, all but broken records are told at once. */
  isBeginning(line: ReadRecord): boolean {
    const { compared } = line;
    if (compared.length < MIN_FRAGMENT_BYTES || recordOn(compared)?.kind === 'load_failure') return false;
    for (const sent of this.#beginnings.like(line)) if (isCut(compared, sent)) return true;
    return false;
  }

  #find(came: ReadRecord, number: number | undefined): SentRecord | undefined {
    const request = number === undefined ? undefined : this.#requests.get(number);
    let missing: SentRecord | undefined;
    let received: SentRecord | undefined;
    for (const sent of request?.records ?? this.#unmarked.get(came.key) ?? []) {
      if (sent.key !== came.key) continue;
      if (sent.state === 'outstanding' && this.#isSame?.(sent.compared, came.compared) !== false) return sent;
      if (sent.state === 'missing') missing ??= sent;
      if (sent.state === 'received') received ??= sent;
    }
    return missing ?? received;
  }
}

/** True for a line that a record begins with, and does not end with. */
export function isCut(line: string, { compared }: SentRecord): boolean {
  return line.length < compared.length && compared.startsWith(line);
}
