import { MIN_PIECE_BYTES } from '../compare/alteration.js';
import type { Digest } from '../compare/digest.js';
import { Ring } from '../compare/ring.js';
import { parseRecord } from '../log/line.js';
import { TIMESTAMP_AT, TIMESTAMP_END } from '../log/record.js';

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

/** Rings of a canary grow as they fill: by rate times `--late`. */
const GROWTH = 2;

/** Makes a ring without a largest size. */
export function growingRing(): Ring {
  return new Ring(Infinity, GROWTH);
}

/** The records that were written, have not come, and are not due. */
export class Outstanding {
  readonly #ring = growingRing();
  readonly #records = new Map<number, SentRecord>();
  /** The same by their timestamps: a piece of a record is looked for among those of its second. */
  readonly #seconds = new Map<string, Set<SentRecord>>();

  get size(): number {
    return this.#ring.size;
  }

  /** The oldest; undefined if there is none. */
  get oldest(): SentRecord | undefined {
    return this.size === 0 ? undefined : this.#records.get(this.#ring.at(this.#ring.first).record);
  }

  add(sent: SentRecord, { low, high }: Digest): void {
    const { record, line, sentMs, text } = sent;
    this.#ring.add({ low, high, record, line, place: NaN, seenMs: sentMs, fault: undefined, isRepeated: false });
    this.#records.set(record, sent);
    addTo(this.#seconds, secondOf(text), sent);
  }

  /** Takes out a record that has come; undefined if none waits. @param isSame tells where equal digests are not enough */
  take(digest: Digest, isSame: ((sent: SentRecord) => boolean) | undefined): SentRecord | undefined {
    const isSameAt = (position: number): boolean => {
      const sent = this.#records.get(this.#ring.at(position).record);
      return sent !== undefined && isSame?.(sent) === true;
    };
    const position = this.#ring.find(digest, isSame && isSameAt);
    return position === -1 ? undefined : this.#remove(position);
  }

  /** Takes out the records that were sent at a moment or before, with their digests, the oldest first. */
  *takeDue(sentMs: number): Generator<SentRecord & Digest> {
    const ring = this.#ring;
    while (ring.size > 0) {
      const { first } = ring;
      const { seenMs, low, high } = ring.at(first);
      if (seenMs > sentMs) return;
      const sent = this.#remove(first);
      if (sent !== undefined) yield { ...sent, low, high };
    }
  }

  /** True for a record that waits. */
  has({ record }: SentRecord): boolean {
    return this.#records.has(record);
  }

  /**
   * Finds the record that a line is the beginning of, and no whole record itself: the next one behind those that came, else any.
   *
   * @param line a byte string without LF
   * @param latest the record that came last before it
   */
  findBegun(line: string, latest: number): SentRecord | undefined {
    if (line.length < MIN_PIECE_BYTES || !line.startsWith('[')) return undefined;
    // Of other traffic in the same log, all but broken records are told at once.
    if (parseRecord(line)?.kind === 'load_failure') return undefined;
    let found: SentRecord | undefined;
    for (const records of this.#recordsOf(secondOf(line))) {
      for (const sent of records) {
        if (sent.compared.length <= line.length || !sent.compared.startsWith(line)) continue;
        if (sent.record > latest) return sent;
        found ??= sent;
      }
    }
    return found;
  }

  /** The records of a second, or of all seconds that begin so. @param second a timestamp, or its beginning */
  #recordsOf(second: string): readonly ReadonlySet<SentRecord>[] {
    const records = this.#seconds.get(second);
    if (records !== undefined || second.length === TIMESTAMP_END - TIMESTAMP_AT) return records === undefined ? [] : [records];
    return Array.from(this.#seconds).flatMap(([known, others]) => (known.startsWith(second) ? [others] : []));
  }

  #remove(position: number): SentRecord | undefined {
    const { record } = this.#ring.at(position);
    const sent = this.#records.get(record);
    this.#ring.remove(position);
    this.#records.delete(record);
    if (sent !== undefined) removeFrom(this.#seconds, secondOf(sent.text), sent);
    return sent;
  }
}

function secondOf(line: string): string {
  return line.slice(TIMESTAMP_AT, TIMESTAMP_END);
}

/** Adds a value to those of a key. */
export function addTo<Key, Value>(values: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const others = values.get(key);
  if (others === undefined) values.set(key, new Set([value]));
  else others.add(value);
}

/** Removes a value from those of a key. */
export function removeFrom<Key, Value>(values: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const others = values.get(key);
  others?.delete(value);
  if (others?.size === 0) values.delete(key);
}
