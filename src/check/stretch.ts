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
  groups: Records[] = [];
  /** The groups that were found whole in the bytes of the log. */
  wholes: WholeGroup[] = [];
  /** True if one of the groups is missing a record. */
  isBroken = false;
  #firstLine = Infinity;
  #lastLine = 0;
  #bytes = 0;
  /** The second from which on the stretch waits: that of its last broken group. */
  #brokenSecond = NaN;
  /** True once a whole group has come long enough after the broken ones. */
  #isOver = false;

  get firstLine(): number {
    return this.#firstLine;
  }

  get isEmpty(): boolean {
    return this.#firstLine === Infinity;
  }

  /** Takes the next group. */
  add(group: RecordGroup<CheckedEntry>): void {
    const { entries, isWhole, second } = group;
    this.groups.push(entries);
    this.#bytes += group.heldBytes;
    if (!isWhole) {
      this.isBroken = true;
      this.#isOver = false;
      this.#brokenSecond = second;
    }
    this.#extend(group.firstLine, group.lastLine, isWhole ? second : NaN);
  }

  /** Takes the next group, which was found whole in the bytes of the log. */
  addWhole(group: WholeGroup): void {
    this.wholes.push(group);
    this.#bytes += group.target.length;
    this.#extend(group.line, lastLineOf(group), group.second);
  }

  /** True if no group that comes belongs to it. @param until the first line of the groups that come */
  isReady(until: number): boolean {
    if (this.groups.length + this.wholes.length >= MAX_GROUPS || this.#bytes >= MAX_BYTES) return true;
    return until > this.#lastLine && (!this.isBroken || this.#isOver);
  }

  #extend(firstLine: number, lastLine: number, wholeSecond: number): void {
    this.#firstLine = Math.min(this.#firstLine, firstLine);
    this.#lastLine = Math.max(this.#lastLine, lastLine);
    if (Math.abs(wholeSecond - this.#brokenSecond) > WAIT_SECONDS) this.#isOver = true;
  }
}
