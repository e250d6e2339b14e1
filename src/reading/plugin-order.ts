import { MAX_PLUGINS } from '../log/deployment.js';
import { descriptorOf, haveSameDescriptor, type LoadFailure } from '../log/line.js';
import { Grouper } from './grouper.js';
import { isNear, placesIn, type Entry } from './record-group.js';

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

type Trial = ReturnType<typeof tryOrder>;

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
  const best = groupBy(trials, ({ paths }) => paths.toSorted().join(' ')).flatMap((same) => same.slice(0, 1));
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

function tryOrder(paths: readonly string[], records: readonly PlacedRecord[]) {
  const placeOf = placesIn(paths);
  const mayEnd = records.some(({ record }) => record.kind === 'deprecation');
  const grouper = new Grouper(paths.length, mayEnd);
  for (const { record, line } of records) grouper.add({ record, line, place: placeOf(record) });
  grouper.giveUp();
  const complete = Array.from(grouper.closed()).filter(({ isComplete }) => isComplete);
  const whole = complete.filter(({ isWhole }) => isWhole);
  const ended = complete.filter(({ ending }) => ending !== undefined);
  const withSession = complete.filter(({ entries }) => entries.some(({ record }) => 'sessionId' in record));
  return {
    paths,
    groups: whole.length,
    firstLine: whole[0]?.firstLine ?? Infinity,
    /** The number of groups whose deprecation record directly follows the last load failure. */
    ends: ended.filter(({ entries, lastLine }) => entries.at(-2)?.line === lastLine - 1).length,
    hasEndings: 2 * ended.length >= complete.length && ended.length > 0,
    hasSessions: withSession.length > 0 && withSession.length >= Math.min(2, complete.length),
  };
}

function findCandidates(records: readonly PlacedRecord[]): (readonly string[])[] {
  const failures = records.map(({ record }) => record).filter((record) => record.kind === 'load_failure');
  const orders = [failures, ...findRuns(records), ...groupBy(failures, descriptorOf)]
    .map((run) => Array.from(new Set(run.map(({ pluginFilePath }) => pluginFilePath))))
    .filter(({ length }) => length > 0 && length <= MAX_PLUGINS);
  return groupBy(orders, (order) => order.join(' '))
    .sort((same, other) => other.length - same.length || (other[0]?.length ?? 0) - (same[0]?.length ?? 0))
    .slice(0, MAX_CANDIDATES)
    .flatMap((same) => same.slice(0, 1));
}

/** Runs of one descriptor and time, each plugin once, up to a deprecation record. */
function findRuns(records: readonly PlacedRecord[]): LoadFailure[][] {
  const runs: LoadFailure[][] = [[]];
  for (const { record } of records) {
    const [run = []] = runs.slice(-1);
    if (record.kind === 'deprecation') {
      runs.push([]);
      continue;
    }
    const [first = record] = run;
    const isOfRequest = haveSameDescriptor(first, record) && isNear(first.second, record.second);
    if (isOfRequest && run.every(({ pluginFilePath }) => pluginFilePath !== record.pluginFilePath)) run.push(record);
    else runs.push([record]);
  }
  return runs;
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
