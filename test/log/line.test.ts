import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment, type Deployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { formatRecord, isRecordWithCr, parseRecord, RecordReader } from '../../src/log/line.js';
import { formatDeprecation, formatDescriptor, formatLoadFailure } from '../../src/log/record.js';
import { formatIso } from '../../src/log/timestamp.js';
import { deployment, request } from '../support/arbitraries.js';
import { DEPRECATION, FAILURE } from '../support/records.js';

test('2.1, 2.2 the records of a deployment; the php dialect has two spaces after "Deprecated:", as PHP writes them', () => {
  const site = createDeployment({ installRoot: '/r' });
  const stamp = { timestamp: '18-May-2025 12:00:00', utcOffset: '+0200' };
  expect(formatLoadFailure(stamp, 'carddav', 'GET /mail/', site)).toBe(FAILURE);
  expect(formatDeprecation(stamp, site)).toBe(DEPRECATION);
  expect(formatDeprecation(stamp, { ...site, dialect: 'php' })).toBe(DEPRECATION.replace('Deprecated: ', 'Deprecated:  '));
});

test.each(['', '/mail/\n', '/mail/\r', '/a b', '/\x7f', '/\x1b[31m', '/ż'])(
  '2.4 refuses %j, which could forge a record',
  (text) => {
    const message = 'a method or a target holds other than bytes 0x21 to 0xFF less 0x7F; percent-encode it, or encodeText it';
    expect(() => formatDescriptor('GET', text)).toThrow(new RangeError(message));
    expect(() => formatDescriptor(text, '/mail/')).toThrow(new RangeError(message));
    expect(formatDescriptor('GET', '/poczta/?x=)')).toBe('GET /poczta/?x=)');
  },
);

describe('parseRecord', () => {
  test('2.1 reads the fields of a load failure unchanged', () => {
    expect(parseRecord(FAILURE)).toEqual({
      kind: 'load_failure',
      timestamp: '18-May-2025 12:00:00',
      utcOffset: '+0200',
      runtimeTag: 'PHP',
      pluginFilePath: '/r/plugins/carddav/carddav.php',
      pluginLoaderFilePath: '/r/program/lib/Roundcube/rcube_plugin_api.php',
      lineNumber: 193,
      httpMethod: 'GET',
      requestTarget: '/mail/',
      localSecond: 1_747_569_600,
      second: 1_747_562_400,
    });
  });

  test.each([
    ['m050aivd', FAILURE.replace('PHP', '<m050aivd> PHP'), 'PHP'],
    ['0,-Z', FAILURE.replace('PHP', '<0,-Z> PHP'), 'PHP'],
    ['x', FAILURE.replace('PHP', '<x> <abcdefgh>'), '<abcdefgh>'],
    ['x', FAILURE.replace('PHP', '<x> Error:'), 'Error:'],
    // A runtime tag that looks like a session id.
    [undefined, FAILURE.replace('PHP', '<abcdefgh>'), '<abcdefgh>'],
    [undefined, FAILURE.replace('PHP', '<a_b>'), '<a_b>'],
    [undefined, FAILURE.replace('PHP', '<>'), '<>'],
  ])('the session id %s before the runtime tag', (sessionId, line, runtimeTag) => {
    const record = parseRecord(line);
    expect(record).toEqual({ ...parseRecord(FAILURE), runtimeTag, ...(sessionId !== undefined && { sessionId }) });
    expect(Object.hasOwn(record ?? {}, 'sessionId')).toBe(sessionId !== undefined);
    expect(record && formatRecord(record)).toBe(line);
    expect(new RecordReader().read(line)).toEqual(record);
  });

  test.each([
    ['spec', DEPRECATION],
    ['php', DEPRECATION.replace('Deprecated: ', 'Deprecated:  ')],
  ])('2.2 reads the fields of a deprecation record, in the dialect %s', (dialect, line) => {
    expect(parseRecord(line)).toEqual({
      kind: 'deprecation',
      timestamp: '18-May-2025 12:00:00',
      timezoneName: 'Europe/Warsaw',
      runtimeTag: 'PHP',
      sessionFilePath: '/r/program/lib/Roundcube/rcube_session.php',
      lineNumber: 119,
      dialect,
      localSecond: 1_747_569_600,
    });
  });

  test('reads what formatGroup writes of any request, for any deployment', () => {
    fc.assert(
      fc.property(request, deployment, (logged, site) => {
        const lines = formatGroup(logged, site).split('\n').slice(0, -1);
        const records = lines.map(parseRecord);
        expect(records.map((record) => record && formatRecord(record))).toEqual(lines);
        for (const record of records)
          if (record?.kind === 'load_failure')
            expect([record.httpMethod, record.requestTarget, record.second]).toEqual([
              logged.method,
              logged.target,
              Math.floor(logged.millisecond / 1000),
            ]);
      }),
    );
  });

  test.each([
    ['nothing', ''],
    ['a record cut short', FAILURE.slice(0, -1)],
    ['a CR at its end', `${FAILURE}\r`],
    ['no space before the offset', FAILURE.replace(' +0200', 'x+0200')],
    ['no tag', FAILURE.replace('PHP', '')],
    ['something behind it', `${DEPRECATION} `],
    ['a month that is none', FAILURE.replace('May', 'Mai')],
    ['a day that is none', FAILURE.replace('18-May', '31-Apr')],
    ['a name in place of the offset', FAILURE.replace('+0200', 'Europe/Warsaw')],
    ['an offset in place of the name', DEPRECATION.replace('Europe/Warsaw', '+0200')],
    ['no name', DEPRECATION.replace('Europe/Warsaw', '')],
    ['a control character', FAILURE.replace('/r', '/\x00')],
    ['no target', FAILURE.replace('GET /mail/', 'GET ')],
    ['a line number that a deployment cannot have', FAILURE.replace('193', '9007199254740992')],
    ['a line number with a zero before it', FAILURE.replace('193', '0193')],
    ['three spaces', DEPRECATION.replace('Deprecated: ', 'Deprecated:   ')],
    [
      'another kind',
      '[21-Nov-2026 08:39:19 +0100]: <8098d78c> IMAP Error: Login failed for jan in /x.php on line 211 (POST /mail/)',
    ],
    ['a session id of other characters', FAILURE.replace('PHP', '<a_b> PHP')],
    ['two session ids', FAILURE.replace('PHP', '<a> <b> PHP')],
    ['a session id of a deprecation record', DEPRECATION.replace('PHP', '<a> PHP')],
  ])('%s is no record', (_what, line) => {
    expect(parseRecord(line)).toBeUndefined();
  });

  test.each([
    ['an offset that no clock has', FAILURE.replace('+0200', '+9999'), '2025-05-18T12:00:00+99:99'],
    ['the year 0', FAILURE.replace('2025', '0000'), '0000-05-18T12:00:00+02:00'],
    ['the last line number of a deployment', FAILURE.replace('193', '9007199254740991'), '2025-05-18T12:00:00+02:00'],
    ['a leap day', FAILURE.replace('18-May-2025', '29-Feb-2024'), '2024-02-29T12:00:00+02:00'],
  ])('%s is read unchanged', (_what, line, iso) => {
    const record = parseRecord(line);
    expect(record?.kind === 'load_failure' && formatIso(record)).toBe(iso);
    expect(record?.kind === 'load_failure' && Number.isInteger(record.second)).toBe(true);
  });

  test('a target may hold parentheses: the last of the line ends the descriptor', () => {
    const line = FAILURE.replace('/mail/', '/)(?x=) on line 1 (GET /)'.replaceAll(' ', '_'));
    expect(parseRecord(line)).toMatchObject({ requestTarget: '/)(?x=)_on_line_1_(GET_/)' });
  });
});

