import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JSON_REPORT, TEXT_REPORT } from '../src/check/report.js';
import { resolveDeployment } from '../src/cli/options/deployment.js';
import { LOG_WRITING } from '../src/cli/options/log-writer.js';
import { PREFIXES } from '../src/cli/options/values.js';
import { formatPlace } from '../src/errors.js';
import { encodeText } from '../src/log/byte-string.js';
import { createDeployment, DeploymentError, DIALECTS, parseDeployment, type Deployment } from '../src/log/deployment.js';
import type { LogRequest } from '../src/log/group.js';
import { renderGroups } from '../src/output/log-pieces.js';
import { readAccessLog } from '../src/requests/access-log/read-access-log.js';
import { readRequestList } from '../src/requests/list/read-list.js';
import { markerOf } from '../src/requests/target.js';
import { drawRequests } from '../src/requests/synth/synthesize.js';
import { trafficFrom } from '../src/requests/synth/traffic.js';
import { readWeightedTargets } from '../src/requests/synth/weighted-targets.js';
import { zoneNamed } from '../src/log/zone.js';
import { formatReport } from '../src/stats/format-report.js';
import { countLog } from '../src/stats/count-log.js';
import { placesIn } from './support/places.js';
import { chunksOf, collect } from './support/bytes.js';
import { checkText } from './support/checked.js';

/*
 * Whatever comes in: what goes out is whole groups that `check` finds nothing wrong with (but a step back in time, where the order of
 * the list is kept), and no message holds a byte that a terminal acts on.
 */

const FORGED = '[18-May-2025 12:00:00 +0200]: PHP Error: Failed to load plugin file /x/x.php in /y.php on line 1 (GET /)';

/** Text in which something is hidden: ends of lines, terminal escapes (of 7 and 8 bits), what turns text round, whole records. */
const FORGED_LINE = `\n${FORGED}\n`;
const HOSTILE = [
  ...[FORGED_LINE, `)\n${FORGED}`, '(GET /)', '../../', ' ', '"', '""', ',', '#', ')'],
  ...'\n|\r|\r\n|\0|\t|\v|\f|\x1b[2J|\x1b]0;title\x07|\x7f|\x85|\x9b31m|\u2028|\u202e|\ufeff|\ud800'.split('|'),
  ...'\\|\\n|\\x0a|\\x1b[2J|%0a'.split('|'),
];

/** A text with hostile pieces in it. */
const hostileText = fc
  .array(
    fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...HOSTILE) }, fc.constantFrom('a', '/', 'mail', 'ż', '-', '.', '%20')),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));

/** The same as bytes: in UTF-8, and as they are, so that bytes from 0x80 on stand alone. */
const hostileBytes = fc
  .tuple(hostileText, fc.boolean())
  .map(([text, isUtf8]) => (isUtf8 ? encodeText(text) : text.replace(/[^\x00-\xff]/g, '\xff')));

/** Good most of the time, so that what is hostile gets as far as it can. */
function mostly(good: readonly string[], hostile: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...good) },
    hostile,
    fc.tuple(fc.constantFrom(...good), hostile).map((two) => two.join('')),
  );
}

const quoted = (cell: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(cell, fc.boolean()).map(([text, isQuoted]) => (isQuoted ? `"${text.replaceAll('"', '""')}"` : text));

const timestamp = mostly(['1747562400', '2025-05-18T12:00:00', '18-May-2025 12:00:00 +0200', '1747562401.5'], hostileBytes);
const method = mostly(['GET', 'POST', ''], hostileBytes);
const target = mostly(['/mail/', '/poczta/?_task=login', 'http://h/mail/', '/?x=)'], hostileBytes);

/** A text of a deployment: what is good in it stands about something hostile. */
const siteText = mostly(['PHP', 'roundcube', 'a/b', 'x(', ')', ':'], hostileText);

const siteOptions = fc.record(
  {
    installRoot: siteText.map((text) => `/${text}`),
    runtimeTag: siteText,
    scriptExtension: siteText,
    library: siteText,
    loaderFile: siteText,
    sessionFile: siteText,
    timezone: mostly(['Europe/Warsaw', 'UTC'], hostileText),
    plugins: fc.array(siteText, { maxLength: 4 }),
    dialect: mostly(['spec', 'php'], hostileText),
    [FORGED_LINE]: fc.constant(1),
  },
  { requiredKeys: [] },
);

/** What a terminal acts on, or shows in another way than as itself: controls, format characters, separators. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

function expectSafe(message: string): void {
  expect(message).not.toMatch(UNSAFE);
}

/** Does what may be refused, with a message that is safe. @returns true if it is refused */
async function isRefused(action: () => unknown): Promise<boolean> {
  try {
    await action();
    return false;
  } catch (error) {
    expect(error).toHaveProperty('name', expect.stringMatching(/^(?:Call|Data|BadRow|Deployment)Error$/));
    // The text of a DeploymentError quotes nothing but the key, which is quoted by who reports it.
    expectSafe(error instanceof DeploymentError ? error.problem + error.remedy : String(error));
    return true;
  }
}

/** A deployment of hostile options: those that are refused one by one are left out. */
async function siteOf(options: Readonly<Record<string, unknown>>): Promise<Deployment> {
  const sound: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(options))
    if (!(await isRefused(() => parseDeployment({ ...sound, [key]: value })))) sound[key] = value;
  return parseDeployment(sound);
}

