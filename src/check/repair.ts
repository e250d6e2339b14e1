import { haveSameDescriptor } from '../log/line.js';
import { Grouper } from '../reading/grouper.js';
import { isNear } from '../reading/record-group.js';
import type { CheckedEntry, Constants } from './checked-lines.js';
import type { Judge, JudgedGroup, Records } from './judge.js';

/** The broken groups behind a broken one that may be parts of it. */
const MAX_PARTS = 8;

/** A record that differs in its time stands at most this many lines from the others of its group. */
const REACH_LINES = 64;

/**
 * Puts the records of a stretch of groups together again, so that they have few violations, each where its fault is.
 *
 * Oldest first is exact where no record is missing; one that is missing moves to the end of the stretch. Nearest first, it stays where it
 * is. Then broken groups are joined with those behind them, as long as that leaves fewer violations.
 */
export function repair(groups: readonly Records[], judge: Judge, constants: Constants): readonly JudgedGroup[] {
  const { recordCount } = constants;
  const judged = regroup(groups, constants).map((records) => judge.judge(records));
  const broken = judged.filter(({ records }) => records.length < recordCount);
  // First parts of one time: a record must not be taken for one of another time that its own group is missing.
  for (const near of [true, false]) for (const index of broken.keys()) joinParts(broken, index, near, judge, recordCount);
  return [...judged.filter(({ records }) => records.length >= recordCount), ...broken];
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

/** Groups records, each with those of the nearest second. */
function regroup(groups: readonly Records[], { plugins, deprecation }: Constants): readonly Records[] {
  const hasEndings = deprecation !== undefined;
  const grouper = new Grouper<CheckedEntry>(plugins.length, { hasEndings, isNearestFirst: true });
  for (const entry of groups.flat().sort(byLine)) grouper.add(entry);
  grouper.giveUp();
  const again: CheckedEntry[][] = [];
  for (let group = grouper.next(); group !== undefined; group = grouper.next()) again.push(group.entries);
  // Of a record that stands twice, the group that goes on behind it keeps the first.
  const byLastLine = new Map(again.map((records) => [records.at(-1)?.line, records]));
  for (const records of again) {
    const [repeat] = records;
    if (repeat?.isRepeated !== true || records.length === 1) continue;
    const before = byLastLine.get(repeat.line - 1);
    if (before?.at(-1)?.place === repeat.place) before.push(...records.splice(1));
  }
  return again;
}

/** The number of violations of a group. */
function costOf({ violations, gaps }: JudgedGroup): number {
  return violations.length + Math.min(gaps.length, 1);
}

/**
 * True for parts that begin near each other by the clock, of one descriptor or directly behind each other, and for a single record that
 * is near in lines; if together they have one record too many at most, and none if one is missing.
 *
 * @param near true for parts that are near in time, false for a single record that is near in lines alone
 */
function mayBeOne(
  { records, lastLine }: JudgedGroup,
  { records: others, line }: JudgedGroup,
  near: boolean,
  recordCount: number,
): boolean {
  const [first, other] = [records[0]?.record, others[0]?.record];
  if (first === undefined || other === undefined) return false;
  const isAlone = isSingle(records) || isSingle(others);
  if (isNear(first.localSecond, other.localSecond) !== near) return false;
  if (!near && !(isAlone && line - lastLine <= REACH_LINES)) return false;
  const areAlike = first.kind === 'deprecation' || other.kind === 'deprecation' || haveSameDescriptor(first, other);
  if (!isAlone && !areAlike && line - lastLine > 1) return false;
  const surplus = others.filter(({ place }) => records.some((entry) => entry.place === place)).length;
  return surplus <= (records.length + others.length >= recordCount ? 1 : 0);
}

/** True for one load failure, with a deprecation record or without, and for a deprecation record alone. */
function isSingle(records: Records): boolean {
  return records.length === 1 || (records.length === 2 && records[1]?.record.kind === 'deprecation');
}

function byLine(entry: CheckedEntry, other: CheckedEntry): number {
  return entry.line - other.line;
}
