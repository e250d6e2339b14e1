import { haveSameDescriptor, type Deprecation, type LoadFailure, type LogRecord } from '../log/line.js';
import type { Counted } from './line-places.js';
import { Tally } from './passed-over.js';

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

export function placesIn(pluginFilePaths: readonly string[]): (record: LogRecord) => number {
  const places = new Map(pluginFilePaths.map((path, place) => [path, place]));
  return (record) => (record.kind === 'deprecation' ? pluginFilePaths.length : (places.get(record.pluginFilePath) ?? UNKNOWN));
}

/** From this length on, the records of a group share their target. */
const LONG_TARGET = 1024;

const GROUP_BYTES = 64;

/** A group that is put together from single records, in order and without a gap: all those of a request, or a part of them. */
export class RecordGroup<E extends Entry = Entry> {
  readonly entries: E[];
  isOpen = true;
  /** The second that the clock of its first record shows. */
  readonly localSecond: number;
  readonly firstLine: number;
  readonly firstFailure: LoadFailure | undefined;
  readonly isSound: boolean;
  readonly target: string;
  next: number;
  readonly heldBytes: number;

  /** @param second the Unix second of its first record; by its clock, if its offset is wrong */
  constructor(
    private readonly plugins: number,
    readonly needsEnding: boolean,
    first: E,
    readonly second: number,
  ) {
    const { record, line, place } = first;
    this.entries = [first];
    this.localSecond = record.localSecond;
    this.firstLine = line;
    this.firstFailure = record.kind === 'load_failure' ? record : undefined;
    this.isSound = place === 0 && this.firstFailure !== undefined;
    this.next = place + 1;
    this.target = this.firstFailure?.requestTarget ?? '';
    this.heldBytes = GROUP_BYTES + this.target.length;
  }

  get isComplete(): boolean {
    return this.isSound && this.next === this.plugins;
  }

  get isWhole(): boolean {
    return this.isComplete && (this.ending !== undefined || !this.needsEnding);
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

export function groupOf({ firstLine, entries, ending }: RecordGroup): Group {
  const failures = entries.map(({ record }) => record).filter((record) => record.kind === 'load_failure');
  return { line: firstLine, failures, deprecation: ending };
}

const MAX_LATEST = 24;

/** The most seconds over which a lost record shifts the records of groups of one descriptor. */
const MAX_SHIFT_SECONDS = 60;

/** A broken group: the records that it is missing may still come as a group of their own. */
interface Broken {
  readonly first: RecordGroup;
  lastLine: number;
  readonly places: Set<number>;
}

/** Counts the groups of a log, and those that are missing a record: parts that can be those of one group once, at the first line. */
export class GroupCounts {
  groups = 0;
  readonly #broken = new Tally();
  /** Groups with all load failures, without a deprecation record: they are missing it where another group of the log has one. */
  readonly #unended = new Tally();
  #hasEndings = false;
  readonly #latest: Broken[] = [];

  get incomplete(): Counted {
    return this.#hasEndings ? this.#broken.with(this.#unended) : this.#broken;
  }

  addComplete(line: number, hasEnding: boolean): void {
    this.groups += 1;
    if (hasEnding) this.#hasEndings = true;
    else this.#unended.add(line);
  }

  add(group: RecordGroup): void {
    const { isComplete, ending, firstLine, lastLine, entries } = group;
    if (isComplete) this.addComplete(firstLine, ending !== undefined);
    if (isComplete && ending !== undefined) return;
    const places = entries.map(({ place }) => place).filter((place) => place !== UNKNOWN);
    const broken = isComplete ? undefined : this.#latest.find((known) => isPartOf(known, group, places));
    if (broken !== undefined) {
      for (const place of places) broken.places.add(place);
      broken.lastLine = Math.max(broken.lastLine, lastLine);
      return;
    }
    if (!isComplete) this.#broken.add(firstLine);
    this.#latest.push({ first: group, lastLine, places: new Set(places) });
    if (this.#latest.length > MAX_LATEST) this.#latest.shift();
  }
}

/**
 * True for a part that can be of a broken group: it has none of its records, and is near it and of its descriptor or directly behind it.
 * A record that is lost among groups of one descriptor makes each take one of the next group: parts that are far from each other are then
 * all records but one. A record that stands alone may have another time or plugin than it should.
 */
function isPartOf({ first, lastLine, places }: Broken, part: RecordGroup, ofPart: readonly number[]): boolean {
  const [failure, other] = [first.firstFailure, part.firstFailure];
  if (first.isComplete && other !== undefined) return false;
  const seconds = Math.min(Math.abs(first.second - part.second), Math.abs(first.localSecond - part.localSecond));
  const isDirect = part.firstLine <= lastLine + 1;
  const isAlone = isDirect && Math.min(places.size, ofPart.length) <= 1;
  if (isAlone && seconds <= MAX_SPAN_SECONDS && other !== undefined && places.size > 1) return true;
  const areAlike = failure === undefined || other === undefined || haveSameDescriptor(failure, other);
  if (!(isDirect || areAlike) || ofPart.some((place) => places.has(place))) return false;
  const areMost = areAlike && places.size + ofPart.length >= Math.max(...places, ...ofPart);
  return isAlone || seconds <= (areMost ? MAX_SHIFT_SECONDS : MAX_SPAN_SECONDS);
}
