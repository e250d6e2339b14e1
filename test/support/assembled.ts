import { Grouper } from '../../src/reading/grouper.js';
import type { RecordGroup } from '../../src/reading/record-group.js';
import { PLUGINS, type SimulatedEntry, simulateRequests, TIMINGS } from './simulate-requests.js';

/** A day without a change of clocks, and just before both changes of Europe/Warsaw in 2025: Unix seconds. */
const STARTS = [1_747_562_400, Date.UTC(2025, 9, 26, 1) / 1000 - 4, Date.UTC(2025, 2, 30, 1) / 1000 - 4];

/** How requests write their records, and how many workers write at the same time. */
export const SERVERS = TIMINGS.flatMap((timing) =>
  [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].map((workers) => [timing, workers] as const),
);

function assemble(entries: readonly SimulatedEntry[]): RecordGroup<SimulatedEntry>[] {
  const grouper = new Grouper<SimulatedEntry>(PLUGINS, true);
  const groups: RecordGroup<SimulatedEntry>[] = [];
  for (const entry of entries) {
    grouper.add(entry);
    groups.push(...grouper.closed());
  }
  grouper.giveUp();
  return [...groups, ...grouper.closed()];
}

/** The first request of a complete log that has not its group, in order, of its records alone. In plain loops: there are millions of records. */
function findDifference(entries: readonly SimulatedEntry[], groups: readonly RecordGroup<SimulatedEntry>[]): string | undefined {
  const begun = entries.filter(({ place }) => place === 0);
  const isTaken = new Uint8Array(entries.length);
  for (const [index, first] of begun.entries()) {
    const group = groups[index];
    if (group?.isWhole !== true) return `line ${String(first.line)}: ${String(group?.entries.length)} records`;
    const target = first.record.kind === 'load_failure' ? first.record.requestTarget : '';
    if (group.firstLine !== first.line) return `line ${String(first.line)}: a group of line ${String(group.firstLine)}`;
    let before = 0;
    let place = 0;
    for (const { record, line, place: own } of group.entries) {
      const isOther = record.kind === 'load_failure' && record.requestTarget !== target;
      if (own !== place || line <= before || isOther || isTaken[line - 1] === 1)
        return `line ${String(line)} is of another group`;
      isTaken[line - 1] = 1;
      before = line;
      place += 1;
    }
    if (place !== PLUGINS + 1) return `line ${String(first.line)}: ${String(place)} records`;
  }
  return groups.length === begun.length ? undefined : `${String(groups.length)} groups of ${String(begun.length)} requests`;
}

/** Assembles logs of a server: of four durations of its requests, each with a target for every request and with three targets. */
export function findDifferences([timing, workers]: (typeof SERVERS)[number], requests: number): readonly string[] {
  return [50, 600, 1800, 1950].flatMap((longestMs) =>
    [0, 3].flatMap((targets) => {
      const seed = workers * 10 + targets;
      const start = STARTS[(seed + longestMs) % STARTS.length] ?? 0;
      const entries = simulateRequests({ workers, requests, longestMs, timing, seed, start, targets });
      return findDifference(entries, assemble(entries)) ?? [];
    }),
  );
}