/** Holds the log of requests against its deployment: it is whole groups, one for each request, and nothing else. */
async function expectWholeGroups(requests: readonly LogRequest[], site: Deployment): Promise<void> {
  const log = Buffer.concat(await collect(renderGroups([requests], site))).toString('latin1');
  expect(log).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  const { violations, result } = await checkText(log, site);
  expect(violations.filter(({ kind }) => kind !== 'backwards')).toEqual([]);
  expect(result).toMatchObject({ groups: requests.length, lines: requests.length * (site.plugins.length + 1) });
}

/** More runs than elsewhere: much of what is hostile is refused at once. */
const RUNS = { numRuns: 40 };

describe('no input forges a record, and no message holds what a terminal acts on', () => {
  test('request lists, their names, deployments and marks', async () => {
    const row = fc
      .tuple(quoted(timestamp), quoted(method), quoted(target), fc.constantFrom('\n', '\r\n', '', '\r'))
      .map(([first, second, third, end]) => `${[first, second, third].join(',')}${end}`);
    const header = mostly(['', 'timestamp,http_method,request_target\n', '\xef\xbb\xbf'], hostileBytes);
    const lists = fc.tuple(header, fc.array(row, { maxLength: 8 })).map(([head, rows]) => head + rows.join(''));
    const property = fc.asyncProperty(lists, hostileText, siteOptions, mostly(['r'], hostileText), async (...values) => {
      const [list, source, options, mark] = values;
      const site = await siteOf(options);
      const onBadRow = ({ message }: Error): void => {
        expectSafe(message);
      };
      const requests: LogRequest[] = [];
      await isRefused(async () => {
        const reading = readRequestList(chunksOf(list, [9]), { timezone: site.timezone, source, onBadRow });
        for await (const batch of reading) requests.push(...batch);
      });
      const isMarked = !(await isRefused(() => LOG_WRITING.mark.value.parse('mark', mark)));
      await expectWholeGroups(isMarked ? markerOf(mark, 1)(requests) : requests, site);
    });
    await fc.assert(property, RUNS);
  });

  test('access logs', async () => {
    const [user, status] = [mostly(['jan'], hostileBytes), mostly(['200'], hostileBytes)];
    const line = fc
      .record({ user, time: mostly(['18/May/2025:12:00:00 +0200'], hostileBytes), method, target, status })
      .map((of) => `::1 - ${of.user} [${of.time}] "${of.method} ${of.target} HTTP/1.1" ${of.status} 1 "-" "-"\n`);
    const property = fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      const batches = await collect(readAccessLog(chunksOf(lines.join('')), { timezone: 'UTC', everyLine: true }));
      await expectWholeGroups(batches.flat(), createDeployment({ timezone: 'UTC' }));
    });
    await fc.assert(property, RUNS);
  });

  test('weighted targets', async () => {
    const row = fc
      .tuple(quoted(target), mostly(['1'], hostileBytes), quoted(method))
      .map(([path, weight, verb]) => `${path},${weight},${verb}\n`);
    const traffic = trafficFrom('flat', 0, zoneNamed('UTC'));
    const arrivals = 'poisson' as const;
    const plan = { seed: 1, arrivals, traffic, count: 20, step: 1000, before: 20_000, slice: { first: 0, end: 20 } };
    const property = fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 2 }), hostileText, async (rows, name) => {
      await isRefused(async () => {
        const targets = await readWeightedTargets(chunksOf(rows.join('')), name);
        await expectWholeGroups(Array.from(drawRequests({ ...plan, targets })).flat(), createDeployment({ timezone: 'UTC' }));
      });
    });
    await fc.assert(property, RUNS);
  });

  test('the options that say where a webmail is', async () => {
    const perhaps = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
    const [installRoot, timezone, plugins] = [perhaps(siteText), perhaps(siteText), perhaps(fc.array(siteText))];
    const given = fc.record({ installRoot, timezone, plugins, dialect: perhaps(fc.constantFrom(...DIALECTS)) });
    const property = fc.asyncProperty(given, hostileText, hostileText, async (flags, name, prefixes) => {
      // A file of that name is not there; an argument cannot hold a NUL.
      const file = `/nonexistent/${name.replaceAll('\0', '')}`;
      await isRefused(() => resolveDeployment({ ...flags, deployment: undefined }));
      await isRefused(() => LOG_WRITING.deployment.value.parse('deployment', file));
      await isRefused(() => {
        PREFIXES.parse('prefixes', prefixes).forEach(expectSafe);
      });
    });
    await fc.assert(property, RUNS);
  });

  test('what reports show of a log and of its name', async () => {
    const record = mostly(['(GET /)', 'Error:', FORGED], hostileBytes).map((text) => `${FORGED} ${text}\n`);
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 4 }), hostileBytes, hostileText, async (records, end, name) => {
        const log = records.join('') + end;
        const { violations, result } = await checkText(log);
        const lines = violations.map((violation) => TEXT_REPORT.formatViolation(violation, placesIn(name)));
        lines.push(TEXT_REPORT.formatSummary(result, placesIn(name)));
        for (const violation of violations)
          expect(JSON_REPORT.formatViolation(violation, placesIn(name))).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
        const counts = await countLog(chunksOf(log));
        for (const isPlain of [true, false])
          lines.push(...formatReport(counts, placesIn(name), { columns: 80, isPlain }).split(/(?<=\n)/));
        expect(lines.filter((line) => !line.endsWith('\n') || UNSAFE.test(line.slice(0, -1)))).toEqual([]);
        expectSafe(formatPlace({ source: name, line: 1 }));
      }),
      RUNS,
    );
  });
});
