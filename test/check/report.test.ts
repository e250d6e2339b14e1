import { describe, expect, test } from '@jest/globals';
import { checkLog, type CheckResult } from '../../src/check/check-log.js';
import { JSON_REPORT, TEXT_REPORT } from '../../src/check/report.js';
import { RULES, type Violation } from '../../src/check/rules.js';
import { createDeployment } from '../../src/log/deployment.js';
import { chunksOf, collect } from '../support/bytes.js';
import { placesIn } from '../support/places.js';
import { groupAt, SECOND } from '../support/records.js';

const SITE = createDeployment();
const LOG = placesIn('log');
const TARGET = '/mail/?_task=mail&_action=list&_mbox=INBOX&_uid=1234567890&_x=1';

/** Two groups, of 18 May 2025, 12:00:00 and 12:00:01 in Warsaw. */
function logOf(target = TARGET): string {
  return [0, 1].map((second) => groupAt(SECOND + second, target)).join('');
}

/** Replaces in one line, from 1. */
function edit(line: number, from: string | RegExp, to: string): (log: string) => string {
  return (log) =>
    log
      .split('\n')
      .map((text, index) => (index + 1 === line ? text.replace(from, to) : text))
      .join('\n');
}

const dropLines =
  (...dropped: readonly number[]) =>
  (log: string): string =>
    log
      .split('\n')
      .filter((_, index) => !dropped.includes(index + 1))
      .join('\n');

async function checked(log: string): Promise<Violation[]> {
  return (await collect(checkLog(chunksOf(log, []), SITE))).flat();
}

