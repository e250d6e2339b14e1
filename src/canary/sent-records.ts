import { MIN_FRAGMENT_BYTES } from '../compare/alteration.js';
import type { Digest } from '../compare/digest.js';
import type { RecordForm } from '../compare/form.js';
import { recordOn } from '../input/log-lines.js';
import { TIMESTAMP_END } from '../log/record.js';
import type { CameRecord } from './came-record.js';

type State = 'outstanding' | 'missing' | 'received';

export interface SentRequest {
  readonly number: number;
  /** When it was written: on the steady clock, and Unix time. */
  readonly sentMs: number;
  readonly writtenMs: number;
  /** The number of its first record among those that are compared, from 0. */
  readonly firstRecord: number;
  /** The digest of each of its records, and what became of it: a few bytes a record, since decided ones are remembered for long. */
  readonly digests: number[];
  readonly states: State[];
}

type WrittenRecord = CameRecord & Pick<SentRecord, 'isMarked'>;

/** A record that was written and has not been decided. */
export interface SentRecord {
  readonly request: SentRequest;
  /** Its number among the records that are compared, from 0. */
  readonly record: number;
  /** Its line, and the compared part of it: byte strings without LF. */
  readonly text: string;
  readonly compared: string;
  /** False for a record that carries no target: equal ones count, they are not told apart. */
  readonly isMarked: boolean;
}

/** A record that has come, and what had become of it before. */
export interface KnownRecord {
  readonly request: SentRequest;
  readonly record: number;
  readonly was: State;
  /** The compared part of it; undefined if it was not outstanding. */
  readonly compared: string | undefined;
}

interface DueRecords {
  readonly due: readonly SentRecord[];
  /** True if others came that would be due. */
  readonly hasPassed: boolean;
  /** True if the one of all that was written last is among those that have not come. */
  readonly endsInLoss: boolean;
}

interface Slot {
  readonly request: SentRequest;
  readonly index: number;
}

/** Equal records without a mark: those that have not come, and when the latest of all was sent. */
interface UnmarkedRecords {
  readonly waiting: Slot[];
  sentMs: number;
  hasCome: boolean;
}

/** The records that were written, until they are forgotten: the digests of all, the texts of those that are outstanding. */
export class SentRecords {
  forgotten = 0;
  /** The requests that are remembered, and of those the ones that are not due: the oldest first. */
  readonly #requests = new Map<number, SentRequest>();
  readonly #notDue: SentRequest[] = [];
  /** Records that have not come and are not due, by their numbers, the oldest first. */
  readonly #outstanding = new Map<number, SentRecord>();
  /** Those of which no beginning has come, by their first bytes: those of one second. */
  readonly #bySecond = new Map<string, Set<SentRecord>>();
  /** Those without a mark by their digests, the latest last. */
  readonly #unmarked = new Map<number, UnmarkedRecords>();
  readonly #isSame: RecordForm['isSame'];

  constructor(isSame: RecordForm['isSame']) {
    this.#isSame = isSame;
  }

  get outstanding(): number {
    return this.#outstanding.size;
  }

  /** When the oldest record that is outstanding was sent; undefined if there is none. */
  get oldestMs(): number | undefined {
    const [oldest] = this.#outstanding.values();
    return oldest?.request.sentMs;
  }

  add(sent: Pick<SentRequest, 'number' | 'sentMs' | 'writtenMs' | 'firstRecord'>, records: readonly WrittenRecord[]): void {
    const { number, sentMs, writtenMs, firstRecord } = sent;
    const states = records.map((): State => 'outstanding');
    // Named one by one: objects that are spread have a hidden class each, which takes more memory than all the rest.
    const request: SentRequest = { number, sentMs, writtenMs, firstRecord, digests: records.map(keyOf), states };
    this.#requests.set(request.number, request);
    this.#notDue.push(request);
    for (const [index, { text, compared, isMarked, ...digest }] of records.entries()) {
      const record = request.firstRecord + index;
      const added = { request, record, text: text ?? compared, compared, isMarked };
      this.#outstanding.set(record, added);
      const second = compared.slice(0, TIMESTAMP_END);
      const others = this.#bySecond.get(second);
      if (others === undefined) this.#bySecond.set(second, new Set([added]));
      else others.add(added);
      if (isMarked) continue;
      const key = keyOf(digest);
      const equal = this.#unmarked.get(key) ?? { waiting: [], hasCome: false, sentMs: 0 };
      equal.waiting.push({ request, index });
      equal.sentMs = request.sentMs;
      this.#unmarked.delete(key);
      this.#unmarked.set(key, equal);
    }
  }

  /** True for a record that is outstanding, and was sent at a moment or before. @param request the number of its mark */
  isOutstanding(came: CameRecord, request: number | undefined, sentMs: number): boolean {
    const slot = this.#find(came, request);
    return slot !== undefined && stateOf(slot) === 'outstanding' && slot.request.sentMs <= sentMs;
  }

