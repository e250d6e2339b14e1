import { describe, expect, test } from '@jest/globals';
import { injectFaults } from '../../src/faults/inject-faults.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup, type LogRequest } from '../../src/log/group.js';
import { inferLogDeployment } from '../../src/reading/inferred-groups.js';
import { collect } from '../support/bytes.js';
import { linesOf } from '../support/changes.js';
import { filesOf, readBack } from '../support/logs.js';
import { simulateLines } from '../support/simulate-requests.js';

const SITE = createDeployment();

/** Requests a second apart, each with a target of its own. */
const REQUESTS: readonly LogRequest[] = Array.from({ length: 100 }, (_, index) => ({
  millisecond: (1_747_562_400 + index) * 1000,
  method: 'GET',
  target: `/mail/?m=${String(index)}`,
}));
const LINES = REQUESTS.flatMap((request) => linesOf(formatGroup(request, SITE)));

const readTargets = async (log: string): Promise<readonly string[]> => (await readBack(log)).requests.map(({ target }) => target);

describe('an altered record costs its group and no other', () => {
  test.each([1, 2, 4, 7])('in the first group too: a path of record %d', async (line) => {
    const log = LINES.with(line - 1, (LINES[line - 1] ?? '').replace('/plugins/', '/plugin/')).join('');
    expect(await readTargets(log)).toEqual(REQUESTS.slice(1).map(({ target }) => target));
    expect((await inferLogDeployment(filesOf(log), 'remedy')).deployment.plugins).toEqual(SITE.plugins);
  });

  test('also where every second group has one', async () => {
    const pieces = await collect(injectFaults([REQUESTS], SITE, { rates: { altered: 0.5 }, seed: 4 }));
    const log = pieces.map(({ bytes }) => bytes.toString('latin1')).join('');
    const groups = log.split(/(?<=Deprecated.*\n)/);
    const intact = REQUESTS.filter((_, index) => groups[index] === LINES.slice(8 * index, 8 * index + 8).join(''));
    expect(intact.length).toBeLessThan(70);
    expect(await readTargets(log)).toEqual(expect.arrayContaining(intact.map(({ target }) => target)));
  });
});

describe('of a log that is cut at both ends, only the requests that are cut are lost', () => {
  test.each([1, 4, 12])('%d workers', async (workers) => {
    for (const [seed, timing] of (['even', 'burst', 'short', 'slow'] as const).entries()) {
      const lines = simulateLines({ workers, longestMs: 600, timing, seed }).slice(83, -91);
      const counts = new Map<string, number>();
      for (const line of lines) {
        const target = /\(GET (\S+)\)/.exec(line)?.[1];
        if (target !== undefined) counts.set(target, (counts.get(target) ?? 0) + 1);
      }
      const whole = [...counts].filter(([, count]) => count === SITE.plugins.length).length;
      // A request whose deprecation record is cut off has all its load failures: at most one for each worker.
      expect((await readTargets(lines.join(''))).length).toBeGreaterThanOrEqual(whole - workers);
    }
  });
});
