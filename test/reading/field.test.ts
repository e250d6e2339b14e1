import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { check } from '../../src/check/check.js';
import type { CheckOptions } from '../../src/check/check-log.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { formatIso } from '../../src/log/timestamp.js';
import { inferLogDeployment } from '../../src/reading/inferred-groups.js';
import { readLoggedRecords } from '../../src/reading/parse.js';
import { chunksOf, collect } from '../support/bytes.js';
import { linesOf } from '../support/changes.js';
import { filesOf, readBack, recordsIn } from '../support/logs.js';
import { PROJECT } from '../support/run.js';
import { groupAt, SECOND } from '../support/records.js';

/** A log in a form that public bug reports show, a byte string. */
const logNamed = (name: string): string => readFileSync(join(PROJECT, `test/reading/field/${name}.log`), 'latin1');

/** The violations of a log and its own deployment, `LINE rule`; of incomplete groups the lines on which these begin. */
async function findViolations(log: string, options: CheckOptions = { infer: true }): Promise<readonly string[]> {
  const violations = (await collect(check(chunksOf(log), options))).flat();
  return violations.map(({ kind, line, groupLine }) => `${String(kind === 'incomplete' ? groupLine : line)} ${kind}`);
}

interface Expected {
  /** Line, time, method and target of each request. */
  readonly rows: readonly string[];
  readonly incomplete?: readonly number[];
  readonly foreign?: readonly number[];
  readonly violations?: readonly string[];
  readonly deployment?: object;
}

const FIELD: readonly (readonly [string, Expected])[] = [
  [
    'no-deprecation-three-plugins',
    {
      rows: [
        '1 2020-04-02T20:31:24+02:00 POST /mail/?_task=mail&_action=refresh',
        '4 2020-04-02T20:31:30+02:00 GET /mail/?_task=settings',
        '7 2020-04-02T20:31:31+02:00 GET /mail/',
      ],
      deployment: { installRoot: '/var/www/html/mail', loaderLine: 174, deprecation: false, timezone: 'Europe/Warsaw' },
    },
  ],
  [
    'debian-split-root',
    {
      rows: [
        '1 2022-01-17T04:42:51+01:00 GET /?_task=settings&_action=about',
        '2 2022-01-17T04:43:10+01:00 POST /?_task=mail&_action=refresh',
      ],
      deployment: {
        pluginsFolder: '/var/lib/roundcube/plugins',
        loaderPath: '/usr/share/roundcube/program/lib/Roundcube/rcube_plugin_api.php',
        deprecation: false,
      },
    },
  ],
  [
    'symlink-split-root-deprecation',
    {
      rows: ['1 2026-02-18T12:00:00+01:00 GET /mail/', '3 2026-02-18T12:00:07+01:00 GET /mail/?_task=login'],
      deployment: {
        pluginsFolder: '/opt/www/roundcubemail/plugins',
        installRoot: '/opt/www/roundcubemail-1.6.11',
        timezone: 'Europe/Paris',
        dialect: 'php',
      },
    },
  ],
  [
    'windows-deprecation',
    {
      rows: ['1 2023-04-05T22:50:01+01:00 GET /?_task=mail'],
      deployment: {
        pluginsFolder: 'D:\\Websites\\Mail/plugins',
        sessionPath: 'D:\\Websites\\Mail\\program\\lib\\Roundcube\\rcube_session.php',
      },
    },
  ],
  [
    'plugin-repaired-in-mid-log',
    {
      rows: ['1 2025-12-10T09:42:01+01:00 GET /x', '4 2025-12-10T09:42:02+01:00 GET /y'],
      incomplete: [7, 9, 11],
      violations: ['7 incomplete', '9 incomplete', '11 incomplete'],
    },
  ],
  [
    'plugins-differ-by-task',
    {
      rows: [
        '1 2023-10-25T11:55:00+02:00 GET /webmail/?_task=mail',
        '2 2023-10-25T11:55:10+02:00 GET /webmail/?_task=calendar',
        '6 2023-10-25T11:56:00+02:00 POST /webmail/?_task=mail&_action=refresh',
      ],
      incomplete: [3],
      violations: ['3 plugin-order', '4 session-id', '5 session-id'],
    },
  ],
  [
    'session-id',
    {
      rows: [
        '1 2016-02-09T10:41:40+01:00 POST /?_task=settings&_action=refresh?_task=&_action=',
        '2 2016-02-09T10:41:41+01:00 GET /?_task=settings&_action=preferences',
      ],
    },
  ],
  [
    'session-id-required-later',
    {
      rows: ['1 2023-03-12T18:33:16+00:00 GET /mail/?_task=calendar'],
      incomplete: [2],
      foreign: [3, 4, 5, 6, 7],
      violations: ['2 session-id', '3 foreign', '4 foreign', '5 foreign', '6 foreign', '7 foreign'],
    },
  ],
];

