import { MAX_PLUGINS } from '../log/deployment.js';
import { descriptorOf, haveSameDescriptor, type LoadFailure } from '../log/line.js';
import { Grouper } from './grouper.js';
import { hasSession, isNear, placesIn, type Entry } from './record-group.js';

export type PlacedRecord = Pick<Entry, 'record' | 'line'>;

const MAX_CANDIDATES = 24;

export interface PluginOrder {
  readonly paths: readonly string[];
  readonly hasEndings: boolean;
  /** True if groups show a session: two of them, or all. */
  readonly hasSessions: boolean;
  /** The number of groups with all records, or with all load failures where the log has no deprecation record. */
  readonly groups: number;
}

interface Trial extends PluginOrder {
  readonly firstLine: number;
  /** The number of deprecation records that directly follow the last plugin of the order. */
  readonly ends: number;
}

/**
 * Infers the order in which the plugins of a log report (2.3) from its first records: the order that the log repeats. Groups may be cut,
 * interleave or be broken. Candidates are the order of first appearance, in the log and for each descriptor, and each run of one descriptor.
 * One with some of the plugins of another one is dropped, unless it makes more than twice as many groups whole; the end of another one,
 * unless more than eight times as many. Of the rest, the one that makes the most groups whole is taken; none if none is whole.
 */
export function inferPluginOrder(records: readonly PlacedRecord[]): PluginOrder | undefined {
  // Deprecation records tell no order if none of them ends a group.
  return inferFrom(records) ?? inferFrom(records.filter(({ record }) => record.kind === 'load_failure'));
}

function inferFrom(records: readonly PlacedRecord[]): PluginOrder | undefined {
  const trials = findCandidates(records)
    .map((order) => tryOrder(order, records))
    .filter(({ groups }) => groups > 0)
    .sort((trial, other) => other.groups - trial.groups || other.ends - trial.ends);
  const best = groupBy(trials, ({ paths }) => paths.toSorted().join(' ')).flatMap(([trial]) => trial ?? []);
  const sound = best.filter((trial) => !best.some((other) => isPartOf(trial, other)));
  return sound.sort((trial, other) => other.groups - trial.groups || trial.firstLine - other.firstLine)[0];
}

/** True for a trial whose groups are likely those of another one, cut short at their beginning or with records lost. */
function isPartOf({ paths, groups }: Trial, other: Trial): boolean {
  const missing = other.paths.length - paths.length;
  if (missing <= 0) return false;
  const isEnd = paths.every((path, index) => path === other.paths[missing + index]);
  return (isEnd ? 8 : 2) * other.groups >= groups && paths.every((path) => other.paths.includes(path));
}

function tryOrder(paths: readonly string[], records: readonly PlacedRecord[]): Trial {
  const placeOf = placesIn(paths);
  const grouper = new Grouper(paths.length, { hasEndings: records.some(({ record }) => record.kind === 'deprecation') });
  for (const { record, line } of records) grouper.add({ record, line, place: placeOf(record) });
  grouper.giveUp();
  let [groups, firstLine, complete, ended, withSession] = [0, Infinity, 0, 0, 0];
  for (const group of grouper.closed()) {
    if (group.isComplete) complete += 1;
    if (group.isComplete && group.hasEnding) ended += 1;
    if (group.isComplete && group.entries.some(({ record }) => hasSession(record))) withSession += 1;
    if (!group.isWhole) continue;
    groups += 1;
    firstLine = Math.min(firstLine, group.firstLine);
  }
  const last = paths.at(-1);
  const ends = records.filter(({ record }, index) => {
    const before = records[index - 1]?.record;
    return record.kind === 'deprecation' && before?.kind === 'load_failure' && before.pluginFilePath === last;
  });
  return {
    paths,
    groups,
    firstLine,
    ends: ends.length,
    hasEndings: 2 * ended >= complete && ended > 0,
    hasSessions: withSession > 0 && withSession >= Math.min(2, complete),
  };
}

/** The orders in which plugins are named, the most frequent and then the longest first. */
function findCandidates(records: readonly PlacedRecord[]): (readonly string[])[] {
  const failures = records.flatMap(({ record }) => (record.kind === 'load_failure' ? [record] : []));
  if (failures.length === 0) return [];
  const orders = [failures, ...findRuns(records), ...groupBy(failures, descriptorOf)].map(pluginsOf);
  return groupBy(
    orders.filter(({ length }) => length <= MAX_PLUGINS),
    (order) => order.join(' '),
  )
    .sort((same, other) => other.length - same.length || (other[0]?.length ?? 0) - (same[0]?.length ?? 0))
    .slice(0, MAX_CANDIDATES)
    .flatMap(([order]) => (order === undefined ? [] : [order]));
}

/** Runs of one descriptor, each plugin once, up to a deprecation record; in a log without any, up to another time. */
function findRuns(records: readonly PlacedRecord[]): LoadFailure[][] {
  const hasEndings = records.some(({ record }) => record.kind === 'deprecation');
  const runs: LoadFailure[][] = [];
  let run: LoadFailure[] = [];
  for (const { record } of records) {
    if (record.kind === 'deprecation') {
      if (run.length > 0) runs.push(run);
      run = [];
      continue;
    }
    const [first = record] = run;
    const isOfRequest = haveSameDescriptor(first, record) && (hasEndings || isNear(first.second, record.second));
    const goesOn = isOfRequest && run.every(({ pluginFilePath }) => pluginFilePath !== record.pluginFilePath);
    if (!goesOn && !hasEndings) runs.push(run);
    if (goesOn) run.push(record);
    else run = [record];
  }
  return hasEndings ? runs : [...runs, run];
}

function pluginsOf(failures: readonly LoadFailure[]): readonly string[] {
  return Array.from(new Set(failures.map(({ pluginFilePath }) => pluginFilePath)));
}

/** `Map.groupBy`, which Node 20 does not have. */
function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return Array.from(groups.values());
}
