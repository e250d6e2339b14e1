import { describe, expect, test } from '@jest/globals';
import { checkLog } from '../../src/check/check-log.js';
import { JSON_REPORT, TEXT_REPORT } from '../../src/check/report.js';
import { RULES } from '../../src/check/rules.js';
import { createDeployment } from '../../src/log/deployment.js';
import { collect } from '../support/bytes.js';
import { all, type Change, drop, edit, insert, linesOf, swap, twice } from '../support/changes.js';
import { checkText } from '../support/checked.js';
import { filesOf } from '../support/logs.js';
import { placesIn } from '../support/places.js';
import { groupAt, SECOND } from '../support/records.js';

const LOG = placesIn('log');
const TARGET = '/mail/?_task=mail&_action=list&_mbox=INBOX&_uid=1234567890&_x=1';

/** Two groups, of 18 May 2025, 12:00:00 and 12:00:01 in Warsaw. */
const logOf = (target = TARGET): string => [0, 1].map((second) => groupAt(SECOND + second, target)).join('');
const ALONE = 'stands before the record; expected a record alone on its line';
const KINDS = 'a load-failure or a deprecation record';

describe('both sides of a violation, as text and as data', () => {
  test.each<[string, Change, Readonly<Record<string, unknown>>?]>([
    [
      `3: foreign: "PHP "Fatal"\\x1b[31m"; expected ${KINDS}`,
      edit(3, /.*/, 'PHP "Fatal"\x1b[31m'),
      { found: 'PHP "Fatal"\x1b[31m', expected: KINDS },
    ],
    [
      `3: foreign: "a\\xff\\xc5\\x82"; expected ${KINDS}`,
      edit(3, /.*/, 'a\xff\xc5\x82'),
      { found: 'a\ufffd\u0142', found_base64: 'Yf/Fgg==', expected: KINDS },
    ],
    ['3: foreign: the runtime tag "HHVM"; expected "PHP"', edit(3, 'PHP', 'HHVM')],
    [`1: foreign: "\\u{feff}" ${ALONE}`, edit(1, /^/, '\xef\xbb\xbf')],
    [`1: foreign: "app[7]: " ${ALONE}`, edit(1, /^/, 'app[7]: ')],
    ...['[18-May-2025 12:00:00 +0200]: PHP Err', '[18-May-2025 12:00:00 Europe/Warsaw] PHP Deprecated: sess', '['].map(
      (half): [string, Change] => [`9: foreign: half a record, "${half}", ${ALONE}`, edit(9, /^/, half)],
    ),
    [
      `9: foreign: "[18-May-2025 12:00:00 +0200]: <8098> IMAP" ${ALONE}`,
      edit(9, /^/, '[18-May-2025 12:00:00 +0200]: <8098> IMAP'),
    ],
    [`8: foreign: a record without its LF, "${logOf().split('\n')[7] ?? ''}", ${ALONE}`, edit(8, '\n', '')],
    ['3: plugin-order: "zz"; expected "html5_notifier"', edit(3, /html5_notifier/g, 'zz')],
    ['4: plugin-order: "html5_notifier" is out of order; expected before the record above', swap(3)],
    ['4: plugin-order: "html5_notifier" appears twice; expected once per plugin, in order', twice(3)],
    [
      '4: plugin-order: "zz" is not in the list; expected a plugin of the deployment',
      (lines) => insert(4, (lines[2] ?? '').replaceAll('html5_notifier', 'zz'))(lines),
    ],
    ['9: plugin-order: the deprecation record appears twice; expected once per group', twice(8)],
    [
      '11: incomplete: the group lacks "html5_notifier", the deprecation record; expected all 8 records of a request',
      all(drop(16), drop(11)),
      { found: '6', expected: '8', group_line: 9, missing: ['html5_notifier', 'the deprecation record'] },
    ],
    [
      '11: timestamp: 18-May-2025 12:00:02; expected 18-May-2025 12:00:01 of the group of line 9',
      edit(11, '12:00:01', '12:00:02'),
      { found: '18-May-2025 12:00:02', expected: '18-May-2025 12:00:01', group_line: 9 },
    ],
    ['11: offset: +0100; expected +0200 of Europe/Warsaw', edit(11, '+0200', '+0100')],
    ['16: timezone: "UTC"; expected "Europe/Warsaw"', edit(16, 'Europe/Warsaw', 'UTC')],
    [
      '1: path: "/var/www/roundcube/plugins/automatic_addressbook/automatic_addressbook.phx"; expected "/var/www/roundcube/plugins/automatic_addressbook/automatic_addressbook.php"',
      edit(1, 'automatic_addressbook.php', 'automatic_addressbook.phx'),
    ],
    ['1: line-number: 7; expected 193', edit(1, '193', '7'), { found: '7', expected: '193' }],
    [
      `12: descriptor: "GET ${TARGET.slice(0, -1)}2"; expected "GET ${TARGET}" of the group of line 9`,
      edit(12, '1)\n', '2)\n'),
      { found: `GET ${TARGET.slice(0, -1)}2`, expected: `GET ${TARGET}`, group_line: 9 },
    ],
    [
      '8: interleaved: a group begins before the group of line 1 has ended; expected one group after the other',
      swap(8),
      { found: 'a group begins before the group of line 1 has ended', expected: 'one group after the other', group_line: 1 },
    ],
    [
      '9: backwards: 18-May-2025 11:59:58 +0200; expected none earlier than 18-May-2025 12:00:00 +0200 of the group above, line 1',
      (lines) => lines.map((line) => line.replace('12:00:01', '11:59:58')),
      { found: '18-May-2025 11:59:58 +0200', expected: '18-May-2025 12:00:00 +0200', group_line: 1 },
    ],
    ['3: ending: CR LF; expected LF alone', edit(3, '\n', '\r\n'), { found: 'CR LF', expected: 'LF alone' }],
    // Jest takes a third parameter of a shorter row for a callback.
  ])('%s', async (text, change, ...[data]) => {
    const { violations } = await checkText(change(linesOf(logOf())).join(''));
    expect(violations.map((violation) => TEXT_REPORT.formatViolation(violation, LOG))).toEqual([`log:${text}\n`]);
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
    const { violations } = await checkText(edit(4, 'end=1', 'end=2')(linesOf(logOf(target))).join(''));
    const [violation] = violations;
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
    const summary = TEXT_REPORT.formatSummary((await checkText(log)).result, LOG);
    expect(summary.endsWith("; end lines with LF alone: sed 's/\\r$//' FILE | webmail-diaglog …\n")).toBe(isNamed);
  });
});

