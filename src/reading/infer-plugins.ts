import { Assembler } from './assembler.js';
import { placesIn } from './entry.js';
import { descriptorOf, type LoadFailure } from '../log/line.js';
import type { RecordAtLine } from './record-at-line.js';

/** A record in its place. */
type PlacedRecord = Pick<RecordAtLine, 'record' | 'line'>;

/** How many orders are tried at most, the longest of them. */
const MAX_CANDIDATES = 24;

/** An order of plugins, and what it makes of the records. */
interface Trial {
  readonly order: readonly string[];
  /** How many groups are whole with it. */
  readonly groups: number;
  /** The line where the first of them begins. */
  readonly firstLine: number;
  /** How often a deprecation record directly follows the last plugin. */
  readonly ends: number;
}

/**
 * Finds in what order a log's plugins report (2.3), as the paths of their files, from the records at its beginning: the order of the
 * first group that is whole there.
 *
 * The log may begin in the middle of groups, and groups may interleave, so no single run of records can be trusted. Every order that
 * is to be seen somewhere is tried: that in which plugins first appear, in all and in each descriptor, and that of every run of one
 * descriptor up to a deprecation record. Of the same plugins the order counts that makes the most groups whole. An order that is
 * the end of another counts for that of groups cut short; so does one that lacks other plugins of another, unless most of its groups
 * have no more. The first group decides between the rest.
 *
 * @returns undefined if no group is whole
 */
export function inferPlugins(records: readonly PlacedRecord[]): readonly string[] | undefined {
  const trials = findCandidates(records)
    .map((order) => tryOrder(order, records))
    .filter(({ groups }) => groups > 0);
  const best = groupBy(trials, ({ order }) => order.toSorted().join(' ')).map((same) =>
    same.reduce((one, other) => (isBetter(other, one) ? other : one)),
  );
  const sound = best.filter((one) => !best.some((other) => isPartOf(one, other)));
  return sound.sort((one, other) => one.firstLine - other.firstLine)[0]?.order;
}

function isBetter(one: Trial, other: Trial): boolean {
  return one.groups === other.groups ? one.ends > other.ends : one.groups > other.groups;
}

/** Whether the groups of one order are likely those of another with records lost: all in front, or some in between. */
function isPartOf(one: Trial, other: Trial): boolean {
  const missing = other.order.length - one.order.length;
  if (missing <= 0) return false;
  if (one.order.every((plugin, index) => plugin === other.order[missing + index])) return true;
  return 2 * other.groups >= one.groups && one.order.every((plugin) => other.order.includes(plugin));
}

function tryOrder(order: readonly string[], records: readonly PlacedRecord[]): Trial {
  const placeOf = placesIn(order);
  const assembler = new Assembler(order.length);
  for (const { record, line } of records) assembler.add({ record, line, place: placeOf(record) });
  assembler.end();
  const groups = assembler.drain().filter(({ isWhole }) => isWhole);
  const last = order.at(-1);
  const ends = records.filter(({ record }, index) => {
    const before = records[index - 1]?.record;
    return record.kind === 'deprecation' && before?.kind === 'load_failure' && before.pluginFilePath === last;
  });
  return { order, groups: groups.length, firstLine: groups[0]?.firstLine ?? Infinity, ends: ends.length };
}

function findCandidates(records: readonly PlacedRecord[]): (readonly string[])[] {
  const failures = records.flatMap(({ record }) => (record.kind === 'load_failure' ? [record] : []));
  if (failures.length === 0 || failures.length === records.length) return [];
  const orders = [failures, ...findRuns(records), ...groupBy(failures, descriptorOf)].map(pluginsOf);
  const distinct = new Map(orders.map((order) => [order.join(' '), order]));
  return Array.from(distinct.values())
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_CANDIDATES);
}

/** The runs of load failures of one descriptor, no plugin twice, that end in a deprecation record. */
function findRuns(records: readonly PlacedRecord[]): LoadFailure[][] {
  const runs: LoadFailure[][] = [];
  let run: LoadFailure[] = [];
  for (const { record } of records) {
    if (record.kind === 'deprecation') {
      if (run.length > 0) runs.push(run);
      run = [];
    } else {
      const [first = record] = run;
      const goesOn =
        descriptorOf(first) === descriptorOf(record) && run.every((one) => one.pluginFilePath !== record.pluginFilePath);
      run = goesOn ? [...run, record] : [record];
    }
  }
  return runs;
}

function pluginsOf(failures: readonly LoadFailure[]): readonly string[] {
  return Array.from(new Set(failures.map(({ pluginFilePath }) => pluginFilePath)));
}

/** `Map.groupBy`, which Node 20 does not have. */
function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return Array.from(groups.values());
}
