import { descriptorOf, type Deprecation, type LoadFailure } from '../log/line.js';
import { distanceOf } from './deprecation-instants.js';
import type { Entry } from './entry.js';

/** So many seconds the records of one group may be apart. */
export const MAX_SPAN_SECONDS = 2;

/** The bytes that each group counts for beside its target. */
const GROUP_BYTES = 64;

/** From this length on, the records of a group share one copy of their target. */
const LONG_TARGET = 1024;

/** The group to which a record belongs. That of a deprecation record may change until the group is given out. */
export interface Membership<E extends Entry = Entry> {
  readonly group: OpenGroup<E> | undefined;
}

/** Another group that began before a group had ended. */
interface Interruption<E extends Entry = Entry> {
  readonly by: OpenGroup<E>;
  /** The line where it began. */
  readonly line: number;
}

/** The traits of a group that are known when it begins. */
interface Traits {
  readonly isBroken?: boolean;
  readonly isRepeat?: boolean;
}

/**
 * A group from its first record on: open, ended or given up. It has the records that were found to belong to it, as far as they have come;
 * a broken group has other records than its deployment writes.
 */
export class OpenGroup<E extends Entry = Entry> implements Membership<E> {
  /** In the order of lines. */
  readonly failures: E[] = [];
  ending: PendingDeprecation<E> | undefined;
  /** The place that comes next if nothing is broken. */
  next = 0;
  isBroken: boolean;
  /** The number of faults of its records, once they have been counted (`mend`). */
  faults: number | undefined;
  /** True if its records were found to be those of another group. */
  isAbsorbed = false;
  /** True if its first record repeats the record of the line before. */
  readonly isRepeat: boolean;
  /** `ended` by its deprecation record; `given-up` when no more records are waited for. */
  state: 'open' | 'ended' | 'given-up' = 'open';
  /** True once it has been given out: nothing about it changes any more. */
  isSettled = false;
  /** The first group that began before this one had ended. */
  interruption: Interruption<E> | undefined;
  /** The Unix second of its first record, and the same by its clock. */
  readonly second: number;
  readonly localSecond: number;
  readonly firstLine: number;
  /** The descriptor of its first record, if that is a load failure: joined once, as a key of `FailingGroups`. */
  readonly descriptor: string | undefined;
  /** The bytes of targets that it is counted with while it has not been given out. */
  readonly heldBytes: number;

  constructor(first: E, second: number, { isBroken = false, isRepeat = false }: Traits = {}) {
    this.second = second;
    this.localSecond = first.record.localSecond;
    this.firstLine = first.line;
    this.descriptor = first.record.kind === 'load_failure' ? descriptorOf(first.record) : undefined;
    this.isBroken = isBroken;
    this.isRepeat = isRepeat;
    this.heldBytes = GROUP_BYTES + (first.record.kind === 'load_failure' ? first.record.requestTarget.length : 0);
  }

  get group(): this {
    return this;
  }

  /** The records, in the order of lines. */
  get entries(): readonly E[] {
    if (this.ending === undefined) return this.failures;
    const { entry } = this.ending;
    const index = this.failures.findLastIndex(({ line }) => line < entry.line);
    return this.failures.toSpliced(index + 1, 0, entry);
  }

  /** The line of its latest record. */
  get lastLine(): number {
    return Math.max(this.failures.at(-1)?.line ?? 0, this.ending?.entry.line ?? 0);
  }

  /** The line of its latest load failure: from there on a complete group waits for its deprecation record. */
  get lastFailureLine(): number {
    return this.failures.at(-1)?.line ?? 0;
  }

  /** The first load failure; a deprecation record has no descriptor. */
  get firstFailure(): LoadFailure | undefined {
    const record = this.failures[0]?.record;
    return record?.kind === 'load_failure' ? record : undefined;
  }

  /** True for a group that is whole, just as a deployment writes it. */
  get isWhole(): boolean {
    return this.state === 'ended' && !this.isBroken;
  }

  /** True for a load failure at most 2 s away from its first record, by offset or by clock. */
  isNear({ second, localSecond }: Pick<LoadFailure, 'second' | 'localSecond'>): boolean {
    return Math.abs(second - this.second) <= MAX_SPAN_SECONDS || Math.abs(localSecond - this.localSecond) <= MAX_SPAN_SECONDS;
  }

  append(entry: E): void {
    const { record } = entry;
    const target = this.firstFailure?.requestTarget;
    const isLong = record.kind === 'load_failure' && target === record.requestTarget && target.length >= LONG_TARGET;
    this.failures.push(isLong ? { ...entry, record: { ...record, requestTarget: target } } : entry);
    this.next = entry.place + 1;
    this.faults = undefined;
  }
}

/** A deprecation record, and the group that it ends as far as is known. */
export class PendingDeprecation<E extends Entry = Entry> implements Membership<E> {
  readonly entry: E;
  readonly record: Deprecation;
  /** The Unix seconds that it can mean. */
  readonly instants: readonly number[];
  group: OpenGroup<E> | undefined;

  constructor(entry: E, record: Deprecation, instants: readonly number[]) {
    this.entry = entry;
    this.record = record;
    this.instants = instants;
  }

  /** Makes it that of a group, which it ends. */
  end(group: OpenGroup<E>): void {
    this.group = group;
    group.ending = this;
    group.state = 'ended';
    group.faults = undefined;
  }

  /** True if it can be the record of a complete group: it comes after the last load failure, and is near the first in time. */
  canEnd(group: OpenGroup<E>): boolean {
    return this.entry.line > group.lastFailureLine && this.distanceTo(group) <= MAX_SPAN_SECONDS;
  }

  /** The distance in seconds to a group's first record. */
  distanceTo(group: Pick<OpenGroup<E>, 'second' | 'localSecond'>): number {
    return distanceOf(this.record, this.instants, group);
  }
}
