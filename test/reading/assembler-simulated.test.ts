import { describe, expect, test } from '@jest/globals';
import { Assembler } from '../../src/reading/assembler.js';
import type { OpenGroup } from '../../src/reading/open-group.js';
import { PLUGINS, simulateRequests, type SimulatedEntry } from '../support/simulate-requests.js';

/** An hour before, at and after the changes of clocks of Europe/Warsaw in 2025, and a day without one. */
const STARTS = [1_747_562_400, Date.UTC(2025, 9, 26, 1) / 1000 - 4, Date.UTC(2025, 2, 30, 1) / 1000 - 4];

function assemble(entries: readonly SimulatedEntry[]): OpenGroup<SimulatedEntry>[] {
  const assembler = new Assembler<SimulatedEntry>(PLUGINS);
  const groups: OpenGroup<SimulatedEntry>[] = [];
  for (const entry of entries) {
    assembler.add(entry);
    groups.push(...assembler.drain());
  }
  assembler.end();
  groups.push(...assembler.drain());
  return groups;
}

/**
 * The first difference between the requests of a complete log and the groups found in it: undefined if each request has its group, in
 * order, and each record belongs to one group, in its place. In plain loops, since there are millions of records.
 */
function findDifference(entries: readonly SimulatedEntry[], groups: readonly OpenGroup<SimulatedEntry>[]): string | undefined {
  const begun = entries.filter(({ place }) => place === 0);
  const isTaken = new Uint8Array(entries.length);
  for (const [index, first] of begun.entries()) {
    const group = groups[index];
    if (group?.isWhole !== true) return `line ${String(first.line)}: ${String(group?.state)}`;
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

describe('no request of a complete log is lost, none is invented, all have their own times, in order', () => {
  const workers = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
  test.each((['even', 'burst', 'short'] as const).flatMap((timing) => workers.map((count) => [timing, count] as const)))(
    '%s, %d workers',
    (timing, count) => {
      for (const longestMs of [50, 600, 1800]) {
        for (const targets of [0, 3]) {
          const seed = count * 10 + targets;
          const start = STARTS[(seed + longestMs) % STARTS.length] ?? 0;
          const entries = simulateRequests({ workers: count, requests: 1400, longestMs, timing, seed, start, targets });
          const groups = assemble(entries);
          expect(findDifference(entries, groups)).toBeUndefined();
        }
      }
    },
  );
});

describe('of a log cut at both ends, a group is whole for 99 of 100 requests within at least, and 1 of 100 is counted twice at most', () => {
  test.each((['even', 'burst', 'short'] as const).flatMap((timing) => [1, 4, 16, 64].map((count) => [timing, count] as const)))(
    '%s, %d workers',
    (timing, workers) => {
      const whole = simulateRequests({
        workers,
        requests: 800,
        longestMs: 600,
        timing,
        seed: workers,
        start: STARTS[0] ?? 0,
        targets: 0,
      });
      const entries = whole.slice(803, -811);
      const counts = new Map<number, number>();
      for (const { request } of entries) counts.set(request, (counts.get(request) ?? 0) + 1);
      const groups = assemble(entries);
      const within = Array.from(counts.values()).filter((count) => count === PLUGINS + 1);
      expect(groups.filter(({ isWhole }) => isWhole).length).toBeGreaterThanOrEqual(0.99 * within.length);
      expect(groups.length).toBeLessThanOrEqual(1.01 * counts.size);
    },
  );
});
