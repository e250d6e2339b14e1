import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment } from '../../src/log/deployment.js';
import { BoundedCounts, MAX_NAMES } from '../../src/stats/bounded-counts.js';
import { countLog, type LogCounts } from '../../src/stats/count-log.js';
import { chunksOf } from '../support/bytes.js';
import { groupAt } from '../support/records.js';

const site = createDeployment({ plugins: ['carddav'] });

const count = (targets: readonly string[]): Promise<LogCounts> =>
  countLog(chunksOf(targets.map((target) => groupAt(0, target, site)).join('')));

const numbered = (prefix: string, length: number): string[] => Array.from({ length }, (_, n) => `${prefix}${String(n)}`);

test('names are counted, the most frequent first, then by their bytes; so many targets keep their queries', async () => {
  const { targets } = await count([...numbered('/?', MAX_NAMES - 3), '/c', '/a', '/\xff', '/a']);
  expect(targets.sorted().slice(0, 2)).toEqual([
    { name: '/a', count: 2 },
    { name: '/?0', count: 1 },
  ]);
  expect(targets.sorted().at(-1)?.name).toBe('/\xff');
  expect({ names: targets.sorted().length, other: targets.other }).toEqual({ names: MAX_NAMES, other: 0 });
});

test('targets that are too many are counted by path: without authority, query and fragment', async () => {
  const odd = ['/mail/#top', 'http://host/mail/', 'HTTP://host:80/mail/?x', 'https://host?x', '/poczta/'];
  const { targets } = await count([...numbered('/mail/?r=', MAX_NAMES + 1), ...odd]);
  expect(targets.sorted()).toEqual([
    { name: '/mail/', count: MAX_NAMES + 4 },
    { name: '/', count: 1 },
    { name: '/poczta/', count: 1 },
  ]);
});

test('of too many paths the rarer half is lumped together', async () => {
  const { targets } = await count(['/a', '/a', ...numbered('/', MAX_NAMES), '/a']);
  expect(targets.sorted()[0]).toEqual({ name: '/a', count: 3 });
  expect(targets.sorted()).toHaveLength(MAX_NAMES / 2);
  expect(targets.other).toBe(MAX_NAMES + 3 - 3 - (MAX_NAMES / 2 - 1));
});

test('names and their bytes are bounded, and those that are kept and the others are all', () => {
  const run = fc.tuple(fc.constantFrom('/0/', '/1/', '/2/?'), fc.integer({ min: 1, max: 2500 }));
  const long = fc.constant<[string, number]>(['x'.repeat(1 << 20), 10]);
  fc.assert(
    fc.property(fc.oneof(fc.array(run, { maxLength: 8 }), fc.tuple(long)), (runs) => {
      const names = runs.flatMap(([prefix, length]) => numbered(prefix, length));
      const counts = new BoundedCounts((name) => name.replace(/\?.*/, ''));
      for (const name of names) counts.add(name);
      const kept = counts.sorted();
      expect(kept.reduce((sum, name) => sum + name.count, counts.other)).toBe(names.length);
      expect(kept.length).toBeLessThanOrEqual(kept[0]?.name.startsWith('x') ? 8 : MAX_NAMES);
    }),
    { numRuns: 10 },
  );
});

test('lines that do not begin with a bracket belong to the foreign message directly above', async () => {
  const trace =
    '[22-Nov-2026 01:20:14 Europe/Warsaw] PHP Fatal error:  Uncaught E: x in /srv/a.php:6\nStack trace:\n#0 {main}\n\nNext F: y\n';
  const { foreignMessages } = await countLog(chunksOf(`garbage\ngarbage\n${trace}${trace}[forged\nStack trace:\n`));
  const counted = foreignMessages.sorted().map(({ name, count }) => `${String(count)} ${name}`);
  expect(counted).toEqual(['2 PHP Fatal error:  Uncaught E: x in a.php:*', '2 garbage', '1 [forged']);
});
