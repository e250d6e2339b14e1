import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { CompareOptions } from '../../src/compare/options.js';
import type { FieldName } from '../../src/compare/fields.js';
import { encodeText } from '../../src/log/byte-string.js';
import { briefly, compare, countsOf, logOf } from '../support/compared.js';
import { PROJECT } from '../support/run.js';

/** Logs captured from the real software: of one client, and of 16 clients at a time with marks. */
const CAPTURED = readFileSync(join(PROJECT, 'fixtures/captured/error.log'), 'latin1');
const MARKED = gunzipSync(readFileSync(join(PROJECT, 'fixtures/captured/concurrent.log.gz'))).toString('latin1');

const linesOf = (log: string): string[] => log.split('\n').slice(0, -1);

/** The first group of the capture, with another target. */
function groupWith(target: string): string[] {
  return linesOf(CAPTURED)
    .slice(0, 8)
    .map((line) => line.replace('/mail/)', `${target})`));
}

const INVALID = groupWith('/mail/?q=\xff\xfeA\x80');
const UTF8 = groupWith(encodeText('/mail/?q=żółw'));
const LONG = groupWith(`/mail/?q=${'0123456789'.repeat(20_000)}`);
const SENT = [...groupWith('/poczta/'), ...INVALID, ...UTF8, ...groupWith('/webmail/')];

/** NDJSON with a line in a field, as JSON.stringify writes it, bytes from 0x80 on raw. */
const json = (line: string): string => JSON.stringify({ host: 'mail', message: line, offset: 7 });

/** A change of some lines. */
const edited = (lines: readonly string[], edit: (line: string, index: number) => readonly string[]): string =>
  logOf(lines.flatMap(edit));

const MESSAGE: CompareOptions = { field: 'message' };

describe('raw lines, as collectors deliver them', () => {
  /** A finding at each of some lines. */
  const at = (lines: readonly number[], how: string): string[] => lines.map((line) => `came.log:${String(line)} altered: ${how}`);
  const ALL = SENT.map((_, index) => index + 1);
  const FAILURES = ALL.filter((line) => line % 8 !== 0);
  const WITH_LONG = [...SENT, ...LONG];

  test.each<[behaviour: string, came: string, findings: string[], sent?: readonly string[]]>([
    ['unchanged', logOf(SENT), []],
    ['the last line without LF', logOf(SENT).slice(0, -1), []],
    [
      'cut at 8,096 bytes (rsyslog, maxMessageSize)',
      edited(WITH_LONG, (line) => [line.slice(0, 8096)]),
      at([33, 34, 35, 36, 37, 38, 39], 'cut after 8096 bytes'),
      WITH_LONG,
    ],
    [
      'split at 65,536 bytes, the rest as records of their own (syslog-ng, log-msg-size)',
      edited(WITH_LONG, (line) => line.match(/.{1,65536}/gs) ?? []),
      at([33, 37, 41, 45, 49, 53, 57], 'cut after 65536 bytes'),
      WITH_LONG,
    ],
    [
      'CR kept in every line (rsyslog of a log with CRLF)',
      edited(SENT, (line) => [`${line}\r`]),
      at(ALL, 'an extra CR at its end'),
    ],
    [
      'CR dropped from every line (syslog-ng of a log with CRLF)',
      logOf(SENT),
      at(ALL, 'the CR at its end is gone'),
      SENT.map((line) => `${line}\r`),
    ],
    [
      'a header before every line',
      edited(SENT, (line) => [`<13> mail web-2026-05-18: ${line}`]),
      at(ALL, '26 bytes more before it'),
    ],
    [
      'two records on one line',
      logOf(SENT).replace(/\n(?=.*sauserprefs)/, ''),
      [1, 2].flatMap((record) => at([5], `record ${String(record)} of 2 on one line`)),
    ],
    [
      'a torn record with the next one behind it',
      edited(SENT, (line, index) => (index === 3 ? [] : index === 4 ? [`${(SENT[3] ?? '').slice(0, 50)}${line}`] : [line])),
      [1, 2].flatMap((record) => at([4], `record ${String(record)} of 2 on one line`)),
    ],
    [
      'one value changed in every line (a wrong offset)',
      logOf(SENT).replaceAll('+0100]', '+0200]'),
      at(FAILURES, 'utc_offset "+0100" has become "+0200"'),
    ],
    [
      'bytes that are not UTF-8 as U+FFFD, without --lossy',
      logOf(SENT.map((line) => replaced(line, '\xef\xbf\xbd'))),
      at(
        FAILURES.filter((line) => line > 8 && line < 16),
        'request_target "/mail/?q=\\xff\\xfeA\\x80" has become "/mail/?q=\ufffd\ufffdA\ufffd"',
      ),
    ],
  ])('%s', async (_behaviour, came, findings, sent = SENT) => {
    expect(briefly(await compare(logOf(sent), came))).toEqual(findings);
  });

  test.each([839, 4000])('a stretch of %i lines again after a restart', async (count) => {
    const lines = linesOf(MARKED);
    const compared = await compare(MARKED, logOf([...lines.slice(0, 4500), ...lines.slice(4500 - count)]));
    const { reordered = 0, ...counts } = countsOf(compared);
    expect(counts).toEqual({ duplicated: count });
    // The deprecation records of the second in which the stretch ends are equal to some behind it.
    expect(reordered).toBeLessThan(16);
    expect(compared.findings[0]).toMatchObject({ kind: 'duplicated', line: 4501 });
  });
});