describe('both sides of a violation, as text and as data', () => {
  test.each<[string, (log: string) => string, string, Readonly<Record<string, unknown>>?]>([
    [
      'foreign: a line',
      edit(3, /.*/, 'PHP "Fatal"\x1b[31m'),
      '3: foreign: "PHP "Fatal"\\x1b[31m"; expected a load-failure or a deprecation record',
      { found: 'PHP "Fatal"\x1b[31m', expected: 'a load-failure or a deprecation record' },
    ],
    [
      'foreign: bytes that are no UTF-8',
      edit(3, /.*/, 'a\xff\xc5\x82'),
      '3: foreign: "a\\xff\\xc5\\x82"; expected a load-failure or a deprecation record',
      { found: 'a\ufffd\u0142', found_base64: 'Yf/Fgg==', expected: 'a load-failure or a deprecation record' },
    ],
    ['foreign: the runtime tag', edit(3, 'PHP', 'HHVM'), '3: foreign: the runtime tag "HHVM"; expected "PHP"'],
    [
      'foreign: a BOM before a record',
      edit(1, /^/, '\xef\xbb\xbf'),
      '1: foreign: "\\u{feff}" stands before the record; expected a record alone on its line',
    ],
    [
      'foreign: a prefix before a record',
      edit(1, /^/, 'app[7]: '),
      '1: foreign: "app[7]: " stands before the record; expected a record alone on its line',
    ],
    [
      'foreign: half a load failure before a record',
      edit(4, /^/, '[18-May-2025 12:00:00 +0200]: PHP Err'),
      '4: foreign: half a record, "[18-May-2025 12:00:00 +0200]: PHP Err", stands before the record; expected a record alone on its line',
    ],
    [
      'foreign: half a deprecation record before a record',
      edit(9, /^/, '[18-May-2025 12:00:00 Europe/Warsaw] PHP Deprecated: sess'),
      '9: foreign: half a record, "[18-May-2025 12:00:00 Europe/Warsaw] PHP Deprecated: sess", stands before the record; expected a record alone on its line',
    ],
    [
      'foreign: a single byte of a record before a record',
      edit(9, /^/, '['),
      '9: foreign: half a record, "[", stands before the record; expected a record alone on its line',
    ],
    [
      'foreign: half a record of another kind before a record',
      edit(9, /^/, '[18-May-2025 12:00:00 +0200]: <8098> IMAP'),
      '9: foreign: "[18-May-2025 12:00:00 +0200]: <8098> IMAP" stands before the record; expected a record alone on its line',
    ],
    [
      'foreign: a record whose LF lacks',
      (log) => log.replace('line 119\n', 'line 119'),
      `8: foreign: a record without its LF, "${logOf().split('\n')[7] ?? ''}", stands before the record; expected a record alone on its line`,
    ],
    ['plugin-order: another plugin', edit(3, /html5_notifier/g, 'zz'), '3: plugin-order: "zz"; expected "html5_notifier"'],
    [
      'plugin-order: two records that changed places',
      (log) => log.replace(/(.*html5_notifier.*\n)(.*\n)/, '$2$1'),
      '4: plugin-order: "html5_notifier" is out of order; expected before the record above',
    ],
    [
      'plugin-order: a plugin twice',
      edit(3, /.*/, '$&\n$&'),
      '4: plugin-order: "html5_notifier" appears twice; expected once per plugin, in order',
    ],
    [
      'plugin-order: a plugin that is not in the list',
      (log) => log.replace(/(.*html5_notifier.*\n)/, (line) => line + line.replaceAll('html5_notifier', 'zz')),
      '4: plugin-order: "zz" is not in the list; expected a plugin of the deployment',
    ],
    [
      'plugin-order: a record twice',
      edit(8, /.*/, '$&\n$&'),
      '9: plugin-order: the deprecation record appears twice; expected once per group',
    ],
    [
      'incomplete',
      dropLines(11, 16),
      '11: incomplete: the group lacks "html5_notifier", the deprecation record; expected all 8 records of a request',
      { found: '6', expected: '8', group_line: 9, missing: ['html5_notifier', 'the deprecation record'] },
    ],
    [
      'timestamp',
      edit(11, '12:00:01', '12:00:02'),
      '11: timestamp: 18-May-2025 12:00:02; expected 18-May-2025 12:00:01 of the group of line 9',
      { found: '18-May-2025 12:00:02', expected: '18-May-2025 12:00:01', group_line: 9 },
    ],
    ['offset', edit(11, '+0200', '+0100'), '11: offset: +0100; expected +0200 of Europe/Warsaw'],
    ['timezone', edit(16, 'Europe/Warsaw', 'UTC'), '16: timezone: "UTC"; expected "Europe/Warsaw"'],
    [
      'path: they differ in the last character',
      edit(1, 'automatic_addressbook.php', 'automatic_addressbook.phx'),
      '1: path: "/var/www/roundcube/plugins/automatic_addressbook/automatic_addressbook.phx"; expected "/var/www/roundcube/plugins/automatic_addressbook/automatic_addressbook.php"',
      {
        found: '/var/www/roundcube/plugins/automatic_addressbook/automatic_addressbook.phx',
        expected: '/var/www/roundcube/plugins/automatic_addressbook/automatic_addressbook.php',
      },
    ],
    ['line-number', edit(1, '193', '7'), '1: line-number: 7; expected 193', { found: '7', expected: '193' }],
    [
      'descriptor: they differ in the last character',
      edit(12, /1\)$/, '2)'),
      `12: descriptor: "GET ${TARGET.slice(0, -1)}2"; expected "GET ${TARGET}" of the group of line 9`,
      { found: `GET ${TARGET.slice(0, -1)}2`, expected: `GET ${TARGET}`, group_line: 9 },
    ],
    [
      'interleaved',
      (log) => log.replace(/(.*PHP Depr.*\n)(.*\n)/, '$2$1'),
      '8: interleaved: a group begins before the group of line 1 has ended; expected one group after the other',
      { found: 'a group begins before the group of line 1 has ended', expected: 'one group after the other', group_line: 1 },
    ],
    [
      'backwards: the times as the log writes them',
      (log) => log.replaceAll('12:00:01', '11:59:58'),
      '9: backwards: 18-May-2025 11:59:58 +0200; expected none earlier than 18-May-2025 12:00:00 +0200 of the group above, line 1',
      { found: '18-May-2025 11:59:58 +0200', expected: '18-May-2025 12:00:00 +0200', group_line: 1 },
    ],
    ['ending', edit(3, /$/, '\r'), '3: ending: CR LF; expected LF alone', { found: 'CR LF', expected: 'LF alone' }],
    // Jest takes a fourth parameter of a shorter row for a callback.
  ])('%s', async (_what, change, text, ...[data]) => {
    const violations = await checked(change(logOf()));
    expect(violations.map((one) => TEXT_REPORT.formatViolation(one, LOG))).toEqual([`log:${text}\n`]);
    const [violation] = violations;
    if (violation === undefined) throw new Error('nothing was found');
    const { line, kind: rule } = violation;
    const object: unknown = JSON.parse(JSON_REPORT.formatViolation(violation, LOG));
    const place = { kind: 'violation', source: 'log', line, rule, section: RULES[rule].section };
    if (data === undefined) expect(object).toMatchObject(place);
    else expect(object).toEqual({ ...place, ...data });
  });

  test('long values: text shows them from a little before the first difference, JSON whole', async () => {
    const target = `/${'\xc5\x82'.repeat(400)}?end=1`;
    const [violation] = await checked(edit(4, 'end=1', 'end=2')(logOf(target)));
    if (violation === undefined) throw new Error('nothing was found');
    const shown = `\u2026${'\u0142'.repeat(38)}?end=`;
    expect(TEXT_REPORT.formatViolation(violation, LOG)).toBe(
      `log:4: descriptor: "${shown}2"; expected "${shown}1" of the group of line 1\n`,
    );
    expect(JSON.parse(JSON_REPORT.formatViolation(violation, LOG))).toMatchObject({
      found: `GET /${'\u0142'.repeat(400)}?end=2`,
      expected: `GET /${'\u0142'.repeat(400)}?end=1`,
    });
  });
});

describe('the summary names the remedy for CR LF', () => {
  test.each<[string, string, boolean]>([
    ['where all lines end so', logOf().replaceAll('\n', '\r\n'), true],
    ['where most lines end so', logOf().replace(/^(?:.*\n){9}/, (lines) => lines.replaceAll('\n', '\r\n')), true],
    ['not where one line in two ends so', logOf().replace(/^(?:.*\n){8}/, (lines) => lines.replaceAll('\n', '\r\n')), false],
    ['not for a missing LF', 'x', false],
  ])('%s', async (_what, log, isNamed) => {
    let summary = '';
    const onEnd = (result: CheckResult): void => void (summary = TEXT_REPORT.formatSummary(result, LOG));
    await collect(checkLog(chunksOf(log), SITE, { onEnd }));
    expect(summary.endsWith("; end lines with LF alone: sed 's/\\r$//' FILE | webmail-diaglog …\n")).toBe(isNamed);
  });
});