  /** Finds the record that has come: an outstanding one, else a missing one, else one that was received. Unmarked ones come once each. */
  receive(came: CameRecord, request: number | undefined): KnownRecord | undefined {
    const slot = this.#find(came, request);
    if (slot === undefined) return undefined;
    const was = stateOf(slot) ?? 'received';
    const record = slot.request.firstRecord + slot.index;
    slot.request.states[slot.index] = 'received';
    const unmarked = request === undefined ? this.#unmarked.get(keyOf(came)) : undefined;
    if (unmarked !== undefined) {
      unmarked.waiting.splice(unmarked.waiting.indexOf(slot), 1);
      unmarked.hasCome = true;
    }
    return { request: slot.request, record, was, compared: this.#takeOutstanding(record)?.compared };
  }

  /** True for a record that equals a record without a mark which has come. */
  equalsUnmarked(came: CameRecord): boolean {
    return this.#unmarked.get(keyOf(came))?.hasCome === true;
  }

  /** Takes out the records that were sent at a moment or before and are outstanding: they are missing. */
  takeDue(sentMs: number): DueRecords {
    const due: SentRecord[] = [];
    let [count, endsInLoss] = [0, false];
    for (let [request] = this.#notDue; request !== undefined && request.sentMs <= sentMs; [request] = this.#notDue) {
      this.#notDue.shift();
      for (const index of request.states.keys()) {
        const sent = this.#takeOutstanding(request.firstRecord + index);
        if (sent !== undefined) due.push(sent);
        count += 1;
        endsInLoss = sent !== undefined;
      }
    }
    for (const { request, record } of due) request.states[record - request.firstRecord] = 'missing';
    return { due, hasPassed: count > due.length, endsInLoss };
  }

  /** Notes that a record that was due has come in another way: none that equals it is late. */
  explain({ request, record }: SentRecord): void {
    request.states[record - request.firstRecord] = 'received';
  }

  /** Forgets the records that were sent at a moment or before; none is outstanding. */
  forget(sentMs: number): void {
    for (const request of this.#requests.values()) {
      if (request.sentMs > sentMs) break;
      this.#requests.delete(request.number);
      this.forgotten = request.number;
    }
    for (const [key, unmarked] of this.#unmarked) {
      if (unmarked.sentMs > sentMs) break;
      this.#unmarked.delete(key);
    }
  }

  /**
   * The number of the outstanding record that a line is the beginning of: the next one behind the record that came last, else any. Many records
   * of a second begin alike: each is found once.
   */
  takeBegun(line: string, latest: number): number | undefined {
    // Of other traffic in the same log, all but broken records are told at once.
    if (line.length < MIN_FRAGMENT_BYTES || recordOn(line)?.kind === 'load_failure') return undefined;
    let found: SentRecord | undefined;
    for (const sent of this.#possible(line)) {
      if (sent.compared.length <= line.length || !sent.compared.startsWith(line)) continue;
      if (found === undefined || sent.record > latest) found = sent;
      if (sent.record > latest) break;
    }
    if (found !== undefined) this.#endBeginning(found);
    return found?.record;
  }

  *#possible(line: string): Generator<SentRecord> {
    if (line.length >= TIMESTAMP_END) yield* this.#bySecond.get(line.slice(0, TIMESTAMP_END)) ?? [];
    else for (const [second, records] of this.#bySecond) if (second.startsWith(line)) yield* records;
  }

  #find(came: CameRecord, number: number | undefined): Slot | undefined {
    const key = keyOf(came);
    const request = number === undefined ? undefined : this.#requests.get(number);
    const slots =
      request === undefined
        ? (this.#unmarked.get(key)?.waiting ?? [])
        : request.digests.flatMap((digest, index) => (digest === key ? [{ request, index }] : []));
    const isSame = (slot: Slot): boolean => {
      const sent = this.#outstanding.get(slot.request.firstRecord + slot.index);
      return sent !== undefined && (this.#isSame?.(sent.compared, came.compared) ?? true);
    };
    return (
      slots.find((slot) => stateOf(slot) === 'outstanding' && isSame(slot)) ??
      slots.find((slot) => stateOf(slot) === 'missing') ??
      slots.find((slot) => request !== undefined && stateOf(slot) === 'received')
    );
  }

  #takeOutstanding(record: number): SentRecord | undefined {
    const sent = this.#outstanding.get(record);
    if (sent === undefined) return undefined;
    this.#outstanding.delete(record);
    this.#endBeginning(sent);
    return sent;
  }

  #endBeginning(sent: SentRecord): void {
    const second = sent.compared.slice(0, TIMESTAMP_END);
    const others = this.#bySecond.get(second);
    others?.delete(sent);
    if (others?.size === 0) this.#bySecond.delete(second);
  }
}

function stateOf({ request, index }: Slot): State | undefined {
  return request.states[index];
}

/** A digest as one number, of the 53 bits that it has room for. */
function keyOf({ low, high }: Digest): number {
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
