import { MAX_PLUGINS } from '../log/deployment.js';
import { descriptorOf, type LoadFailure } from '../log/line.js';
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
  readonly contiguous: number;
}

/**
 * Infers the order in which the plugins of a log report (2.3) from its first records: the order that the log repeats. Groups may be cut,
 * interleave or be broken. Candidates are the orders in which the plugins of the log, of each descriptor and of each of its runs first
 * appear. Of those with the same plugins, the one that makes the most groups whole stays. The end of another one is dropped, and one with
 * some of its plugins, unless that makes more than twice as many groups whole. The best of the rest is taken; none if no group is whole.
 */
export function inferPluginOrder(records: readonly PlacedRecord[]): PluginOrder | undefined {
  // Deprecation records tell no order if none of them ends a group.
  return inferFrom(records) ?? inferFrom(records.filter(({ record }) => record.kind === 'load_failure'));
}

function inferFrom(records: readonly PlacedRecord[]): PluginOrder | undefined {
  const best = new Map<string, Trial>();
  for (const order of findCandidates(records)) {
    const trial = tryOrder(order, records);
    const plugins = order.toSorted().join(' ');
    const known = best.get(plugins);
    if (trial.groups > 0 && (known === undefined || compareTrials(trial, known) < 0)) best.set(plugins, trial);
  }
  const trials = Array.from(best.values());
  return trials.filter((trial) => !trials.some((other) => isPartOf(trial, other))).sort(compareTrials)[0];
}

function compareTrials(trial: Trial, other: Trial): number {
  return other.groups - trial.groups || other.contiguous - trial.contiguous || trial.firstLine - other.firstLine;
}

/** True for a trial whose groups are likely those of another one, cut short at their beginning or with records lost. */
function isPartOf({ paths, groups }: Trial, other: Trial): boolean {
  const missing = other.paths.length - paths.length;
  if (missing <= 0) return false;
  if (paths.every((path, index) => path === other.paths[missing + index])) return true;
  return 2 * other.groups >= groups && paths.every((path) => other.paths.includes(path));
}

function tryOrder(paths: readonly string[], records: readonly PlacedRecord[]): Trial {
  const placeOf = placesIn(paths);
  const grouper = new Grouper(paths.length, { hasEndings: records.some(({ record }) => record.kind === 'deprecation') });
  for (const { record, line } of records) grouper.add({ record, line, place: placeOf(record) });
  grouper.giveUp();
  const complete = Array.from(grouper.closed()).filter(({ isComplete }) => isComplete);
  const whole = complete.filter(({ isWhole }) => isWhole);
  const ended = complete.filter(({ hasEnding }) => hasEnding).length;
  const withSession = complete.filter(({ entries }) => entries.some(({ record }) => hasSession(record))).length;
  return {
    paths,
    groups: whole.length,
    firstLine: whole[0]?.firstLine ?? Infinity,
    contiguous: whole.filter(({ firstLine, lastLine, entries }) => lastLine - firstLine < entries.length).length,
    hasEndings: 2 * ended >= complete.length && ended > 0,
    hasSessions: withSession > 0 && withSession >= Math.min(2, complete.length),
  };
}

/** The orders in which plugins are named, the most frequent and then the longest first. */
function findCandidates(records: readonly PlacedRecord[]): readonly (readonly string[])[] {
  const failures = records.flatMap(({ record }) => (record.kind === 'load_failure' ? [record] : []));
  const counts = new Map<string, number>();
  for (const some of [failures, ...runsOf(records)]) {
    const order = Array.from(new Set(some.map(({ pluginFilePath }) => pluginFilePath)));
    if (order.length <= MAX_PLUGINS) counts.set(order.join(' '), (counts.get(order.join(' ')) ?? 0) + 1);
  }
  return Array.from(counts, ([joined, count]) => ({ order: joined.split(' '), count }))
    .sort((one, other) => other.count - one.count || other.order.length - one.order.length)
    .slice(0, MAX_CANDIDATES)
    .map(({ order }) => order);
}

/** The load failures of each descriptor, and their runs: each plugin once, up to another time or a deprecation record behind one. */
function runsOf(records: readonly PlacedRecord[]): readonly (readonly LoadFailure[])[] {
  const ofDescriptors = new Map<string, LoadFailure[]>();
  const runs: (readonly LoadFailure[])[] = [];
  const open = new Map<string, readonly LoadFailure[]>();
  let descriptor = '';
  for (const { record } of records) {
    if (record.kind === 'deprecation') {
      runs.push(open.get(descriptor) ?? []);
      open.delete(descriptor);
      continue;
    }
    descriptor = descriptorOf(record);
    const all = ofDescriptors.get(descriptor);
    if (all === undefined) ofDescriptors.set(descriptor, [record]);
    else all.push(record);
    const run = open.get(descriptor) ?? [];
    const isFar = run[0] !== undefined && !isNear(run[0].second, record.second);
    const repeated = run.findIndex(({ pluginFilePath }) => pluginFilePath === record.pluginFilePath);
    if (isFar || repeated !== -1) runs.push(run);
    open.set(descriptor, [...(isFar ? [] : run.slice(repeated + 1)), record]);
  }
  return [...runs, ...open.values(), ...ofDescriptors.values()];
}