describe.each(FIELD)(
  'a log as the field has it: %s',
  (name, { rows, incomplete = [], foreign = [], violations = [], deployment }) => {
    const log = logNamed(name);

    test('each request whose load failures are all there has its row, and the rest is counted', async () => {
      const { requests, passedOver } = await readBack(log);
      const shown = requests.map(
        ({ line, method, target, ...stamp }) => `${String(line)} ${formatIso(stamp)} ${method} ${target}`,
      );
      expect(shown).toEqual(rows);
      expect([passedOver.incomplete.lines, passedOver.foreign.lines]).toEqual([incomplete, foreign]);
    });

    test('check finds the same groups incomplete, at the same lines', async () => {
      expect(await findViolations(log)).toEqual(violations);
    });

    test('its deployment writes it again, where that is one for all its groups', async () => {
      const { deployment: found, hasSessions } = await inferLogDeployment(filesOf(log), '');
      expect(found).toMatchObject(deployment ?? {});
      if (violations.length > 0 || hasSessions) return;
      expect((await readBack(log)).requests.map((request) => formatGroup(request, found)).join('')).toBe(log);
    });
  },
);

test.each([
  'date-format-other',
  'date-format-zone-name',
  'php-driver-1.7',
  'fpm-said-into',
  'nginx-error-log',
  'apache-proxy-fcgi',
  'cli-stderr',
  'write-log-failed-fallback',
])('%s: all lines are foreign', async (name) => {
  const { passedOver } = await readBack(logNamed(name));
  expect(passedOver).toMatchObject({ groups: 0, foreign: { count: passedOver.lines }, incomplete: { count: 0 } });
});

test('deprecation records alone are each a request without a row, equal ones of one second too', async () => {
  const log = logNamed('deprecation-only');
  const { passedOver } = await readBack(log);
  expect(passedOver).toMatchObject({ groups: 0, incomplete: { count: 4, lines: [1, 2, 3, 4] } });
  const groups = (await recordsIn(log)).map(({ group }) => group);
  expect(groups).toEqual([undefined, undefined, undefined, undefined]);
  const violations = await findViolations(log, {});
  expect(violations.filter((text) => text.endsWith('incomplete'))).toEqual(
    [1, 2, 3, 4].map((line) => `${String(line)} incomplete`),
  );
});