describe('--lossy: bytes that are not UTF-8', () => {
  test.each<{ collector: string; came: string; lossy: number }>([
    { collector: 'raw', came: logOf(SENT), lossy: 0 },
    { collector: 'U+FFFD for each (logagent)', came: logOf(SENT.map((line) => replaced(line, '\xef\xbf\xbd'))), lossy: 7 },
    { collector: '? for each (rsyslog, mmutf8fix)', came: logOf(SENT.map((line) => replaced(line, '?'))), lossy: 7 },
    {
      collector: 'one U+FFFD for several in a row',
      came: logOf(SENT.map((line) => line.replace('\xff\xfe', '\xef\xbf\xbd').replace(/\x80(?=\))/, '\xef\xbf\xbd'))),
      lossy: 7,
    },
    { collector: '\\xNN for every byte from 0x80 on', came: logOf(SENT.map(escaped)), lossy: 7 },
    {
      collector: '? and another order',
      came: logOf([...SENT.slice(8), ...SENT.slice(0, 8)].map((line) => replaced(line, '?'))),
      lossy: 7,
    },
  ])('$collector', async ({ came, lossy }) => {
    const { summary } = await compare(logOf(SENT), came, { lossy: true });
    expect(summary).toMatchObject({ recordsSent: 32, recordsDelivered: 32, lossy });
  });

  test.each<{ difference: string; change: (line: string) => string }>([
    { difference: 'valid UTF-8 that has become a sign', change: (line) => line.replace('\xc5\xbc', '?') },
    { difference: 'valid UTF-8 that is escaped', change: (line) => line.replace('\xc5\xbc', '\\xc5\\xbc') },
  ])('$difference is a difference', async ({ change }) => {
    const { summary } = await compare(logOf(SENT), logOf(SENT.map(change)), { lossy: true });
    expect(summary.recordsDelivered).toBeLessThan(32);
  });

  /** Bytes that are not UTF-8 beside valid UTF-8: ż, ó, NEL, a cut sequence and a surrogate. */
  const MIXED = 'q=\xc5\xbc\xff\xc3\xb3\xc2\x85&cut=\xe2\x80&half=\xed\xa0\x80&\\x85';

  test.each<[form: string, came: string, isCopy: boolean]>([
    ['those bytes (syslog-ng 3.38)', 'q=\xc5\xbc\\xff\xc3\xb3\xc2\x85&cut=\\xe2\\x80&half=\\xed\\xa0\\x80&\\x85', true],
    ['those bytes, in upper case', 'q=\xc5\xbc\\xFF\xc3\xb3\xc2\x85&cut=\\xE2\\x80&half=\\xED\\xA0\\x80&\\x85', true],
    ['all from 0x80 on', 'q=\\xc5\\xbc\\xff\\xc3\\xb3\\xc2\\x85&cut=\\xe2\\x80&half=\\xed\\xa0\\x80&\\x85', true],
    ['one valid character besides', 'q=\\xc5\\xbc\\xff\xc3\xb3\xc2\x85&cut=\\xe2\\x80&half=\\xed\\xa0\\x80&\\x85', false],
    ['some, others replaced', 'q=\xc5\xbc\\xff\xc3\xb3\xc2\x85&cut=?&half=???&\\x85', false],
    ['another byte', 'q=\xc5\xbc\\xfe\xc3\xb3\xc2\x85&cut=\\xe2\\x80&half=\\xed\\xa0\\x80&\\x85', false],
    ['the text \\x85 unescaped', 'q=\xc5\xbc\\xff\xc3\xb3\xc2\x85&cut=\\xe2\\x80&half=\\xed\\xa0\\x80&\x85', false],
  ])('a line with valid UTF-8 besides, escaped: %s', async (_form, came, isCopy) => {
    const { summary } = await compare(logOf([MIXED]), logOf([came]), { lossy: true });
    expect(summary).toMatchObject({ recordsDelivered: isCopy ? 1 : 0, lossy: isCopy ? 1 : 0 });
  });

  test('a line of valid UTF-8 that is escaped as a whole is a difference', async () => {
    const came = UTF8.map((line) => line.replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`));
    const { summary } = await compare(logOf(UTF8), logOf(came), { lossy: true });
    expect(summary).toMatchObject({ recordsDelivered: 1, lossy: 0 });
  });

  test('a record that comes twice is duplicated, whatever became of its bytes', async () => {
    const came = SENT.map((line) => replaced(line, '?'));
    came.splice(10, 0, came[9] ?? '');
    expect(briefly(await compare(logOf(SENT), logOf(came), { lossy: true }))).toEqual(['came.log:11 duplicated']);
  });
});

describe('a line in a field of NDJSON', () => {
  test.each<[behaviour: string, came: string, findings?: string[], path?: string]>([
    ['raw bytes', logOf(SENT.map(json))],
    ['escapes: \\/ and \\u00e9', logOf(SENT.map((line) => escapeUtf8(json(line)).replaceAll('/', '\\/')))],
    ['a nested path', logOf(SENT.map((line) => JSON.stringify({ event: { original: line } }))), [], 'event.original'],
    [
      'a key with dots before a path',
      logOf(SENT.map((line) => JSON.stringify({ event: { original: 'x' }, 'event.original': line }))),
      [],
      'event.original',
    ],
    ["an LF at the end, as in Docker's log", logOf(SENT.map((line) => JSON.stringify({ log: `${line}\n` }))), [], 'log'],
    ['CRLF behind the objects', logOf(SENT.map((line) => `${json(line)}\r`))],
    ['blank lines', logOf(SENT.map((line) => `${json(line)}\n`))],
    ['the last line without LF', logOf(SENT.map(json)).slice(0, -1)],
    [
      'objects without the field',
      edited(SENT, (line, index) => (index === 4 ? ['{"host":"mail"}', '{"message":null}', json(line)] : [json(line)])),
      ['came.log:5-6 foreign: no field "message"'],
    ],
    [
      'a field that is not text, and a line that is not an object',
      `{"message":{"a":1}}\n[]\n7\n${logOf(SENT.map(json))}`,
      ['came.log:1 foreign: its field "message" is not text', 'came.log:2-3 foreign: not an object'],
    ],
    ['two objects on one line', logOf(SENT.map(json)).replace('}\n', '}'), ['came.log:1 foreign: 2 objects on one line']],
    [
      'a torn line',
      edited(SENT, (line, index) => [index === 9 ? json(line).slice(0, 70) : json(line)]),
      ['sent.log:10 missing', 'came.log:10 foreign: a torn line of JSON'],
    ],
    [
      'a torn line with an object behind it',
      edited(SENT, (line, index) => [`${index === 9 ? json(line).slice(0, 70) : ''}${json(line)}`]),
      ['came.log:10 foreign: a torn line of JSON'],
    ],
    [
      'cut records',
      edited(SENT, (line, index) => [json(index === 2 ? line.slice(0, 100) : line)]),
      ['came.log:3 altered: cut after 100 bytes'],
    ],
    [
      'two records in one value',
      edited(SENT, (line, index) => (index === 2 ? [] : [json(index === 3 ? `${SENT[2] ?? ''}\n${line}` : line)])),
      ['came.log:3 altered: record 1 of 2 on one line', 'came.log:3 altered: record 2 of 2 on one line'],
    ],
  ])('%s', async (_behaviour, came, findings = [], field = 'message') => {
    expect(briefly(await compare(logOf(SENT), came, { field }))).toEqual(findings);
  });

  test('é as an escape is not the byte E9', async () => {
    const sent = logOf(groupWith('/mail/?\xe9'));
    const compared = await compare(
      sent,
      sent.replaceAll(/.+/g, (line) => JSON.stringify({ message: line }).replace('\xe9', '\\u00e9')),
      MESSAGE,
    );
    expect(compared.summary.recordsDelivered).toBe(1);
  });

  test('--lossy holds for values too: \\xff as text of JSON', async () => {
    const came = logOf(SENT.map((line) => json(escaped(line))));
    expect((await compare(logOf(SENT), came, { ...MESSAGE, lossy: true })).summary).toMatchObject({
      recordsDelivered: 32,
      lossy: 7,
    });
  });
});

describe('parsed fields of NDJSON', () => {
  const FIELDS: readonly (readonly [FieldName, string])[] = [
    ['kind', 'kind'],
    ['instant', 'time.utc'],
    ['plugin_file_path', 'plugin'],
    ['line_number', 'line'],
    ['request_target', 'target'],
  ];
  const fields = Object.fromEntries(FIELDS);
  const SECOND = Date.UTC(2025, 2, 3, 7, 12, 4) / 1000;

  /** An object of a record as a collector might parse it. */
  function parsed(line: string, change: Record<string, unknown> = {}): string {
    const failure = /plugin file (\S+) in .* on line (\d+) \((\S+) (\S+)\)$/.exec(line);
    const fields =
      failure === null
        ? { kind: 'deprecation', plugin: null, line: '119', target: '' }
        : { kind: 'load_failure', plugin: failure[1], line: Number(failure[2]), target: failure[4] };
    return JSON.stringify({ time: { utc: '2025-03-03T07:12:04Z' }, ...fields, ...change });
  }

  test('nanoseconds as a number that JavaScript cannot hold', async () => {
    const came = logOf(SENT.map((line) => parsed(line).replace('"2025-03-03T07:12:04Z"', `${String(SECOND)}999999999`)));
    expect(briefly(await compare(logOf(SENT), came, { fields }))).toEqual([]);
  });

  test.each<{ what: string; change: Record<string, unknown>; findings: string[] }>([
    { what: 'a number as text', change: { line: '193' }, findings: [] },
    {
      what: 'a wrong target',
      change: { target: '/' },
      findings: ['came.log:1 altered: request_target "/poczta/" has become "/"'],
    },
    { what: 'an absent field', change: { line: undefined }, findings: ['came.log:1 altered: line_number "193" has become ""'] },
    {
      what: 'a time without an offset',
      change: { time: { utc: '2025-03-03T08:12:04' } },
      findings: ['came.log:1 altered: instant "2025-03-03T07:12:04Z" has become "2025-03-03T08:12:04"'],
    },
    {
      what: 'another second',
      change: { time: { utc: SECOND + 1 } },
      findings: ['came.log:1 altered: instant "2025-03-03T07:12:04Z" has become "2025-03-03T07:12:05Z"'],
    },
    { what: 'two wrong fields', change: { target: '/', line: 7 }, findings: ['sent.log:1 missing', 'came.log:1 foreign'] },
    { what: 'a value with an LF', change: { target: '/\n7' }, findings: ['sent.log:1 missing', 'came.log:1 foreign'] },
  ])('$what', async ({ change, findings }) => {
    const came = logOf(SENT.map((line, index) => parsed(line, index === 0 ? change : {})));
    expect(briefly(await compare(logOf(SENT), came, { fields }))).toEqual(findings);
  });

  test('a field that the kind of record has not must be absent, null or empty', async () => {
    const came = logOf(SENT.map((line, index) => parsed(line, index === 7 ? { target: '/' } : {})));
    expect(briefly(await compare(logOf(SENT), came, { fields }))).toEqual([
      'came.log:8 altered: request_target "" has become "/"',
    ]);
  });

  test('expected lines of neither kind and objects without any of the fields are passed over and counted', async () => {
    const sent = `something else\n${logOf(SENT)}more\n`;
    const came = `{"host":"mail"}\n${logOf(SENT.map((line) => parsed(line)))}{"target":"","line":null}\n`;
    const compared = await compare(sent, came, { fields });
    expect(briefly(compared)).toEqual([]);
    expect(compared.summary).toMatchObject({ recordsSent: 32, expectedPassedOver: 2, receivedPassedOver: 2 });
  });

  test.each<[what: string, options: CompareOptions, recordsSent: number]>([
    ['of one kind', { fields: { line_number: 'line' }, kind: 'deprecation' }, 4],
    ['that have a field', { fields: { http_method: 'method' } }, 28],
    ['of one kind, none of which has the field', { fields: { session_file_path: 'file' }, kind: 'load_failure' }, 0],
  ])('records %s are compared, others passed over', async (_what, options, recordsSent) => {
    const { summary } = await compare(logOf(SENT), '', options);
    expect(summary).toMatchObject({ recordsSent, expectedPassedOver: 32 - recordsSent });
  });

  test('of several objects on one line, a finding shows its own', async () => {
    const [one, other] = [parsed(SENT[0] ?? ''), parsed(SENT[1] ?? '', { target: '/' })];
    const { findings } = await compare(logOf(SENT.slice(0, 2)), `${one}${other}\n`, { fields });
    expect(findings).toMatchObject([
      { kind: 'foreign', text: one + other, how: '2 objects on one line' },
      { kind: 'altered', text: other },
    ]);
  });

  test('the instant of a deprecation record in the repeated hour of autumn is that of its group', async () => {
    const sent = logOf(SENT.slice(0, 8))
      .replaceAll('03-Mar-2025 08:12:04 +0100', '26-Oct-2025 02:30:00 +0100')
      .replaceAll('03-Mar-2025 08:12:04', '26-Oct-2025 02:30:00');
    const cameAt = (utc: string): string => logOf(linesOf(sent).map((line) => parsed(line, { time: { utc } })));
    expect(briefly(await compare(sent, cameAt('2025-10-26T01:30:00Z'), { fields }))).toEqual([]);
    const earlier = await compare(sent, cameAt('2025-10-26T00:30:00Z'), { fields, kind: 'deprecation' });
    expect(earlier.findings.find(({ line }) => line === 8)).toMatchObject({
      kind: 'altered',
      how: 'instant "2025-10-26T01:30:00Z" has become "2025-10-26T00:30:00Z"',
    });
  });
});

/** A line with a sign for each byte that is not UTF-8. */
function replaced(line: string, sign: string): string {
  return line.replace(/[\xff\xfe]|\x80(?=\))/g, sign);
}

/** A line that is not UTF-8 with every byte from 0x80 on escaped. */
function escaped(line: string): string {
  return line.includes('\xff') ? line.replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`) : line;
}

/** JSON in which characters beyond ASCII are escaped, where they are UTF-8. */
function escapeUtf8(text: string): string {
  return text.replace(/(?:[\xc2-\xdf][\x80-\xbf])+/g, (bytes) =>
    Array.from(
      Buffer.from(bytes, 'latin1').toString('utf8'),
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
