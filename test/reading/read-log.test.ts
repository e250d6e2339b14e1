import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment, type Deployment } from '../../src/log/deployment.js';
import { formatGroup, type LogRequest } from '../../src/log/group.js';
import { parseRecord } from '../../src/log/line.js';
import { inferDeploymentOptions } from '../../src/reading/infer-deployment.js';
import { findFirstGroup, readLoggedLines, readLoggedRecords, readLoggedRequests } from '../../src/reading/parse.js';
import { InferredGroups } from '../../src/reading/inferred-groups.js';
import { readLog } from '../../src/reading/log-reader.js';
import { brokenLog, damaged, deployment, request } from '../support/arbitraries.js';
import { chunksOf, collect } from '../support/bytes.js';
import { interleave, picks } from '../support/concurrent.js';
import { linesOf } from '../support/changes.js';
import { byRecords, filesOf, readBack, recordsIn } from '../support/logs.js';
import { groupAt, SECOND } from '../support/records.js';
import { PROJECT } from '../support/run.js';

const write = (requests: readonly LogRequest[], site: Deployment): string =>
  requests.map((request) => formatGroup(request, site)).join('');

const shown = ({ millisecond, method, target }: LogRequest): LogRequest => ({
  millisecond: Math.floor(millisecond / 1000) * 1000,
  method,
  target,
});

const cuts = fc.array(fc.nat(200_000), { maxLength: 8 });

/** Cuts behind each line. */
function everyLine(log: string): number[] {
  return Array.from(log.matchAll(/\n/g), ({ index }) => index + 1);
}

