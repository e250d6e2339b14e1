import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkLog } from '../../src/check/check-log.js';
import type { Rule } from '../../src/check/rules.js';
import { VALUE } from '../../src/findings/finding.js';
import { injectFaults } from '../../src/faults/inject-faults.js';
import { createDeployment, DIALECTS, type Deployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { brokenLog, damaged, deployment, request } from '../support/arbitraries.js';
import { collect } from '../support/bytes.js';
import { all, type Change, drop, edit, editAll, insert, linesOf, swap, twice } from '../support/changes.js';
import { checked, checkText } from '../support/checked.js';
import { byRecords } from '../support/logs.js';
import { interleave, picks } from '../support/concurrent.js';
import { PROJECT } from '../support/run.js';
import { groupAt, SECOND } from '../support/records.js';

const SITE = createDeployment();

/** Line and rule of each violation. */
async function brief(log: string, site?: Deployment, allow?: readonly Rule[]): Promise<readonly string[]> {
  return (await checked(log, site, { allow })).violations;
}

/** The lines of three groups a second apart: of /a, /b, and /a again. The second group stands on lines 9 to 16. */
const LINES = ['/a', '/b', '/a'].flatMap((target, index) => linesOf(groupAt(SECOND + index, target)));
const changed = (...changes: readonly Change[]): string => all(...changes)(LINES).join('');

const DEPRECATION = (LINES[23] ?? '').replace('18-May', '19-May');

// More of them, with the texts of their violations, are tested with the report.
describe('each statement of the specification, broken', () => {
  test.each<[string, Change, string[]]>([
    ['nothing', (lines) => lines, []],
    ['2.1 the shape: no colon after the bracket', edit(11, ']:', ']'), ['11 foreign']],
    ['2.1 the shape: no descriptor', edit(11, / \(.*\)/, ''), ['11 foreign']],
    ['2.1 the word Error', edit(11, 'Error', 'Warning'), ['11 foreign']],
    [
      '2.1 the offset of a group',
      editAll(9, 15, '+0200', '+0100'),
      Array.from({ length: 7 }, (_, at) => `${String(9 + at)} offset`),
    ],
    ['2.1 the plugin path: another root', edit(11, '/var/www/roundcube/plugins', '/srv/plugins'), ['11 path']],
    ['2.1 the loader path', edit(11, 'rcube_plugin_api', 'loader'), ['11 path']],
    ['2.2 a colon after the bracket', edit(16, ']', ']:'), ['16 foreign']],
    ['2.2 a descriptor at the end', edit(16, '\n', ' (GET /)\n'), ['16 foreign']],
    ['2.2 the runtime tag', edit(16, 'PHP', 'HHVM'), ['16 foreign']],
    ['2.2 the text of the notice', edit(16, 'individual', 'single'), ['16 foreign']],
    ['2.2 its timestamp is that of the load failures', edit(16, '12:00:01', '12:00:02'), ['16 timestamp']],
    ['2.2 the session path', edit(16, 'rcube_session', 'session'), ['16 path']],
    ['2.2 the line number 119', edit(16, '119', '120'), ['16 line-number']],
    ['2.3 another plugin of the list', edit(11, /html5_notifier/g, 'carddav'), ['11 plugin-order']],
    ['2.3 the first plugin of the list', edit(11, /html5_notifier/g, 'automatic_addressbook'), ['11 plugin-order']],
    ['6 the deprecation record comes after the load failures', swap(15), ['16 plugin-order']],
    ['6 7 a load failure each', drop(11), ['11 incomplete']],
    ['6 one deprecation record: one more of another second', insert(17, DEPRECATION), ['17 incomplete']],
    [
      '6 no other kinds',
      insert(11, '[18-May-2025 12:00:01 +0200]: <8098d78c> IMAP Error: Login failed (POST /mail/)\n'),
      ['11 foreign'],
    ],
    ['6.1 one timestamp: that of the first record', edit(9, '12:00:01', '11:00:01'), ['9 timestamp']],
    ['6.1 the clock ticked in the group', editAll(13, 16, '12:00:01', '12:00:02'), ['13 timestamp']],
    ['6.2 one descriptor: method', edit(11, 'GET', 'POST'), ['11 descriptor']],
    ['6.2 one descriptor: that of the first record', edit(9, '/b)', '/c)'), ['9 descriptor']],
    ['6.3 a complete group: cut at the beginning of the log', drop(1, 3), ['1 incomplete']],
    ['6.3 a complete group: cut at the end of the log', drop(20, 5), ['19 incomplete']],
    ['6.3 a complete group: no end', drop(16), ['15 incomplete']],
    ['6.3 a complete group: no beginning', drop(9), ['9 incomplete']],
    ['6.3 three records lack', drop(10, 3), ['10 incomplete']],
    ['7 the deprecation record is still written', drop(8), ['7 incomplete']],
    ['1.3 one record a line: CRLF at the end of a group', edit(16, '\n', '\r\n'), ['16 ending']],
    ['1.3 one record a line: a CR in it', edit(11, ' in ', '\r'), ['11 foreign']],
    ['1.3 one record a line: no LF at the end', edit(24, '\n', ''), ['24 ending']],
    ['a torn record', edit(11, / in .*/, ''), ['11 foreign']],
    ['a torn record without its LF', edit(11, / in .*\n/, ''), ['11 foreign']],
    ['a torn deprecation record without its LF', edit(16, / callbacks.*\n/, ''), ['16 foreign']],
    ['a torn record at the end of the log', (lines) => [...lines.slice(0, 18), (lines[18] ?? '').slice(0, 70)], ['19 foreign']],
    ['bytes in the place of a record', edit(9, /.*/, '\xff\x00\x9b'), ['9 foreign']],
    ['other methods and targets are no violations (2.1, 2.4)', editAll(9, 15, 'GET /b', 'OPTIONS *'), []],
    ['the other dialect', edit(16, 'Deprecated: ', 'Deprecated:  '), []],
  ])('%s', async (_what, change, expected) => {
    expect(await brief(changed(change))).toEqual(expected);
  });
});

/** Groups of one target or of several, in one second or in several. */
const spacings = [0, 1, 60].flatMap((seconds) => [['/a'], ['/a', '/b']].map((targets) => [seconds, targets] as const));

describe.each(DIALECTS)('a record too many is one violation, plugin-order, at its line; dialect %s', (dialect) => {
  const site = createDeployment({ dialect });
  const threeGroups = (seconds: number, targets: readonly string[], written = site): readonly string[] =>
    [0, 1, 2].flatMap((index) => linesOf(groupAt(SECOND + index * seconds, targets[index % targets.length], written)));

  test.each(spacings)('the second of two equal records (groups %d s apart, of %j)', async (seconds, targets) => {
    for (let line = 1; line <= 24; line += 1) {
      const log = twice(line)(threeGroups(seconds, targets)).join('');
      expect(await checked(log)).toEqual({ groups: 3, violations: [`${String(line + 1)} plugin-order`] });
    }
  });

  test.each(spacings)('a plugin that is not listed (groups %d s apart, of %j)', async (seconds, targets) => {
    for (let line = 1; line <= 25; line += 1) {
      const lines = threeGroups(seconds, targets);
      const beside =
        lines
          .slice(Math.max(0, line - 3), line)
          .toReversed()
          .find((text) => text.includes('plugins/')) ?? '';
      const log = insert(line, beside.replace(/plugins\/\S+/, 'plugins/zz/zz.php'))(lines).join('');
      expect(await checked(log)).toEqual({ groups: 3, violations: [`${String(line)} plugin-order`] });
    }
  });

  test.each(spacings)('each of a plugin that the deployment lacks (groups %d s apart, of %j)', async (seconds, targets) => {
    for (const lacking of site.plugins) {
      const plugins = site.plugins.filter((plugin) => plugin !== lacking);
      const line = 1 + site.plugins.indexOf(lacking);
      const violations = [0, 8, 16].map((before) => `${String(before + line)} plugin-order`);
      const log = threeGroups(seconds, targets).join('');
      expect(await checked(log, createDeployment({ plugins }))).toEqual({ groups: 3, violations });
    }
  });

  test.each(spacings)('also where the deployment has one plugin alone (groups %d s apart, of %j)', async (seconds, targets) => {
    for (const [plugin, line] of [
      ['a', 2],
      ['b', 1],
    ] as const) {
      const log = threeGroups(seconds, targets, createDeployment({ dialect, plugins: ['a', 'b'] })).join('');
      const violations = [0, 3, 6].map((before) => `${String(before + line)} plugin-order`);
      expect(await brief(log, createDeployment({ plugins: [plugin] }))).toEqual(violations);
    }
  });
});

describe('interleaved groups (6)', () => {
  const [a = [], b = []] = ['/a', '/b'].map((target) => linesOf(groupAt(SECOND, target)));

  test.each([
    ['seven, seven, end, end', [...a.slice(0, 7), ...b.slice(0, 7), a[7], b[7]], ['8 interleaved']],
    ['one inside the other', [...a.slice(0, 3), ...b, ...a.slice(3)], ['4 interleaved']],
    ['of one descriptor', [...a.slice(0, 3), ...a.slice(0, 5), ...a.slice(3), ...a.slice(5)], ['4 interleaved']],
    ['one record of the next', [...a.slice(0, 7), b[0], a[7], ...b.slice(1)], ['8 interleaved']],
    ['three', [...a.slice(0, 7), ...b.slice(0, 7), ...a.slice(0, 7), a[7], a[7], a[7]], ['8 interleaved', '15 interleaved']],
  ])('%s: one violation for each group that another begins in', async (_what, lines, expected) => {
    expect(await brief(lines.join(''))).toEqual(expected);
    expect(await brief(lines.join(''), SITE, ['interleaved'])).toEqual([]);
  });

  test('the last load failure is torn, and joined with the end of the other group: one violation', async () => {
    const lines = [...a.slice(0, 7), ...b.slice(0, 6), (b[6] ?? '').slice(0, 50), a[7], b[7]];
    expect(await brief(lines.join(''), SITE, ['interleaved'])).toEqual(['14 foreign']);
  });

  test('of three equal records of one plugin the second is too many, whatever is put together for it', async () => {
    const site = createDeployment({ plugins: ['x'] });
    const [failure = '', ending = ''] = linesOf(groupAt(SECOND, '/a', site));
    expect(await brief(failure.repeat(3) + ending.repeat(2), site)).toEqual(['2 plugin-order', '3 interleaved']);
  });

  test('groups of concurrent requests break no other rule', async () => {
    await fc.assert(
      fc.asyncProperty(deployment, fc.integer({ min: 2, max: 16 }), picks, async (site, clients, order) => {
        const groups = Array.from({ length: 60 }, (_, index) => groupAt(SECOND, `/${String(index % 40)}`, site));
        expect(await brief(interleave(groups, clients, order).log, site, ['interleaved'])).toEqual([]);
      }),
    );
  });

  test('groups that a fault interleaved break no other rule, though seconds pass among them', async () => {
    const requests = Array.from({ length: 1000 }, (_, index) => ({
      millisecond: SECOND * 1000 + 50 * index,
      method: 'GET',
      target: `/${String(index % 7)}`,
    }));
    const pieces = await collect(injectFaults([requests], SITE, { rates: { interleave: 0.3 }, seed: 1 }));
    const log = pieces.map(({ bytes }) => bytes.toString('latin1')).join('');
    expect(await brief(log, SITE, ['interleaved'])).toEqual([]);
  });

  test('the captured log of four clients: three interleaved, and one group over two seconds', async () => {
    const log = gunzipSync(readFileSync(join(PROJECT, 'fixtures/captured/concurrent.log.gz'))).toString('latin1');
    const violations = ['728 interleaved', '3096 interleaved', '3257 timestamp', '3864 interleaved'];
    expect(await checked(log)).toEqual({ groups: 600, violations });
  });
});

describe('a record is torn or lost before groups of the same second and target', () => {
  const site = createDeployment({ plugins: ['a', 'b'] });
  const lines = ['/0', '/1', '/0'].flatMap((target) => linesOf(groupAt(SECOND, target, site)));

  test.each<[string, Change, string[]]>([
    ['the last load failure is torn', edit(2, /(.{40}).*/, '$1'), ['2 foreign']],
    ['the last load failure is lost', drop(2), ['2 incomplete']],
  ])('%s: one violation', async (_what, change, expected) => {
    expect(await brief(change(lines).join(''), site)).toEqual(expected);
  });
});

test('the beginning of one request and the end of another, with a whole group between them, are two groups', async () => {
  const site = createDeployment({ plugins: ['a', 'b', 'c', 'd'] });
  const [first = [], whole = [], last = []] = ['/0', '/1', '/2'].map((target) => linesOf(groupAt(SECOND, target, site)));
  const log = [...first.slice(0, 2), ...whole, ...last.slice(2)].join('');
  expect(await brief(log, site)).toEqual(['2 incomplete', '8 incomplete']);
});

describe('what is allowed', () => {
  test('is counted, and not given', async () => {
    const { violations, result } = await checkText(changed(edit(11, '193', '1')), SITE, { allow: ['line-number'] });
    expect(violations).toEqual([]);
    expect(result.counts.allowed).toEqual(new Map([['line-number', 1]]));
  });

  test('does not hide what else a record breaks', async () => {
    const log = changed(edit(11, '193', '1'), edit(11, 'rcube_plugin_api', 'x'));
    expect(await brief(log)).toEqual(['11 path']);
    expect(await brief(log, SITE, ['path'])).toEqual(['11 line-number']);
  });

  test('a foreign line that is allowed is not taken for a record that lacks', async () => {
    expect(await brief(changed(edit(11, / in .*/, '')), SITE, ['foreign'])).toEqual(['12 incomplete']);
  });
});

test('an empty line is no half of a record that is missing further on', async () => {
  expect(await brief(changed(drop(17), insert(1, '\n')))).toEqual(['1 foreign', '18 incomplete']);
});

test('in the repeated hour of autumn both offsets are right, one for each group', async () => {
  const second = Date.UTC(2025, 9, 26, 0, 30) / 1000;
  const groups = [second, second + 3600].map((start) => groupAt(start, '/'));
  expect(await brief(groups.join(''))).toEqual([]);
  expect(await brief(groups.toReversed().join(''))).toEqual(['9 backwards']);
  expect(await brief((groups[0] ?? '').replace('+0200', '+0100'))).toEqual(['1 offset']);
});

test('a time in the gap of spring is none', async () => {
  const group = groupAt(SECOND, '/', createDeployment({ plugins: ['a'] }));
  const log = group.replaceAll('18-May-2025 12', '30-Mar-2025 02');
  const { violations } = await checkText(log, createDeployment({ plugins: ['a'] }));
  expect(violations).toEqual([
    {
      line: 1,
      kind: 'offset',
      found: { words: VALUE, value: '+0200' },
      expected: { words: 'a time of Europe/Warsaw, whose clocks skip 30-Mar-2025 02:00:00' },
    },
  ]);
});

describe('properties', () => {
  const requests = fc
    .array(request, { maxLength: 20 })
    .map((list) => list.toSorted((request, other) => request.millisecond - other.millisecond));

  test('what formatGroup writes in order, for any deployment and either dialect, breaks no rule', async () => {
    await fc.assert(
      fc.asyncProperty(deployment, requests, fc.array(fc.nat(60_000), { maxLength: 5 }), async (site, list, cuts) => {
        const log = list.map((request) => formatGroup(request, site)).join('');
        const { violations, result } = await checkText(log, { ...site, dialect: 'spec' }, { cuts });
        expect(violations).toEqual([]);
        expect(result).toMatchObject({ groups: list.length, lines: list.length * (site.plugins.length + 1) });
      }),
    );
  });

  const mutation = fc.constantFrom<[string, (line: number) => Change]>(
    ['drop', (line) => drop(line)],
    ['twice', twice],
    ['tear', (line) => edit(line, /(.{40}).*/, '$1')],
    ['join', (line) => edit(line, /(.{40}).*\n/, '$1')],
    ['foreign', (line) => insert(line, 'PHP Fatal error: x\n')],
    ['number', (line) => edit(line, /on line \d+/, 'on line 7')],
    ['root', (line) => edit(line, '/program/', '/program2/')],
    ['clock', (line) => edit(line, / 1\d:/, ' 09:')],
    ['tag', (line) => edit(line, 'PHP', 'PHQ')],
    ['zone', (line) => edit(line, /\+0200|Europe\/Warsaw/, '+0300')],
    ['ending', (line) => edit(line, '\n', '\r\n')],
  );
  const seconds = fc
    .array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 12 })
    .map((list) => list.toSorted((a, b) => a - b));

  test('one record broken, in a log of groups one after the other, is one violation, at most a line away (two plugins or more)', async () => {
    await fc.assert(
      fc.asyncProperty(seconds, fc.nat(), mutation, fc.integer({ min: 2, max: 7 }), async (list, at, [, mutate], size) => {
        const site = createDeployment({ plugins: SITE.plugins.slice(0, size) });
        const lines = list.flatMap((second, index) => groupAt(SECOND + second, `/${String(index % 2)}`, site).split(/(?<=\n)/));
        const line = 1 + (at % (lines.length - 1));
        const { violations, result } = await checkText(mutate(line)(lines).join(''), site);
        expect(violations).toHaveLength(1);
        expect(result.groups).toBe(list.length);
        expect(Math.abs((violations[0]?.line ?? 0) - line)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });

  test('groups compared whole give what records read one by one give; damaged logs do not throw', async () => {
    const logs = fc.tuple(seconds, picks).chain(([list, order]) => {
      const groups = list.map((second, index) => groupAt(SECOND + second, `/${String(index % 3)}`));
      return damaged(interleave([...groups, ...groups], 3, [...Array<number>(20).fill(0), ...order]).log);
    });
    await fc.assert(
      fc.asyncProperty(logs, async (log) => {
        const fast = await checkText(log);
        const slow = await byRecords(() => checkText(log));
        expect(fast.violations).toEqual(slow.violations);
        const numbersOf = ({ result }: typeof fast): unknown => [result.counts.found, result.lines, result.groups];
        expect(numbersOf(fast)).toEqual(numbersOf(slow));
        expect(fast.violations.map(({ line }) => line)).toEqual(fast.violations.map(({ line }) => line).sort((a, b) => a - b));
      }),
    );
  });

  test('any bytes are checked without an error', async () => {
    const sample = LINES.join('');
    const cuts = fc.array(fc.nat(9000), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(brokenLog(sample), cuts, deployment, async (log, places, site) => {
        const { result } = await checkText(log, site, { cuts: places });
        expect(result.lines).toBe((log.match(/\n/g) ?? []).length + (log === '' || log.endsWith('\n') ? 0 : 1));
      }),
      { numRuns: 50 },
    );
  });

  test('the longest record that a request list and a deployment can make is one', async () => {
    const text = 'x'.repeat(4096);
    const [installRoot, plugins] = [`/${text.slice(1)}`, [text, 'a']];
    const texts = { runtimeTag: text, scriptExtension: text, library: text, loaderFile: text, sessionFile: text };
    const site = createDeployment({ installRoot, plugins, ...texts });
    const target = '/'.padEnd((1 << 20) + 100, 'x');
    expect(await brief(groupAt(SECOND, target, site), site)).toEqual([]);
  });

  test('the largest line numbers of a deployment are read as they are written', async () => {
    const site = createDeployment({ loaderLine: Number.MAX_SAFE_INTEGER, sessionLine: Number.MAX_SAFE_INTEGER });
    const group = groupAt(SECOND, '/', site);
    expect(await brief(`x\n${group}${group.replace('\n', '\r\n')}`, site, ['foreign'])).toEqual(['10 ending']);
  });

  test('groups of long targets that lack records are given up when more than 16 MiB of them are open', async () => {
    const groups = Array.from({ length: 40 }, (_, index) => {
      const target = `/${String(index)}`.padEnd(1 << 20, 'x');
      return Buffer.from(`${groupAt(SECOND, target).split('\n', 1)[0] ?? ''}\n`);
    });
    let given = 0;
    let atLastGroup = 0;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (const [index, chunk] of groups.entries()) {
        await Promise.resolve();
        if (index === 39) atLastGroup = given;
        yield chunk;
      }
    }
    for await (const batch of checkLog(chunks(), SITE)) given += batch.length;
    expect(given).toBeGreaterThanOrEqual(40);
    expect(atLastGroup).toBeGreaterThanOrEqual(20);
  });

  test('a group is not waited for when what is found behind it is more than 16 MiB', async () => {
    const log = changed(insert(12, `${'x'.repeat(1 << 20)}\n`.repeat(17)));
    expect((await brief(log, SITE, ['incomplete'])).slice(0, 17)).toEqual(
      Array.from({ length: 17 }, (_, index) => `${String(12 + index)} foreign`),
    );
  });
});
