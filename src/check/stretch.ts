import { haveSameDescriptor } from '../log/line.js';
import { Grouper } from '../reading/grouper.js';
import { isNear, MAX_SPAN_SECONDS, type RecordGroup } from '../reading/record-group.js';
import { lastLineOf, type WholeGroup } from '../reading/whole-group.js';
import type { CheckedEntry, Constants } from './checked-lines.js';
import { REACH_LINES } from './gaps.js';
import type { Judge, JudgedGroup, Records } from './judge.js';

const MAX_GROUPS = 4096;
const MAX_BYTES = 4 << 20;

/** The records of a broken group come at most this long after it. */
const WAIT_SECONDS = 2 * MAX_SPAN_SECONDS;

const MAX_PARTS = 8;

/** Groups that are judged together: they overlap, or one of them is broken and its records may be among those of the others. */
export class Stretch {
  readonly groups: Records[] = [];
  readonly wholes: WholeGroup[] = [];
  firstLine = Infinity;
  #lastLine = 0;
  #bytes = 0;
  #second = NaN;
  #brokenSecond = NaN;

  get isEmpty(): boolean {
    return this.firstLine === Infinity;
  }

  add(group: RecordGroup<CheckedEntry>): void {
    this.groups.push(group.entries);
    if (!group.isWhole) this.#brokenSecond = group.second;
    this.#extend(group, group.firstLine, group.lastLine);
  }

  addWhole(group: WholeGroup): void {
    this.wholes.push(group);
    this.#extend(group, group.line, lastLineOf(group));
  }

  /** True if no group that comes belongs to it. @param until the first line of the groups that come */
  isReady(until: number): boolean {
    if (this.groups.length + this.wholes.length >= MAX_GROUPS || this.#bytes >= MAX_BYTES) return true;
    return until > this.#lastLine && !(Math.abs(this.#second - this.#brokenSecond) <= WAIT_SECONDS);
  }

  /**
   * Judges its groups, put together again with each record in a group of its own second first. Oldest first, as a log is read, is exact
   * where no record is missing, but one that is missing moves to the end of the stretch. Whole groups stay whole, and stay as they are
   * where an exchange of deprecation records gives each one time.
   */
  judge(judge: Judge, { failures, deprecation, recordCount }: Constants): readonly JudgedGroup[] {
    const isWhole = (records: Records): boolean => records.length >= recordCount;
    const judgeAll = (groups: readonly Records[]): JudgedGroup[] => groups.map((records) => judge.judge(records));
    const exchanged = this.groups.every(isWhole) ? exchangeEndings(this.groups) : undefined;
    if (exchanged?.every(haveOneTime) === true) return judgeAll(exchanged);
    const again = regroup(this.groups, failures.length, deprecation !== undefined);
    if (exchanged !== undefined) return judgeAll(again.every(isWhole) ? exchangeEndings(again) : exchanged);
    const judged = judgeAll(again);
    const broken = judged.filter(({ records }) => !isWhole(records));
    // First parts of one time: a record must not be taken for one of another time that its own group is missing.
    for (const near of [true, false]) for (const index of broken.keys()) joinParts(broken, index, near, judge, recordCount);
    return [...judged.filter(({ records }) => isWhole(records)), ...broken];
  }

  #extend({ target, second }: RecordGroup<CheckedEntry> | WholeGroup, firstLine: number, lastLine: number): void {
    this.firstLine = Math.min(this.firstLine, firstLine);
    this.#lastLine = Math.max(this.#lastLine, lastLine);
    this.#bytes += target.length;
    this.#second = second;
  }
}