describe('deprecation records that begin or stop in the middle of a log: the software was upgraded', () => {
  const before = createDeployment({ plugins: ['a', 'b'], deprecation: false });
  const after = createDeployment({ plugins: ['a', 'b'] });
  const write = (count: number, site: typeof after, from = 0): string =>
    Array.from({ length: count }, (_, index) => groupAt(SECOND + 5 * (from + index), `/${String(index)}`, site)).join('');

  test.each([
    ['begin, after few groups', write(3, before) + write(5, after, 3), 8, 3],
    ['stop, after few groups', write(5, after) + write(3, before, 5), 8, 3],
    ['begin, after many groups', write(600, before) + write(300, after, 600), 900, 600],
    ['stop, after many groups', write(300, after) + write(600, before, 300), 900, 600],
  ])('%s: each group has its row and its records', async (_what, log, groups, incomplete) => {
    const { requests, passedOver } = await readBack(log);
    expect(requests).toHaveLength(groups);
    expect(passedOver).toMatchObject({ groups, foreign: { count: 0 }, incomplete: { count: incomplete } });
    const records = await recordsIn(log);
    expect(records.filter(({ group }) => group === undefined)).toEqual([]);
    expect((await findViolations(log, { deployment: after })).filter((text) => text.endsWith('incomplete'))).toHaveLength(
      incomplete,
    );
  });

  test('--infer takes what most groups have', async () => {
    const { deployment: most } = await inferLogDeployment(filesOf(write(3, before) + write(5, after, 3)), '');
    expect(most.deprecation).toBe(true);
    const { deployment: few } = await inferLogDeployment(filesOf(write(5, before) + write(3, after, 5)), '');
    expect(few.deprecation).toBe(false);
  });

  test('without a deprecation record, the zone is one that has all offsets of the log', async () => {
    const [winter, summer] = [1_736_000_000, 1_752_000_000].map((second) =>
      groupAt(second, '/', { ...before, timezone: 'Europe/London' }),
    );
    const { deployment: found } = await inferLogDeployment(filesOf(`${winter ?? ''}${winter ?? ''}${summer ?? ''}`), '');
    expect(groupAt(1_752_000_000, '/', found)).toBe(summer);
  });
});

describe('session ids in some groups of a log', () => {
  const write = (site: typeof SITE, second: number, target: string, hasId: (place: number) => boolean): string =>
    linesOf(groupAt(second, target, site))
      .map((line, place) => (hasId(place) ? line.replace(']: ', ']: <29fv0ebd> ') : line))
      .join('');
  const SITE = createDeployment();

  test('on all load failures of a group, or on its last one: no request is lost, none is invented, and no order is wrong', async () => {
    const logs = fc.record({
      plugins: fc.constantFrom(['a'], ['a', 'b'], SITE.plugins),
      deprecation: fc.boolean(),
      groups: fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('none', 'all', 'last')), {
        minLength: 4,
        maxLength: 40,
      }),
    });
    await fc.assert(
      fc.asyncProperty(logs, async ({ plugins, deprecation, groups }) => {
        const site = createDeployment({ plugins, deprecation });
        let second = 1_747_562_400;
        const log = groups.map(([gap, shown], index) => {
          second += gap;
          const from = { none: Infinity, all: 0, last: plugins.length - 1 }[shown];
          return write(site, second, `/${String(index)}`, (place) => place >= from && place < plugins.length);
        });
        const { requests, passedOver } = await readBack(log.join(''));
        expect(requests.map(({ target }) => target)).toEqual(groups.map((_group, index) => `/${String(index)}`));
        expect(passedOver).toMatchObject({ foreign: { count: 0 }, incomplete: { count: 0 } });
        const violations = await findViolations(log.join(''), { deployment: site });
        expect(violations.filter((text) => !text.endsWith('session-id'))).toEqual([]);
        if (groups.filter(([, shown]) => shown !== 'none').length > 1) expect(await findViolations(log.join(''))).toEqual([]);
      }),
    );
  });

  test.each([
    ['of one plugin', ['a']],
    ['of two plugins', ['a', 'b']],
  ])('a plugin %s that is required again is no request, between records of other requests too', async (_what, plugins) => {
    const site = createDeployment({ plugins, deprecation: false });
    const again = (second: number, target: string): string => write(site, second, target, () => true).replace(/(?<=\n)[^]*/, '');
    const log = Array.from(
      { length: 6 },
      (_, index) =>
        write(site, 20 * index, '/x', () => false) +
        write(site, 20 * index, '/y', () => false) +
        again(20 * index + 1, '/x') +
        write(site, 20 * index + 10, '/x', () => true),
    ).join('');
    expect((await readBack(log)).requests.map(({ target }) => target).join('')).toBe('/x/y/x'.repeat(6));
    const lines = Array.from({ length: 6 }, (_, index) => (3 * index + 2) * plugins.length + index + 1);
    expect(await findViolations(log)).toEqual(lines.map((line) => `${String(line)} plugin-order`));
  });
});