describe('readLoggedRequests', () => {
  test('the requests of a log and its deployment give back the log, however its bytes come', async () => {
    await fc.assert(
      fc.asyncProperty(deployment, fc.array(request, { minLength: 1, maxLength: 12 }), cuts, async (site, requests, places) => {
        // More than the 512 records that the plugins are inferred from: from there on groups are compared whole.
        const recordCount = site.plugins.length + 1;
        const log = write(requests, site).repeat(Math.ceil(600 / (requests.length * recordCount)));
        const { requests: found, passedOver } = await readBack(log, places);
        const group = await findFirstGroup(chunksOf(log));
        if (group === undefined) throw new Error('no group');
        expect(write(found, createDeployment(inferDeploymentOptions(group))) === log).toBe(true);
        expect(found.map(({ line }) => line)).toEqual(found.map((_, index) => index * recordCount + 1));
        expect(passedOver).toMatchObject({ foreign: { count: 0 }, incomplete: { count: 0 } });
      }),
    );
  });

  test('finds every request of concurrent clients, in a log longer than what plugins are inferred from', async () => {
    const targets = ['/mail/', '/poczta/', '/poczta/?x=)'];
    await fc.assert(
      fc.asyncProperty(deployment, fc.integer({ min: 2, max: 16 }), picks, async (site, clients, order) => {
        const groups = Array.from({ length: 200 }, (_, index) =>
          formatGroup(
            { millisecond: 1_747_562_400_000 + Math.floor(index / 100) * 1000, method: 'GET', target: targets[index % 3] ?? '' },
            site,
          ),
        );
        const { log, begun } = interleave(groups, clients, order);
        const { requests, passedOver } = await readBack(log);
        expect(requests.map((request) => formatGroup(request, site))).toEqual(begun);
        expect(passedOver).toMatchObject({ foreign: { count: 0 }, incomplete: { count: 0 } });
      }),
      { numRuns: 15 },
    );
  });

  test('whole groups compared give what records read one by one give: intact, interleaved, and damaged logs', async () => {
    const site = createDeployment({ plugins: ['a', 'b', 'c'] });
    const second = fc.oneof(fc.nat(8), fc.constantFrom(60, 67));
    // `Aa` and `BB` have the same hash: descriptors share a slot of the cache.
    const long = [251, 252, 1000].map((length) => '/'.padEnd(length, 'x'));
    const target = fc.oneof(fc.constantFrom('/a', '/b', '/?x=)'), fc.constantFrom('/Aa', '/BB', '/()', '/\xe9\xff', ...long));
    const change = fc.constantFrom(
      ...Array<readonly string[]>(5).fill(['', '']),
      ['2025 12', '2025 13'],
      [':0', ':6'],
      [':1', '::'],
      ['+0200', '+0100'],
      ['+0', 'x0'],
    );
    const groups = fc.array(fc.tuple(second, target, change), { minLength: 1, maxLength: 60 });
    const logs = fc.tuple(groups, picks).chain(([list, order]) => {
      const written = list
        .toSorted(([one], [other]) => one - other)
        .map(([later, path, [from = '', to = '']]) => groupAt(SECOND + later, path, site).replaceAll(from, to));
      const { log } = interleave(written, 3, [...Array<number>(80).fill(0), ...order]);
      // The order of plugins is known before, so that what follows is compared group by group.
      return damaged(log).map((broken) => (written[0] ?? '').repeat(140) + broken);
    });
    await fc.assert(
      fc.asyncProperty(logs, async (log) => {
        const slow = await byRecords(() => readBack(log));
        const fast = await readBack(log);
        const asText = ({ requests }: typeof fast): string =>
          requests.map((request) => JSON.stringify([request.line, shown(request)])).join('\n');
        expect(asText(fast)).toBe(asText(slow));
        expect(fast.passedOver).toEqual(slow.passedOver);
        // Jest takes seconds to compare so many objects.
        expect(isDeepStrictEqual(await recordsIn(log), await byRecords(() => recordsIn(log)))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  test('any bytes are read without an error', async () => {
    const sample = readFileSync(join(PROJECT, 'fixtures/captured/error.log'), 'latin1').slice(0, 20_000);
    await fc.assert(
      fc.asyncProperty(brokenLog(sample), cuts, async (log, places) => {
        const records = await recordsIn(log, places);
        const { requests } = await readBack(log, places);
        expect(records.map(({ line }) => line)).toEqual(records.map(({ line }) => line).sort((line, other) => line - other));
        expect(new Set(records.map(({ group }) => group ?? 0)).size).toBeGreaterThanOrEqual(requests.length);
      }),
      { numRuns: 75 },
    );
  });

  test.each([
    ['behind the first record of long targets', 1, 'x'.repeat(40_000)],
    ['behind three records', 3, ''],
    ['behind a record of the second group', 9, ''],
  ])('a pause %s does not tell the plugins of a log', async (_what, lines, more) => {
    const requests = [0, 1, 2].map((second) => ({ millisecond: second * 1000, method: 'GET', target: `/${more}` }));
    for (const deprecation of [true, false]) {
      const log = write(requests, createDeployment({ deprecation }));
      const at = everyLine(log)[lines - 1] ?? 0;
      for (const chunks of [[at], [at + 100]].map((places) => chunksOf(log, places))) {
        const records = (await collect(readLoggedRecords(chunks, { hasMore: () => false }))).flat();
        expect(new Set(records.map(({ group }) => group))).toEqual(new Set([1, 2, 3]));
      }
    }
  });

  test('what onForeign throws comes after the requests before it', async () => {
    const group = formatGroup({ millisecond: 0, method: 'GET', target: '/' }, createDeployment());
    const batches = readLoggedRequests(chunksOf(`${group}x\n${group}`), {
      onForeign: (line, text) => {
        throw new RangeError(`${String(line)} ${text}`);
      },
    });
    expect((await batches.next()).value).toHaveLength(1);
    await expect(batches.next()).rejects.toThrow('9 x');
  });
});

describe('readLog', () => {
  const SITE = createDeployment({ plugins: ['a', 'b'] });
  const GROUP = groupAt(SECOND, '/', SITE);
  const [FIRST = '', MIDDLE = '', END = ''] = linesOf(GROUP);
  /** The groups behind these are compared whole: the plugins are inferred from the first 512 records. */
  const LEARNT = GROUP.repeat(171);

  test('tells at the end what it passed over, and not where a foreign line ends the reading', async () => {
    const log = `${GROUP}x\n${GROUP.replaceAll('\n', '\r\n')}${GROUP}${FIRST}`;
    const { passedOver } = await readBack(log);
    const foreign = { foreign: { count: 4, lines: [4, 5, 6, 7] }, foreignWithCr: 3 };
    expect(passedOver).toMatchObject({ lines: 11, ...foreign, incomplete: { count: 1, lines: [11] } });
    const onEnd = (): never => {
      throw new RangeError('ended');
    };
    const onForeign = (): never => {
      throw new RangeError('stop');
    };
    await expect(collect(readLoggedRequests(chunksOf(log), { onEnd, onForeign }))).rejects.toThrow('stop');
  });

  test.each([
    ['before the plugins are known', '', 0],
    ['while groups are compared whole', LEARNT, 513],
  ])('gives foreign lines their lines and texts, %s', async (_when, before, line) => {
    const foreign: (readonly [number, string])[] = [];
    const log = `${before}a\n${GROUP}${'b'.repeat(1.2 * (1 << 20))}\n\n${GROUP}c`;
    const cuts = Array.from({ length: 40 }, (_, index) => index << 16);
    await collect(readLoggedRequests(chunksOf(log, cuts), { onForeign: (...place) => foreign.push(place) }));
    // As numbers: a difference of long texts is long.
    expect(foreign.map(([at, text]) => [at, text.length > 1 ? text.length : text])).toEqual([
      [line + 1, 'a'],
      [line + 5, 4096],
      [line + 6, ''],
      [line + 10, 'c'],
    ]);
  });

  test('foreign lines come in the order of lines, before and behind records whose group is open', async () => {
    for (const before of ['', LEARNT]) {
      const log = `${before}x\n${FIRST}y\n${MIDDLE}z\n${GROUP}${FIRST}w`;
      const lines = (await collect(readLoggedLines(chunksOf(log)))).flat();
      expect(lines.map(({ text }) => text).join('\n')).toBe(log);
      expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1));
    }
  });

  /** A group that no deployment writes. */
  const ODD = GROUP.replace('line 193', 'line 9');
  const MEBIBYTE = `${'x'.repeat(1 << 20)}\n`;

  test.each([
    ['an open group', FIRST, 18],
    [
      'an open group, other lines before it',
      `${FIRST}${MEBIBYTE}${groupAt(SECOND + 9, '/', SITE)}${FIRST.replace('12:00:00', '12:00:20')}`,
      18,
    ],
    ['a broken group that may go on', `${FIRST}${END}`, 19],
  ])('foreign lines do not wait for %s once they hold more than 16 MiB', async (_what, before, given) => {
    const foreign = Array.from({ length: 17 }, () => Buffer.from(MEBIBYTE));
    const batches = await collect(readLoggedLines([Buffer.from(`${LEARNT}${before}`), ...foreign]));
    // Each counts 16 bytes more than its text: the sixteenth is beyond.
    expect(batches.slice(-18).map((batch) => batch.length)).toEqual([...Array<number>(15).fill(0), given - 1, 1, 0]);
  });

  test('no group is given up for foreign lines that wait for other groups, however many', async () => {
    // There is always an open group, and each waits behind 1 MiB only.
    const groups = Array.from({ length: 20 }, (_, index) => linesOf(GROUP.replaceAll('GET /', `GET /${String(index)}`)));
    const log = groups.flatMap(([first = ''], index) => [first, ...(groups[index - 1] ?? []).slice(1), MEBIBYTE]);
    const incomplete: number[] = [];
    const chunks = [LEARNT, ...log].map((chunk) => Buffer.from(chunk));
    await collect(readLoggedLines(chunks, { onEnd: (passedOver) => incomplete.push(...passedOver.incomplete.lines) }));
    // That of the last group.
    expect(incomplete).toEqual([514 + 4 * 19 - 2]);
  });

  test('when nothing more is waiting, the lines that begin a group wait for its end', async () => {
    const lines: number[] = [];
    const chunks = [LEARNT, FIRST, MIDDLE].map((chunk) => Buffer.from(chunk));
    await collect(readLoggedRequests(chunks, { hasMore: () => false, onRead: (count) => lines.push(count) }));
    expect(lines).toEqual([513, 513, 513]);
  });

  test('by default more is waiting: the plugins are inferred from the first 512 records, or at the end', async () => {
    const lengths = async (log: string): Promise<number[]> =>
      (await collect(readLoggedRequests(chunksOf(log, [GROUP.length, log.length - GROUP.length])))).map((batch) => batch.length);
    expect(await lengths(GROUP.repeat(3))).toEqual([0, 0, 0, 3]);
    expect(await lengths(GROUP.repeat(172))).toEqual([0, 171, 1, 0]);
  });

  const ALL_SHOW = GROUP.replaceAll(']: PHP', ']: <29fv0ebd> PHP').replaceAll('GET /', 'GET /shown');
  const EDGES = ['Pacific/Kiritimati', 'America/Adak'].map((timezone) => createDeployment({ timezone, plugins: ['a'] }));

  test.each([
    ['another second in the second record', LEARNT + GROUP.replace(/\n(.*?)12:00:00/, '\n$112:00:01')],
    ['another descriptor in the second record', LEARNT + GROUP.replace(/\n(.*)GET/, '\n$1PUT')],
    ['another line at its end', LEARNT + GROUP.replace('line 119', 'line 118')],
    ['a CR at its end', LEARNT + GROUP.replace(/\n$/, '\r\n')],
    ['no target', LEARNT + GROUP.replaceAll('GET /)', 'GET )')],
    ['no method', LEARNT + GROUP.replaceAll('(GET', '(')],
    ['no blank behind the method', LEARNT + GROUP.replaceAll('(GET ', '(GET')],
    ['a blank in the target', LEARNT + GROUP.replaceAll('GET /', 'GET / ')],
    ['no parenthesis at the end', LEARNT + GROUP.replaceAll(/\)$/gm, '')],
    ['a day that does not exist', LEARNT + GROUP.replaceAll('18-May', '31-Jun')],
    ['a second that does not exist', LEARNT + GROUP.replaceAll('12:00:00', '12:00:60')],
    ['an offset that does not exist', LEARNT + GROUP.replaceAll('+0200', 'x0200')],
    ['the offset of another zone', LEARNT + GROUP.replaceAll('+0200', '+0300')],
    ['a time long before 1970', LEARNT + GROUP.replaceAll('18-May-2025', '01-Jan-0000')],
    ['a time after the year 9999', LEARNT + GROUP.replaceAll('18-May-2025', '31-Dec-9999').replaceAll('+0200', '-9999')],
    ['one session id', LEARNT + ALL_SHOW],
    ['two session ids', LEARNT + ALL_SHOW.replace(/29fv0ebd(?=.*b\.php)/, '29fv0ebe')],
    ['a session id on one record', LEARNT + GROUP.replace(']: PHP', ']: <29fv0ebd> PHP')],
    [
      'a runtime tag like a session id',
      groupAt(SECOND, '/', createDeployment({ plugins: ['a', 'b'], runtimeTag: '<29fv0ebd>' })).repeat(172),
    ],
    ...EDGES.flatMap((site) =>
      [2 * 86_400, Date.UTC(9999, 11, 29) / 1000].map((second) => [
        `the second ${String(second)} in ${site.timezone}`,
        groupAt(second, '/', site).repeat(260),
      ]),
    ),
  ])('a group with %s is read as its records are', async (_what, before) => {
    const log = before + GROUP;
    expect(isDeepStrictEqual(await recordsIn(log), await byRecords(() => recordsIn(log)))).toBe(true);
  });

  const AUTUMN = Date.UTC(2025, 9, 26, 0, 30) / 1000;
  /** Groups that differ in all that a deployment leaves open: `Aa` and `BB` have the same hash, and share a slot of the cache. */
  const VARIED = [SECOND, SECOND + 7, SECOND + 60, SECOND + 67, AUTUMN, AUTUMN + 3600].flatMap((second) =>
    ['/Aa', '/BB', '/BBB', '/\xe9\xff', ...[251, 252, 1000].map((length) => '/'.padEnd(length, 'x'))].map((target) =>
      groupAt(second, target, SITE),
    ),
  );

  test.each([
    ['the first group', LEARNT, 173, 2],
    ['the first group, whatever they show', `${LEARNT}${ALL_SHOW}${VARIED.join('')}`, 173, 3 + VARIED.length],
    ['the first group that a deployment writes', `${ODD.repeat(63)}${LEARNT}`, 173, 65],
    ['no group, where no deployment writes the first 64', `${ODD.repeat(64)}${LEARNT}`, 239, 0],
  ])('compares whole groups with those of the deployment of %s', async (_what, before, read, matched) => {
    const counts = { read: 0, matched: 0 };
    const log = [before, GROUP, `x\n${GROUP}${FIRST}${GROUP.repeat(2)}`].map((part) => Buffer.from(part));
    for await (const events of readLog(log, new InferredGroups())) {
      for (const event of events) {
        if (event.kind === 'group' && event.group.isWhole) counts.read += 1;
        if (event.kind === 'whole') counts.matched += 1;
      }
    }
    expect(counts).toEqual({ read, matched });
  });

  test('a line that is too long, or the end of a file, comes behind the lines that began a group', async () => {
    const overlong = Array.from({ length: 20 }, () => Buffer.alloc(1 << 16, 'x'));
    const lines = (
      await collect(readLoggedLines([Buffer.from(`${LEARNT}${FIRST}`), ...overlong, Buffer.from(`\n${MIDDLE}${END}`)]))
    ).flat();
    expect(lines.slice(-4).map(({ line, text }) => [line, text.slice(0, 1)])).toEqual([
      [514, '['],
      [515, 'x'],
      [516, '['],
      [517, '['],
    ]);
    const logs = [`${LEARNT}${FIRST}`, `${MIDDLE}${END}x\n`];
    const files = filesOf(...logs);
    expect((await collect(readLoggedRequests(files))).flat()).toHaveLength(172);
    expect(files.placeOf(516)).toEqual({ source: '2', line: 2 });
    expect(files.placeOf(514)).toEqual({ source: '1', line: 514 });
  });

  test('a line that is too long is foreign, also where its beginning looks like a record', async () => {
    const record = FIRST.replace(/GET .*\n/, '');
    const lookalike = `${record}GET /`.padEnd(4095, 'x') + ')';
    const chunks = [`${GROUP}${lookalike}`, ...Array.from({ length: 20 }, () => 'x'.repeat(1 << 16)), `\n${GROUP}`];
    const lines = (await collect(readLoggedLines(chunks.map((chunk) => Buffer.from(chunk))))).flat();
    expect(lines[3]).toEqual({ line: 4, text: lookalike, second: 1_747_562_400 });
    expect(lines).toHaveLength(7);
    expect(lines[3]).not.toHaveProperty('record');
  });

  test('a log that names more plugins than a deployment has is read to its end', async () => {
    // An hour before, so that none of the groups behind ends one of these.
    const failures = Array.from({ length: 1030 }, (_, index) =>
      FIRST.replace('12:00:00', '11:00:00').replaceAll('/a/a.', `/p${String(index)}/p${String(index)}.`),
    );
    const { requests, passedOver } = await readBack(`${failures.join('')}${LEARNT}`);
    expect(requests).toHaveLength(171);
    expect(passedOver).toMatchObject({ lines: 1543, foreign: { count: 0 } });
  });

  test('groups of another deployment than the first are read as well, and so are groups that no deployment writes', async () => {
    const other = GROUP.replaceAll('line 193', 'line 9').replaceAll('12:00:00', '12:00:05');
    for (const log of [`${LEARNT}${other}${GROUP}`, `${ODD}${LEARNT}${other}`, `${ODD.repeat(20)}${LEARNT}`]) {
      const { requests, passedOver } = await readBack(log);
      expect(requests.map(({ line }) => line)).toEqual(
        Array.from({ length: log.split('\n').length / 3 - 0.3 }, (_, index) => 3 * index + 1),
      );
      expect(passedOver).toMatchObject({ foreign: { count: 0 }, incomplete: { count: 0 } });
    }
  });
});

describe('readLoggedRecords', () => {
  test('in the order of lines, with the numbers of whole groups in the order of their first records', async () => {
    const [one = [], other = []] = ['/1', '/2'].map((target) =>
      linesOf(groupAt(0, target, createDeployment({ plugins: ['a', 'b'] }))),
    );
    const [a1 = '', b1 = '', d1 = ''] = one;
    const [a2 = '', b2 = '', d2 = ''] = other;
    const log = [d1, a1, a2, b2, d2, 'x\n', b1, d1, a1].join('');
    const records = await recordsIn(log);
    expect(records.map(({ line, group }) => [line, group])).toEqual([
      [1, undefined],
      [2, 1],
      [3, 2],
      [4, 2],
      [5, 2],
      [7, 1],
      [8, 1],
      [9, undefined],
    ]);
  });

  test('the texts of records are the lines of the log, and the records what is read of them', async () => {
    await fc.assert(
      fc.asyncProperty(deployment, fc.array(request, { minLength: 1, maxLength: 5 }), cuts, async (site, requests, places) => {
        // More than the 512 records that the plugins are inferred from: from there on groups are compared whole.
        const log = write(requests, site).repeat(Math.ceil(600 / (requests.length * (site.plugins.length + 1))));
        const records = await recordsIn(log, places);
        expect(records.map(({ text }) => `${text}\n`).join('') === log).toBe(true);
        for (const { record, text } of records.slice(-2 * site.plugins.length)) expect(record).toEqual(parseRecord(text));
      }),
      { numRuns: 15 },
    );
  });

  test('in the repeated hour of autumn a deprecation record has the instant of its group', async () => {
    const second = Date.UTC(2025, 9, 26, 0, 30) / 1000;
    for (const instant of [second, second + 3600]) {
      const group = formatGroup({ millisecond: instant * 1000, method: 'GET', target: '/' }, createDeployment());
      // The second group is compared whole, the first one read record by record.
      expect(new Set((await recordsIn(group.repeat(70))).map((record) => record.second))).toEqual(new Set([instant]));
    }
  });
});

test('a deprecation record of another day in a log without any costs no request, and is counted', async () => {
  const [failures = '', end = ''] = formatGroup({ millisecond: 0, method: 'GET', target: '/' }, createDeployment()).split(
    /(?<=\n)(?=.*Deprecated)/,
  );
  const { passedOver } = await readBack(`${end.replace('1970', '1971')}${failures.repeat(300)}`);
  expect(passedOver).toMatchObject({ groups: 300, incomplete: { count: 1, lines: [1] } });
});