describe('check of several files', () => {
  const group = (second: number, target?: string): string => groupAt(SECOND + second, target);
  const [one, other] = [linesOf(group(0)), linesOf(group(0, '/poczta/'))];
  const cutBehind = (count: number, log: string): string[] => [
    linesOf(log).slice(0, count).join(''),
    linesOf(log).slice(count).join(''),
  ];

  test.each<[string, readonly string[], readonly string[]]>([
    [
      '1.3 the last line of each file ends in LF',
      [group(0).slice(0, -1), group(1)],
      ['1:8: ending: no LF at the end of the log; expected an LF after each record'],
    ],
    [
      'a violation that names another line names its file, if that is another one',
      [group(5), group(3) + group(2)],
      [
        '2:1: backwards: 18-May-2025 12:00:03 +0200; expected none earlier than 18-May-2025 12:00:05 +0200 of the group above, line 1 of 1',
        '2:9: backwards: 18-May-2025 12:00:02 +0200; expected none earlier than 18-May-2025 12:00:03 +0200 of the group above, line 1',
      ],
    ],
    [
      '6 a group that a rotation cuts has one timestamp',
      cutBehind(3, group(0).replace(':00 Europe', ':01 Europe')),
      ['2:5: timestamp: 18-May-2025 12:00:01; expected 18-May-2025 12:00:00 of the group of line 1 of 1'],
    ],
    [
      '6 a group that a rotation cuts has one descriptor',
      cutBehind(3, group(0).replace(/(sieverules.php in .*) \(GET .*\)/, '$1 (GET /a/)')),
      ['2:4: descriptor: "GET /a/"; expected "GET /mail/" of the group of line 1 of 1'],
    ],
    [
      '6 a group that begins in the next file before this one has ended',
      cutBehind(7, [...one.slice(0, 7), ...other.slice(0, 7), one[7], other[7]].join('')),
      ['2:1: interleaved: a group begins before the group of line 1 of 1 has ended; expected one group after the other'],
    ],
  ])('%s', async (_what, logs, texts) => {
    const files = filesOf(...logs);
    const violations = (await collect(checkLog(files, createDeployment()))).flat();
    expect(violations.map((violation) => TEXT_REPORT.formatViolation(violation, files).trimEnd())).toEqual(texts);
  });

  test('JSON has the file and the line of another group', async () => {
    const files = filesOf(group(5), group(3));
    const [violation] = (await collect(checkLog(files, createDeployment()))).flat();
    const object: unknown = violation && JSON.parse(JSON_REPORT.formatViolation(violation, files));
    expect(object).toMatchObject({ source: '2', line: 1, rule: 'backwards', group_source: '1', group_line: 1 });
  });
});
