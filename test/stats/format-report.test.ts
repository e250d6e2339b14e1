import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { countLog } from '../../src/stats/count-log.js';
import { formatJson } from '../../src/stats/log-stats.js';
import { formatReport } from '../../src/stats/format-report.js';
import { formatDuration } from '../../src/wording.js';
import { request } from '../support/arbitraries.js';
import { chunksOf } from '../support/bytes.js';
import { placesIn } from '../support/places.js';
import { SECOND } from '../support/records.js';
import { PROJECT } from '../support/run.js';

const site = createDeployment();
const PLAIN = { columns: 80, isPlain: true };

const write = (targets: readonly string[], method = 'GET'): string =>
  targets.map((target, index) => formatGroup({ millisecond: (SECOND + index) * 1000, method, target }, site)).join('');

const report = async (log: string, style = PLAIN): Promise<string> =>
  formatReport(await countLog(chunksOf(log)), placesIn('x.log'), style);

/** The counts that the lines of targets begin with. */
const shownCounts = (text: string): number[] =>
  Array.from(text.matchAll(/^ *([\d,]+) +[\d.]+% /gm), ([, count]) => Number(count?.replaceAll(',', '')));

describe('formatReport', () => {
  test.each([
    ['plain', PLAIN],
    ['blocks', { columns: 120, isPlain: false }],
  ])('fixtures/requests.log, %s', async (name, style) => {
    const log = readFileSync(join(PROJECT, 'fixtures/requests.log'), 'latin1');
    const golden = readFileSync(join(PROJECT, `fixtures/stats/${name}.txt`), 'utf8');
    expect(await report(log, style)).toBe(golden);
  });

  test.each([
    [30, 'logs/error.log.10 … logs/err…'],
    [46, 'logs/error.log.10 … logs/error.log (3 logs)'],
    [55, 'logs/error.log.10, logs/error.log.9, logs/error.log'],
  ])('in %i columns, three logs are named %j', async (columns, name) => {
    const places = { ...placesIn(''), sources: ['logs/error.log.10', 'logs/error.log.9', 'logs/error.log'] };
    const [head] = formatReport(await countLog(chunksOf('')), places, { columns, isPlain: false }).split('\n');
    expect(head).toBe(name);
  });

  test.each([
    ['an empty log', '', 'x.log\n\ngroups      0\nrecords     0\nincomplete  0 groups\nforeign     0 lines\n'],
    [
      'foreign lines and groups that lack a record, with their lines',
      `x\n${write(['/'])}${write(['/']).split('\n').slice(0, 3).join('\n')}`,
      '\nrecords     11\nincomplete  1 group (begins at line 10)\nforeign     1 line (at line 1)\n',
    ],
    [
      'thousands of foreign lines, with a comma',
      'x\n'.repeat(1234),
      'foreign     1,234 lines (the first at lines 1, 2, 3, 4 and 5)\n',
    ],
    [
      'lines that are foreign for a CR at their end',
      `x\r\n${write(['/']).replaceAll('\n', '\r\n')}`,
      '\nforeign     9 lines (the first at lines 1, 2, 3, 4 and 5)\n            8 of them because of a CR at the end\n',
    ],
    ['empty lines, by a name', '\n\n', 'Foreign messages, * for what varies\n\n2 (empty)\n'],
    ['methods, the rare ones together', 'ABCDEFGHIJ'.replace(/./g, (name) => write(['/'], name)), ' F 1, G 1, H 1, others 2\n'],
  ])('%s', async (_what, log, text) => {
    expect(await report(log)).toContain(text);
  });

  test.each([
    ['an escape sequence that no shell should see', '/\x9b31m\xff', '/\\x9b31m\\xff', '/\\x9b31m\\xff'],
    ['UTF-8', '/\xc5\xbc', '/\\xc5\\xbc', '/ż'],
    ['a right-to-left override', '/\xe2\x80\xae', '/\\xe2\\x80\\xae', '/\\u{202e}'],
  ])('a target with %s', async (_what, target, plain, blocks) => {
    expect(await report(write([target]))).toContain(` ${plain}\n`);
    expect(await report(write([target]), { columns: 80, isPlain: false })).toContain(` ${blocks}\n`);
  });

  test.each([
    ['plain', PLAIN, /^1 {2}50\.0% #{16} \/x+\.\.\.x+[ab]$/],
    ['blocks', { columns: 80, isPlain: false }, /^1 {2}50\.0% █{16} \/x+…x+[ab]$/],
  ])('a long target is cut to the line in its middle, so that its ends tell it from others, %s', async (_what, style, shape) => {
    const lines = (await report(write(['a', 'b'].map((end) => `/${'x'.repeat(500_000)}${end}`)), style)).split('\n');
    const rows = lines.filter((line) => line.includes('%'));
    expect(new Set(rows).size).toBe(2);
    for (const row of rows) {
      expect(row.trim()).toMatch(shape);
      expect(row).toHaveLength(80);
    }
  });

  test('rare targets share a line', async () => {
    const targets = Array.from({ length: 30 }, (_, index) => `/${String(index)}`);
    const text = await report(write([...targets, '/0']));
    expect(text).toMatch(/^10 +32\.3% #+ +\(10 others\)$/m);
    expect(shownCounts(text)).toHaveLength(21);
  });

  test('the ten most frequent foreign messages, each on two lines at most', async () => {
    const words = ['long '.repeat(60), ...'a b c d e f g h i j k l'.split(' ')];
    const text = await report(words.map((word, index) => `[${word}\n`.repeat(20 - index)).join(''));
    const [, section = ''] = text.split('Foreign messages, * for what varies\n\n');
    expect(section).toMatch(/^20 \[long (?:long )+long\n {3}long .*\.\.\.\n19 \[a\n18 \[b\n(?:.*\n){7}27 \(others\)\n$/);
    expect(Math.max(...section.split('\n').map(({ length }) => length))).toBe(80);
  });

  test('its targets and its buckets are all groups, and no line is wider than it may be', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 40, max: 200 }),
        async (list, columns) => {
          const counts = await countLog(chunksOf(list.map((one) => formatGroup(one, site)).join('')));
          const [text = '', blocks = ''] = [true, false].map((isPlain) =>
            formatReport(counts, placesIn('żółw.log'), { columns, isPlain }),
          );
          expect(text).toMatch(/^[\n -~]*$/);
          expect(shownCounts(text).reduce((sum, count) => sum + count, 0)).toBe(list.length);
          const lines = `${text}\n${blocks}`.split('\n');
          expect(lines.filter((line) => Array.from(line).length > columns)).toEqual([]);
        },
      ),
    );
  });

  test('any bytes give a report', async () => {
    const lines = fc.array(fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.constantFrom(...write(['/', '/a']).split('\n'))));
    await fc.assert(
      fc.asyncProperty(lines, async (some) => {
        const counts = await countLog(chunksOf(some.join('\n')));
        expect(formatReport(counts, placesIn('x.log'), PLAIN)).toMatch(/^x\.log\n[\n -~]*\n$/);
        expect(JSON.parse(formatJson(counts, placesIn('x.log')))).toMatchObject({ groups: counts.groups });
      }),
    );
  });
});