test('a log with stamps of its own and one with those of an envelope, read as one: each deprecation record has its group', async () => {
  const group = groupAt(SECOND, '/');
  const inside = group
    .split('\n')
    .slice(0, -1)
    .map((line) => line.slice(line.indexOf(']') + 1).replace(/^:? /, ''));
  const syslog = inside.map((text) => `2025-05-18T12:00:05+02:00 webmail roundcube: ${text}\n`).join('');
  const records = (await collect(readLoggedRecords(filesOf(group, syslog)))).flat();
  expect(records.map((record) => record.group)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2]);
});

test.each([
  [['a', 'b'], 'b', '/', [11, 12, 13, 14, 15]],
  [['a', 'b'], 'b', undefined, [11, 12, 13, 14, 15]],
  [['a', 'b', 'c'], 'b', '/', [16, 18, 20, 22, 24]],
  [['a', 'b', 'c'], 'b', undefined, [16, 18, 20, 22, 24]],
  [['a', 'b', 'c'], 'a', undefined, [16, 18, 20, 22, 24]],
])(
  'of the plugins %j, %s is repaired, and the others fail on: requests minutes apart are groups of their own (target %s)',
  async (plugins, repaired, target, lines) => {
    const site = createDeployment({ plugins, deprecation: false });
    const groups = Array.from({ length: 10 }, (_, index) => {
      const millisecond = (index < 5 ? index : 60 * index) * 1000;
      const group = formatGroup({ millisecond, method: 'GET', target: target ?? `/${String(index)}` }, site);
      return index < 5 ? group : group.replace(new RegExp(`.*/${repaired}\\.php.*\n`), '');
    });
    expect((await readBack(groups.join(''))).passedOver.incomplete.lines).toEqual(lines);
    expect(await findViolations(groups.join(''))).toEqual(lines.map((line) => `${String(line)} incomplete`));
  },
);

test.each([
  ['a', 'b'],
  ['b', 'c'],
  ['c', 'a'],
  ['c', 'b'],
])('a load failure of %s that names %s in its place makes one group incomplete', async (plugin, other) => {
  const site = createDeployment({ plugins: ['a', 'b', 'c'], deprecation: false });
  const groups = Array.from({ length: 9 }, (_, index) => groupAt(SECOND + 5 * index, `/${String(index)}`, site));
  const altered = groups.map((group, index) =>
    index === 4 ? group.replaceAll(`/${plugin}/${plugin}.php`, `/${other}/${other}.php`) : group,
  );
  expect((await readBack(altered.join(''))).passedOver.incomplete).toMatchObject({ count: 1, lines: [13] });
});

test.each([0, 3, 7])('record %d of a group with a time four minutes off makes one group incomplete', async (index) => {
  const groups = Array.from({ length: 9 }, (_, number) => groupAt(SECOND + 5 * number, `/${String(number)}`));
  const lines = linesOf(groups.join(''));
  const altered = lines.map((line, number) => (number === 32 + index ? line.replace(':00:', ':04:') : line));
  expect((await readBack(altered.join(''))).passedOver.incomplete.count).toBe(1);
});

test('a log in envelopes whose records have no stamp of their own: its deployment has the driver, and a zone of the offsets', async () => {
  const site = createDeployment({ plugins: ['a', 'b'], deprecation: false });
  const log = [0, 5].map((second) =>
    groupAt(second, '/', site)
      .split('\n')
      .slice(0, -1)
      .map((record) => {
        const inside = `errors: ${record.slice(record.indexOf(']: ') + ']: '.length)}\n`;
        return `${JSON.stringify({ log: inside, stream: 'stdout', time: `1970-01-01T00:00:0${String(second)}Z` })}\n`;
      })
      .join(''),
  );
  const { deployment } = await inferLogDeployment(filesOf(log.join('')), '');
  expect(deployment).toEqual(createDeployment({ ...site, driver: 'stdout', timezone: 'Etc/GMT+0' }));
  expect(await findViolations(log.join(''))).toEqual([]);
});
