import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readLoggedRecords } from '../../src/reading/parse.js';
import type { PassedOver } from '../../src/reading/passed-over.js';
import { chunksOf, collect } from '../support/bytes.js';
import { checkText } from '../support/checked.js';
import { PLUGINS, simulateLines as linesOf } from '../support/simulate-requests.js';

async function parse(log: string): Promise<{ whole: number; broken: PassedOver['incomplete'] | undefined }> {
  let passedOver: PassedOver | undefined;
  const records = await collect(readLoggedRecords(chunksOf(log), { onEnd: (end) => (passedOver = end) }));
  const groups = new Set(records.flat().flatMap(({ group }) => group ?? []));
  return { whole: groups.size, broken: passedOver?.incomplete };
}

const check = (log: string): ReturnType<typeof checkText> =>
  checkText(log, undefined, { allow: ['interleaved', 'timestamp', 'backwards'] });

const simulation = fc.record({
  workers: fc.integer({ min: 1, max: 12 }),
  longestMs: fc.constantFrom(50, 600, 1800),
  timing: fc.constantFrom('even', 'burst', 'short'),
  seed: fc.nat(10_000),
} as const);

describe('parse and check find the same groups', () => {
  test('in a complete log: each request, without a violation but of times', async () => {
    await fc.assert(
      fc.asyncProperty(simulation, async (server) => {
        const log = linesOf(server).join('');
        expect(await parse(log)).toMatchObject({ whole: 150, broken: { count: 0 } });
        expect(await check(log)).toMatchObject({ violations: [], result: { groups: 150 } });
      }),
      { numRuns: 5 },
    );
  });

  // The clock ticks within many groups: 85, 91 and 82 of their records have another time than the rest of their request.
  test.each([
    [12, 1800, 85],
    [4, 1800, 91],
    [16, 1950, 82],
  ])('on a slow server of %i workers: no more records of another time than there are', async (workers, longestMs, truth) => {
    const log = linesOf({ workers, longestMs, timing: 'slow', seed: 1 }).join('');
    const found = (await checkText(log)).result.counts.of('timestamp');
    expect(found).toBeGreaterThan(truth / 2);
    expect(found).toBeLessThanOrEqual(truth);
  });

  /** How many groups more or fewer `check` counts than `parse`, and how many missing records it names. */
  async function compareGroups(
    lines: readonly string[],
    lost: readonly number[],
  ): Promise<{ difference: number; named: number }> {
    const log = lines.filter((_line, index) => !lost.includes(index)).join('');
    const { whole, broken } = await parse(log);
    const { violations, result } = await check(log);
    // An end that repeats the line before is a record too many for check, and no group.
    const surplus = violations.filter(({ kind }) => kind === 'plugin-order').length;
    const named = violations.flatMap(({ missing = [] }) => missing).length - surplus;
    return { difference: Math.abs(result.groups + surplus - whole - (broken?.count ?? 0)), named };
  }

  test('in a log of short requests that is missing one record: as many groups, and that record is named', async () => {
    await fc.assert(
      fc.asyncProperty(simulation, fc.nat(150 * (PLUGINS + 1) - 1), async (server, lost) => {
        expect(await compareGroups(linesOf({ ...server, longestMs: 50 }), [lost])).toEqual({ difference: 0, named: 1 });
      }),
      { numRuns: 6 },
    );
  });

  // Where groups overlap, and where deprecation records go to the group before, check may put other records together than parse.
  test('where groups do not overlap, the lines of groups that are missing a load failure are the same', async () => {
    const everyOther = fc.uniqueArray(fc.tuple(fc.nat(74), fc.nat(PLUGINS - 1)), { maxLength: 6, selector: ([group]) => group });
    await fc.assert(
      fc.asyncProperty(fc.nat(10_000), everyOther, async (seed, lost) => {
        const lines = linesOf({ workers: 1, longestMs: 50, timing: 'short', seed });
        const log = lines
          .filter((_line, index) => !lost.some(([group, place]) => index === 2 * group * (PLUGINS + 1) + place))
          .join('');
        const { violations } = await check(log);
        const groupLines = violations.flatMap(({ kind, groupLine }) => (kind === 'incomplete' ? (groupLine ?? []) : []));
        expect(groupLines.slice(0, 5)).toEqual((await parse(log)).broken?.lines);
      }),
      { numRuns: 6 },
    );
  });
});