test.each([
  [0, '0 s'],
  [61, '1 min 1 s'],
  [3600, '1 h'],
  [86_400, '1 day'],
  [1234 * 86_400 + 7384, '1,234 days 2 h 3 min 4 s'],
])('formatDuration: %d is %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

test('formatJson: numbers, places and names, for machines', async () => {
  const counts = await countLog(
    chunksOf(`${write(['/\xff', '/mail/'])}[\xff\n${write(['/']).slice(0, write(['/']).indexOf('\n'))}`),
  );
  expect(JSON.parse(formatJson(counts, placesIn('x.log')))).toMatchObject({
    ...{ source: 'x.log', first: '2025-05-18T12:00:00+02:00', last: '2025-05-18T12:00:01+02:00', span_seconds: 1 },
    ...{ groups: 2, records: 17, incomplete_groups: 1, incomplete_groups_at: [18], foreign_lines: 1, foreign_lines_at: [17] },
    foreign_messages: [{ message: '[\ufffd', message_base64: 'W/8=', count: 1 }],
    busiest_second: { from: '2025-05-18T12:00:00+02:00', groups: 1 },
    busiest_minute: { from: '2025-05-18T12:00:00+02:00', groups: 2 },
    methods: [{ http_method: 'GET', groups: 2 }],
    targets: [
      { request_target: '/mail/', groups: 1 },
      { request_target: '/\ufffd', request_target_base64: 'L/8=', groups: 1 },
    ],
    buckets: ['2025-05-18T12:00:00', '2025-05-18T12:00:01'].map((start) => ({ start, groups: 1 })),
  });
});