test.each([
  [`${FAILURE}\r`, true],
  [`${DEPRECATION}\r`, true],
  [FAILURE, false],
  [`${FAILURE}\r\r`, false],
  ['[18-May-2025 12:00:00 +0200]: x\r', false],
  ['\r', false],
])('%j is a record with a CR: %p', (line, expected) => {
  expect(isRecordWithCr(line)).toBe(expected);
});

const NOON = Date.UTC(2025, 4, 18, 10);
const SPECIFIED = createDeployment();
const PHP = createDeployment({ installRoot: '/srv/mail', dialect: 'php' });
const TAGGED = createDeployment({ runtimeTag: '<abcdefgh>' });
/** More plugins than texts are remembered. */
const MANY = createDeployment({ plugins: Array.from({ length: 20 }, (_, index) => `plugin_${String(index)}`) });

/** The lines of a group. */
function linesOf(site: Deployment, second: number, target: string, method = 'GET'): readonly string[] {
  return formatGroup({ millisecond: NOON + second * 1000, method, target }, site)
    .trimEnd()
    .split('\n');
}

/** A line of a group, and the same line with a part of it replaced. */
const line = fc
  .tuple(
    fc.constantFrom(SPECIFIED, PHP, MANY, TAGGED),
    fc.integer({ min: 0, max: 2 }),
    fc.constantFrom('GET', 'POST'),
    fc.constantFrom('/', '/mail/', '/(GET /)', '/\xff'.repeat(3000)),
    fc.nat(),
    fc.constantFrom('', '', '', ' ', ')', '(', '\r', '\x01', 'x'),
    fc.nat(),
    fc.constantFrom('', '', '<m050aivd> ', '<a,b> ', '<a> <b> ', '<PHP> ', `<${'x'.repeat(300)}> `),
  )
  .map(([site, second, method, target, choice, inserted, place, session]) => {
    const lines = linesOf(site, second, target.replace(' ', ''), method);
    const text = (lines[choice % lines.length] ?? '').replace(']: ', `]: ${session}`);
    const at = place % (text.length + 1);
    return text.slice(0, at) + inserted + text.slice(at + inserted.length);
  });

test('RecordReader gives of each line what parseRecord gives, whatever lines came before', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const reader = new RecordReader();
      expect(lines.map((text) => reader.read(text))).toEqual(lines.map(parseRecord));
    }),
  );
});

test.each(['GET )', ' /mail/)', 'GET/mail/)', 'GET /mail/ x)', 'GET /mail/'])(
  'RecordReader takes a line that ends in (%s for no record, behind one with the same text',
  (descriptor) => {
    const [first = ''] = linesOf(SPECIFIED, 0, '/mail/');
    const reader = new RecordReader();
    expect(reader.read(first)).toEqual(parseRecord(first));
    expect(reader.read(first.replace('GET /mail/)', descriptor))).toBeUndefined();
  },
);
