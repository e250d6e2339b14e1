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

/** Second, target and order of the requests that groups show. */
function requestsOf(groups: readonly OpenGroup<SimulatedEntry>[]): string[] {
  return groups.map(({ second, firstFailure }) => `${String(second)} ${firstFailure?.requestTarget ?? ''}`);
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
          const begun = entries.filter(({ place }) => place === 0);
          expect(groups.every(({ isWhole }) => isWhole)).toBe(true);
          expect(requestsOf(groups)).toEqual(
            begun.map(({ record }) => (record.kind === 'load_failure' ? `${String(record.second)} ${record.requestTarget}` : '')),
          );
          // Each record belongs to one group, and its order within the group is that of its lines.
          expect(groups.flatMap(({ entries: own }) => own.map(({ line }) => line)).sort((one, other) => one - other)).toEqual(
            entries.map(({ line }) => line),
          );
          expect(groups.every(({ entries: own }) => own.every(({ place }, index) => place === index))).toBe(true);
        }
      }
    },
  );
});