/** Exchanges deprecation records among groups that overlap, so that as many as possible have one of their own second. */
function exchangeEndings(groups: readonly Records[]): readonly Records[] {
  const exchanged = [...groups];
  const others = [...groups.keys()].filter((index) => !hasOwnEnding(groups[index] ?? []));
  for (const index of others) {
    for (const otherIndex of others) {
      const [group = [], other = []] = [exchanged[index], exchanged[otherIndex]];
      if (hasOwnEnding(group) || hasOwnEnding(other)) continue;
      const [one, two] = [withEnding(group, other), withEnding(other, group)];
      if (one === undefined || two === undefined || !hasOwnEnding(one)) continue;
      exchanged[index] = one;
      exchanged[otherIndex] = two;
    }
  }
  return exchanged;
}

function hasOwnEnding(group: Records): boolean {
  const last = group.at(-1)?.record;
  return last?.kind !== 'deprecation' || group.length === 1 || last.timestamp === group[0]?.record.timestamp;
}

function withEnding(group: Records, other: Records): Records | undefined {
  const [failures, ending] = [group.slice(0, -1), other.at(-1)];
  return ending !== undefined && ending.line > (failures.at(-1)?.line ?? Infinity) ? [...failures, ending] : undefined;
}

/** Joins a broken group with those behind it, as long as that leaves fewer violations. */
function joinParts(broken: JudgedGroup[], index: number, near: boolean, judge: Judge, recordCount: number): void {
  for (let at = index + 1; at <= index + MAX_PARTS; at += 1) {
    const [group, part] = [broken[index], broken[at]];
    if (group === undefined || part === undefined) return;
    if (!mayBeOne(group, part, near, recordCount)) continue;
    const union = judge.judge([...group.records, ...part.records].sort(byLine));
    if (costOf(union) >= costOf(group) + costOf(part)) continue;
    broken[index] = union;
    broken.splice(at, 1);
    // From the first one again: the union may take what the group alone could not.
    at = index;
  }
}

function regroup(groups: readonly Records[], plugins: number, hasEndings: boolean): readonly Records[] {
  const grouper = new Grouper<CheckedEntry>(plugins, hasEndings, true);
  for (const entry of groups.flat().sort(byLine)) grouper.add(entry);
  grouper.giveUp();
  const again = Array.from(grouper.closed(), ({ entries }) => entries);
  // Of a record that stands twice, the group that goes on behind it keeps the first. By the last lines before any group has changed.
  const byLastLine = new Map(again.map((records) => [records.at(-1)?.line, records]));
  for (const records of again) {
    const [repeat] = records;
    if (repeat?.isRepeated !== true || records.length === 1) continue;
    const before = byLastLine.get(repeat.line - 1);
    if (before?.at(-1)?.place === repeat.place) before.push(...records.splice(1));
  }
  return again;
}

function haveOneTime(records: Records): boolean {
  return records.every(({ record }) => record.timestamp === records[0]?.record.timestamp);
}

function costOf({ violations, gaps }: JudgedGroup): number {
  return violations.length + Math.min(gaps.length, 1);
}

/**
 * True for parts near each other by the clock, or a single record near in lines alone (`near` false), that together have at most one record
 * too many, and none where one is missing or more differs.
 */
function mayBeOne(group: JudgedGroup, { records: others, line }: JudgedGroup, near: boolean, recordCount: number): boolean {
  const { records, lastLine } = group;
  const [first, other] = [records[0]?.record, others[0]?.record];
  if (first === undefined || other === undefined) return false;
  const isAlone = isSingle(records) || isSingle(others);
  if (isNear(first.localSecond, other.localSecond) !== near) return false;
  if (!near && !(isAlone && line - lastLine <= REACH_LINES)) return false;
  const areAlike = first.kind === 'deprecation' || other.kind === 'deprecation' || haveSameDescriptor(first, other);
  const surplus = others.filter(({ place }) => records.some((entry) => entry.place === place)).length;
  return surplus <= (near && areAlike && records.length + others.length >= recordCount ? 1 : 0);
}

function isSingle(records: Records): boolean {
  return records.length === 1 || (records.length === 2 && records[1]?.record.kind === 'deprecation');
}

function byLine(entry: CheckedEntry, other: CheckedEntry): number {
  return entry.line - other.line;
}
