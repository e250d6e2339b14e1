import { MAX_SPAN_SECONDS, type RecordGroup } from '../reading/record-group.js';
import type { WholeGroup } from '../reading/whole-group.js';
import type { CheckedEntry } from './checked-lines.js';
import type { Records } from './judge.js';
import type { GroupTime } from './sequence.js';

/** A stretch ends when it has this many groups, fewer while none is broken, or this many bytes. */
const MAX_GROUPS = 4096;
const MAX_WHOLE_GROUPS = 512;
const MAX_BYTES = 4 << 20;

/** The records of a broken group come at most this long after it: twice the seconds over which those of a group stand. */
const WAIT_SECONDS = 2 * MAX_SPAN_SECONDS;

/** A group that was found whole in the bytes of the log. */
export interface WholeSpan {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly time: GroupTime;
}

/** The lines and the time of a group that was found whole in the bytes of the log. */
export function wholeSpanOf({ line, timestamp, utcOffset, second, constants }: WholeGroup): WholeSpan {
  return { firstLine: line, lastLine: line + constants.recordCount - 1, time: { line, timestamp, utcOffset, second } };
}

/** Groups that are judged together: they overlap, or one of them is broken and its records may be among those of the others. */
export class Stretch {
  /** The groups that were put together from records, in the order of first records. */
  groups: Records[] = [];
  /** The other groups. */
  wholes: WholeSpan[] = [];
  /** True if one of the groups is missing a record. */
  isBroken = false;
  #firstLine = Infinity;
  #lastLine = 0;
  #bytes = 0;
  /** The second of the last group that has more than one record: a single one may have a broken time. */
  #second = NaN;
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
    if (entries.length > 1) this.#second = second;
    if (!isWhole) {
      this.isBroken = true;
      this.#isOver = false;
      this.#brokenSecond = this.#second;
    }
    this.#extend(group.firstLine, group.lastLine, isWhole ? second : NaN);
  }

  /** Takes the next group, which was found whole in the bytes of the log. */
  addWhole(span: WholeSpan): void {
    this.wholes.push(span);
    this.#second = span.time.second;
    this.#extend(span.firstLine, span.lastLine, span.time.second);
  }

  /** True if no group that comes belongs to it. @param until the first line of the groups that come */
  isReady(until: number): boolean {
    const maxGroups = this.isBroken ? MAX_GROUPS : MAX_WHOLE_GROUPS;
    if (this.groups.length + this.wholes.length >= maxGroups || this.#bytes >= MAX_BYTES) return true;
    return until > this.#lastLine && (!this.isBroken || this.#isOver);
  }

  #extend(firstLine: number, lastLine: number, wholeSecond: number): void {
    this.#firstLine = Math.min(this.#firstLine, firstLine);
    this.#lastLine = Math.max(this.#lastLine, lastLine);
    if (Number.isNaN(wholeSecond) || !this.isBroken) return;
    if (Number.isNaN(this.#brokenSecond)) this.#brokenSecond = wholeSecond;
    else if (Math.abs(wholeSecond - this.#brokenSecond) > WAIT_SECONDS) this.#isOver = true;
  }
}
