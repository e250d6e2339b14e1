import { MAX_SPAN_SECONDS, type RecordGroup } from '../reading/record-group.js';
import { lastLineOf, type WholeGroup } from '../reading/whole-group.js';
import type { CheckedEntry } from './checked-lines.js';
import type { Records } from './judge.js';

/** A stretch ends when it has this many groups, or this many bytes. */
const MAX_GROUPS = 4096;
const MAX_BYTES = 4 << 20;

/** The records of a broken group come at most this long after it: twice the seconds over which those of a group stand. */
const WAIT_SECONDS = 2 * MAX_SPAN_SECONDS;

/** Groups that are judged together: they overlap, or one of them is broken and its records may be among those of the others. */
export class Stretch {
  /** The groups that were put together from records, in the order of first records. */
  readonly groups: Records[] = [];
  /** The groups that were found whole in the bytes of the log. */
  readonly wholes: WholeGroup[] = [];
  firstLine = Infinity;
  #lastLine = 0;
  #bytes = 0;
  /** The second of the last group, and that of the last one that is missing a record. */
  #second = NaN;
  #brokenSecond = NaN;

  get isEmpty(): boolean {
    return this.firstLine === Infinity;
  }

  /** True if one of the groups is missing a record. */
  get isBroken(): boolean {
    return !Number.isNaN(this.#brokenSecond);
  }

  /** Takes the next group. */
  add(group: RecordGroup<CheckedEntry>): void {
    this.groups.push(group.entries);
    // The time of a record that stands alone may be what is broken.
    const second = group.entries.length === 1 && !Number.isNaN(this.#second) ? this.#second : group.second;
    if (!group.isWhole) this.#brokenSecond = second;
    this.#extend(group.target, second, group.firstLine, group.lastLine);
  }

  /** Takes the next group, which was found whole in the bytes of the log. */
  addWhole(group: WholeGroup): void {
    this.wholes.push(group);
    this.#extend(group.target, group.second, group.line, lastLineOf(group));
  }

  /** True if no group that comes belongs to it. @param until the first line of the groups that come */
  isReady(until: number): boolean {
    if (this.groups.length + this.wholes.length >= MAX_GROUPS || this.#bytes >= MAX_BYTES) return true;
    return until > this.#lastLine && !(Math.abs(this.#second - this.#brokenSecond) <= WAIT_SECONDS);
  }

  #extend(target: string, second: number, firstLine: number, lastLine: number): void {
    this.firstLine = Math.min(this.firstLine, firstLine);
    this.#lastLine = Math.max(this.#lastLine, lastLine);
    this.#bytes += target.length;
    this.#second = second;
  }
}
