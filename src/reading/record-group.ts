import type { Deprecation, LoadFailure, LogRecord } from '../log/line.js';

export interface Entry {
  readonly record: LogRecord;
  /** The physical line, from 1. */
  readonly line: number;
  /** Its place in a group (section 6): that of its plugin, or `UNKNOWN`; the number of plugins for a deprecation record. */
  readonly place: number;
}

export const MAX_SPAN_SECONDS = 2;

export function isNear(second: number, other: number): boolean {
  return Math.abs(second - other) <= MAX_SPAN_SECONDS;
}

export const UNKNOWN = -1;

/** Makes the function that finds the places of records. @param pluginFilePaths in reporting order, none twice */
export function placesIn(pluginFilePaths: readonly string[]): (record: LogRecord) => number {
  const places = new Map(pluginFilePaths.map((path, place) => [path, place]));
  return (record) => (record.kind === 'deprecation' ? pluginFilePaths.length : (places.get(record.pluginFilePath) ?? UNKNOWN));
}

export function hasSession(record: LogRecord | undefined): boolean {
  return record?.kind === 'load_failure' && record.sessionId !== undefined;
}

/** From this length on, the records of a group share their target. */
const LONG_TARGET = 1024;

const GROUP_BYTES = 64;

/** A group that is put together from single records, in order and without a gap: all those of a request, or a part of them. */
export class RecordGroup<E extends Entry = Entry> {
  readonly entries: E[];
  isOpen = true;
  /** The Unix second of its first record (by its clock, if its offset is wrong), and the second that its clock shows. */
  readonly second: number;
  readonly localSecond: number;
  readonly firstLine: number;
  /** Undefined for a deprecation record alone. */
  readonly firstFailure: LoadFailure | undefined;
  readonly isSound: boolean;
  /** True where other groups of the log have a deprecation record. */
  readonly needsEnding: boolean;
  readonly target: string;
  next: number;
  readonly heldBytes: number;
  readonly #end: number;

  constructor(plugins: number, needsEnding: boolean, first: E, second: number) {
    const { record, line, place } = first;
    this.entries = [first];
    this.second = second;
    this.localSecond = record.localSecond;
    this.firstLine = line;
    this.firstFailure = record.kind === 'load_failure' ? record : undefined;
    this.isSound = place === 0 && this.firstFailure !== undefined;
    this.needsEnding = needsEnding;
    this.next = place + 1;
    this.target = this.firstFailure?.requestTarget ?? '';
    this.heldBytes = GROUP_BYTES + this.target.length;
    this.#end = plugins;
  }

  get isComplete(): boolean {
    return this.isSound && this.next === this.#end;
  }

  get isWhole(): boolean {
    return this.isComplete && (this.hasEnding || !this.needsEnding);
  }

  get hasEnding(): boolean {
    return this.ending !== undefined;
  }

  get ending(): Deprecation | undefined {
    const record = this.entries[this.entries.length - 1]?.record;
    return record?.kind === 'deprecation' ? record : undefined;
  }

  get lastLine(): number {
    return this.entries[this.entries.length - 1]?.line ?? 0;
  }

  append(entry: E): void {
    const { record } = entry;
    const isFailure = record.kind === 'load_failure';
    const isLong = isFailure && this.target.length >= LONG_TARGET;
    this.entries.push(isLong ? { ...entry, record: { ...record, requestTarget: this.target } } : entry);
    if (isFailure) this.next += 1;
  }
}

/** A whole group as it stands in a log (6). */
export interface Group {
  /** The physical line of its first record. */
  readonly line: number;
  readonly failures: readonly LoadFailure[];
  /** Undefined in a log whose groups end with their last load failure. */
  readonly deprecation: Deprecation | undefined;
}

export function groupOf<E extends Entry>({ isComplete, firstLine, entries, ending }: RecordGroup<E>): Group | undefined {
  if (!isComplete) return undefined;
  const failures = entries.flatMap(({ record }) => (record.kind === 'load_failure' ? [record] : []));
  return { line: firstLine, failures, deprecation: ending };
}
