import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BadRowError, DataError } from '../../../src/errors.js';
import { encodeText } from '../../../src/log/byte-string.js';
import type { LogRequest } from '../../../src/log/group.js';
import { readRequestList } from '../../../src/requests/list/read-list.js';
import { chunksOf, collect } from '../../support/bytes.js';
import { millisecond, method, target, text } from '../../support/arbitraries.js';

interface Reading {
  readonly requests: readonly LogRequest[];
  readonly error: unknown;
}

/** Reads a list: the requests, and what it threw after them. */
async function read(list: string, cuts: readonly number[] = [], onBadRow?: (error: BadRowError) => void): Promise<Reading> {
  const requests: LogRequest[] = [];
  try {
    const options = { timezone: 'Europe/Warsaw', source: 'r.csv', ...(onBadRow && { onBadRow }) };
    for await (const batch of readRequestList(chunksOf(list, cuts), options)) requests.push(...batch);
    return { requests, error: undefined };
  } catch (error) {
    return { requests, error };
  }
}

const NOON = Date.parse('2025-05-18T10:00:00Z');

/** A row's request, with the timestamp that the accept table gives each row. */
function at(line: number, target: string, method = 'GET'): LogRequest {
  return { millisecond: NOON, method, target, line };
}

describe('readRequestList accepts', () => {
  test.each<[string, string, readonly LogRequest[]]>([
    ['no row at all', '', []],
    ['three columns', '1747562400,POST,/mail/\n', [at(1, '/mail/', 'POST')]],
    ['a last line without LF', '1747562400,/mail/', [at(1, '/mail/')]],
    ['an empty method, which is GET', '1747562400,,/mail/\n', [at(1, '/mail/')]],
    ['a header', 'timestamp,request_target\n1747562400,/mail/\n', [at(2, '/mail/')]],
    ['a header in any order and case', 'Target,TIMESTAMP,Method\n/mail/,1747562400,HEAD\n', [at(2, '/mail/', 'HEAD')]],
    ['columns that are not asked for', 'id,timestamp,x,request_target\n1,1747562400,"a,""b",/mail/\n', [at(2, '/mail/')]],
    ['a BOM before a header', '\xef\xbb\xbftimestamp,target\n1747562400,/mail/\n', [at(2, '/mail/')]],
    ['CRLF', 'timestamp,target\r\n1747562400,/mail/\r\n', [at(2, '/mail/')]],
    ['blank lines', '\n\r\n1747562400,/mail/\n \t \n1747562400,/x\n\n', [at(3, '/mail/'), at(5, '/x')]],
    ['comments', '# timestamp\n1747562400,/mail/\n#1747562400,/a"\n', [at(2, '/mail/')]],
    ['a comma and a quote in a quoted cell', '1747562400,"/a,b""c"\n', [at(1, '/a,b"c')]],
    ['brackets, quotes and backslashes', "1747562400,/?x=)](\\'\n", [at(1, "/?x=)](\\'")]],
    ['UTF-8', `1747562400,${encodeText('/żółw')}\n`, [at(1, encodeText('/żółw'))]],
    ['the mark of UTF-16 within a line', '1747562400,/\xff\xfe\n', [at(1, '/\xff\xfe')]],
    ['absolute form', '1747562400,http://h/mail/?x\n1747562400,https://h\n', [at(1, 'http://h/mail/?x'), at(2, 'https://h')]],
    ['an odd method', "1747562400,!#$%&'*+-.^_`|~a1,/\n", [at(1, '/', "!#$%&'*+-.^_`|~a1")]],
  ])('%s', async (_what, list, requests) => {
    expect(await read(list, [list.length >> 1])).toEqual({ requests, error: undefined });
  });

  test('the autumn hour by the row before', async () => {
    const list = '2025-10-26T02:10:00,/a\n2025-10-26T02:50:00,/b\n2025-10-26T02:10:00,/c\n2025-10-26T02:50:00,/d\n';
    const { requests } = await read(list);
    const times = requests.map((request) => new Date(request.millisecond).toISOString().slice(11, 16));
    expect(times).toEqual(['00:10', '00:50', '01:10', '01:50']);
  });

  test('any list, in any chunks', async () => {
    const row = fc.record({ millisecond, method, target });
    const csv = fc.array(row, { maxLength: 12 }).map((rows) => ({
      rows,
      list: rows
        .map(
          (request) =>
            `${new Date(request.millisecond).toISOString()},${request.method},"${request.target.replaceAll('"', '""')}"\n`,
        )
        .join(''),
    }));
    await fc.assert(
      fc.asyncProperty(csv, fc.array(fc.nat(400), { maxLength: 12 }), async ({ rows, list }, cuts) => {
        const { requests, error } = await read(list, cuts);
        expect(error).toBeUndefined();
        expect(requests).toEqual(rows.map((request, index) => ({ ...request, line: index + 1 })));
      }),
    );
  });
});

const QUOTE =
  'a quote is not closed on its line, or its cell is not quoted as a whole; quote the whole cell, and write a quote in it as ""';
const NO_TIMESTAMP =
  'is not a timestamp; give it as 2025-05-18T12:00:00+02:00, 18-May-2025 12:00:00 +0200, 18/May/2025:12:00:00 +0200 or Unix time';
const CONTROL = 'holds a space or a control character; percent-encode it (a space is %20)';
const NO_TARGET = 'is not a request target; start it with / or http://';
const NO_HOST = 'names no host; give a host, as in http://host/mail/, or only the path';

const timeCell = (shown: string, problem: string): string => `timestamp "${shown}" (column 1) ${problem}`;
const targetCell = (shown: string, problem: string): string => `request_target "${shown}" (column 2) ${problem}`;

/** Every kind of bad row: what it is, the row, its message after `r.csv:2: `. */
const BAD_ROWS: readonly (readonly [what: string, row: string, message: string])[] = [
  ['one cell', '1747562400', 'the row has 1 cell instead of 2: column 2 is missing; give every cell, even if it is empty'],
  ['semicolons', '1747562400;/mail/', 'the row has semicolons or tabs instead of commas; separate cells with commas'],
  ['tabs', '1747562400\t/mail/', 'the row has semicolons or tabs instead of commas; separate cells with commas'],
  ['too many cells', '1747562400,/a,b', 'the row has 3 cells instead of 2: column 3 is "b"; quote a cell that holds a comma'],
  ['an unclosed quote', '1747562400,"/a', QUOTE],
  ['a quote in a cell', '1747562400,/a"b', QUOTE],
  [
    'a line of an access log',
    '192.0.2.7 - - [18/May/2025:12:00:00 +0200] "GET /mail/ HTTP/1.1" 200 12 "-" "Mozilla/5.0 (KHTML, like Gecko)"',
    'it is a line of an access log; give options.from: access-log',
  ],
  [
    'a record of the log',
    '[03-Mar-2025 08:12:04 +0100]: PHP Error: Failed to load plugin file /p/a/a.php in /p/l.php on line 193 (GET /mail/)',
    'it is a record of the log; convert the log with webmail-diaglog parse',
  ],
  ['text after a quoted cell', '1747562400,"/a"b', QUOTE],
  ['a blank before a quote', '1747562400, "/a"', QUOTE],
  ['a lone CR', '1747562400,/a\rb', 'the line contains a carriage return; end lines with LF or CRLF'],
  ['two CRs', '1747562400,/a\r\r', 'the line contains a carriage return; end lines with LF or CRLF'],
  ['a line of more than 1 MiB', `1747562400,/${'x'.repeat(1 << 20)}`, 'the line is longer than 1 MiB; shorten it'],
  ['no timestamp', ',/mail/', timeCell('', NO_TIMESTAMP)],
  ['a word as timestamp', 'noon,/mail/', timeCell('noon', NO_TIMESTAMP)],
  ['a blank in the timestamp cell', ' 1747562400,/mail/', timeCell(' 1747562400', NO_TIMESTAMP)],
  ['30 February', '2025-02-30,/mail/', timeCell('2025-02-30', 'is not a valid time; check date, time and offset')],
  [
    'the spring gap',
    '2025-03-30T02:30:00,/mail/',
    timeCell('2025-03-30T02:30:00', 'does not exist in the time zone: clocks were set forward over it; give the UTC offset too'),
  ],
  ['1969', '1969-12-31T23:59:59Z,/mail/', timeCell('1969-12-31T23:59:59Z', 'is before 1970-01-01T00:00:00Z; give a later time')],
  [
    'the year 10000',
    '253402300800,/mail/',
    timeCell(
      '253402300800',
      'is after the year 9999; give an earlier time (Unix time in seconds, or with 13 digits in milliseconds)',
    ),
  ],
  ['no target', '1747562400,', targetCell('', 'is empty; give a path such as /mail/')],
  ['a target without a slash', '1747562400,mail/', targetCell('mail/', NO_TARGET)],
  ['another scheme', '1747562400,ftp://h/', targetCell('ftp://h/', NO_TARGET)],
  ['no host', '1747562400,http:///mail/', targetCell('http:///mail/', NO_HOST)],
  ['no host and no path', '1747562400,HTTPS://', targetCell('HTTPS://', NO_HOST)],
  ['no host before a query', '1747562400,http://?a', targetCell('http://?a', NO_HOST)],
  ...['{"timestamp": "2025-05-18", "request_target": "/mail/"}', '["2025-05-18","/mail/"]', ' {', '{}', '[{"target":"/"},'].map(
    (line) =>
      [
        `JSON: ${line}`,
        line,
        "it is a line of JSON; convert it to CSV, such as with jq -r '[.timestamp, .http_method, .request_target] | @csv'",
      ] as const,
  ),
  ['a space', '1747562400,/a b', targetCell('/a b', CONTROL)],
  ['a space at the end', '1747562400,/a ', targetCell('/a ', 'has leading or trailing whitespace; remove the whitespace')],
  ['a TAB before it', '1747562400,\t/a', targetCell('\\t/a', 'has leading or trailing whitespace; remove the whitespace')],
  [
    'blanks that would take quadratic time',
    `1747562400,/a${' '.repeat(1_000_000)}b`,
    targetCell(`/a${' '.repeat(58)}…`, CONTROL),
  ],
  ['a TAB', '1747562400,/a\tb', targetCell('/a\\tb', CONTROL)],
  ['a NUL', '1747562400,/a\0b', targetCell('/a\\x00b', CONTROL)],
  ['DEL', '1747562400,/\x7f', targetCell('/\\x7f', CONTROL)],
  ['a terminal escape', '1747562400,/\x1b[2J', targetCell('/\\x1b[2J', CONTROL)],
  ['bytes of no encoding', '1747562400,\xff\x9b', targetCell('\\xff\\x9b', NO_TARGET)],
  ['letters that hide', `1747562400,${encodeText('ż\u202e\u2028')}`, targetCell('ż\\u{202e}\\u{2028}', NO_TARGET)],
  ['much of it', `1747562400,${'é'.repeat(70)}`, targetCell(`${'\\xe9'.repeat(60)}…`, NO_TARGET)],
];

describe('readRequestList refuses', () => {
  /** A quote sends its whole block of lines to fast-csv, that of a comment too: both lanes give the same. */
  const LANES = ['', '# "no row"\n'];

  test.each(BAD_ROWS)('%s, and goes on where bad rows are skipped', async (_what, row, message) => {
    const good = '1747562400,/mail/\n';
    for (const lane of LANES) {
      for (const end of ['\n', '\r\n']) {
        const { requests, error } = await read(`${good}${row}${end}${good}${lane}`);
        expect(requests).toEqual([at(1, '/mail/')]);
        expect(error).toBeInstanceOf(BadRowError);
        expect(error).toHaveProperty('message', `r.csv:2: ${message}`);
      }
      const messages: string[] = [];
      const list = `${good}${row}\n${good}${row}\n${lane}`;
      const { requests, error } = await read(list, [30], (bad) => messages.push(bad.message));
      expect(error).toBeUndefined();
      expect(requests).toEqual([at(1, '/mail/'), at(3, '/mail/')]);
      expect(messages).toEqual([`r.csv:2: ${message}`, `r.csv:4: ${message}`]);
    }
  });

  test('the same in both lanes, whatever plain cells hold', async () => {
    const words = '1747562400|2025-05-18T12:00:00|2025-10-26T02:30:00|/mail/|/x|GET|| |\t|timestamp|target'.split('|');
    const cell = fc.oneof(
      fc.constantFrom(...words),
      fc.array(fc.constantFrom('/', 'a', ' ', '\xa0', '\x0b', '\0', '\xff'), { maxLength: 4 }).map((parts) => parts.join('')),
    );
    const row = fc.oneof(
      fc.constantFrom('1747562400,/mail/', '1747562400,POST,/x', '2025-10-26T02:30:00,/a'),
      fc.array(cell, { maxLength: 4 }).map((cells) => cells.join(',')),
    );
    const names = '|timestamp,target\n|x,Target,METHOD,timestamp\n|timestamp,x\n|\xef\xbb\xbftimestamp,request_target\n';
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names.split('|')),
        fc.array(row, { maxLength: 12 }),
        fc.boolean(),
        async (first, rows, stops) => {
          const lanes = LANES.map(async (lane) => {
            const messages: string[] = [];
            const list = `${first}${rows.join('\n')}\n${lane}`;
            const { requests, error } = await read(list, [], stops ? undefined : (bad) => messages.push(bad.message));
            return { requests, messages, error: String(error) };
          });
          const [plain, quoted] = await Promise.all(lanes);
          expect(plain).toEqual(quoted);
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([
    [
      'a method that is no token',
      'timestamp,method,target\n1747562400,GE T,/\n',
      'r.csv:2: http_method "GE T" (column 2) is not an HTTP method; give a method such as POST, or none for GET',
    ],
    [
      'a method of blanks',
      'method,timestamp,target\n \t,1747562400,/\n',
      'r.csv:2: http_method " \\t" (column 1) is not an HTTP method; give a method such as POST, or none for GET',
    ],
    [
      'a headless row of four cells',
      '1747562400,GET,/,x\n',
      'r.csv:1: the row has 4 cells instead of 2 or 3; give timestamp,request_target or timestamp,http_method,request_target, or name the columns in a header',
    ],
    [
      'a row shorter than the header',
      'timestamp,target,x\n1747562400,/\n',
      'r.csv:2: the row has 2 cells instead of 3: column 3 is missing; give every cell, even if it is empty',
    ],
    [
      'a header of other names',
      'time,target\n',
      'r.csv:1: timestamp "time" (column 1) is not a timestamp, and the row is not a header that names timestamp, request_target and http_method; give it as 2025-05-18T12:00:00+02:00, 18-May-2025 12:00:00 +0200, 18/May/2025:12:00:00 +0200 or Unix time',
    ],
    ['a CR at the very end', '1747562400,/mail/\r', 'r.csv:1: the line contains a carriage return; end lines with LF or CRLF'],
    ['a line break in quotes', '1747562400,"/a\nb"\n', `r.csv:1: ${QUOTE}`],
    ['a header that comes late', '1747562400,/\ntimestamp,target\n', `r.csv:2: ${timeCell('timestamp', NO_TIMESTAMP)}`],
  ])('%s', async (_what, list, message) => {
    const { error } = await read(list);
    expect(error).toBeInstanceOf(BadRowError);
    expect(error).toHaveProperty('message', message);
  });

  test.each([
    [
      'no target',
      'timestamp,method\n',
      'r.csv:1: the header has no column request_target: it names "timestamp,method"; name the columns timestamp and request_target, and http_method if there is one',
    ],
    [
      'two timestamps',
      '\ntimestamp,target,Timestamp\n',
      'r.csv:2: the header names timestamp twice (columns 1 and 3); keep one of them',
    ],
    [
      'two names of the target',
      'timestamp,target,request_target\n',
      'r.csv:1: the header names request_target or target twice (columns 2 and 3); keep one of them',
    ],
    [
      'two methods',
      'http_method,timestamp,target,http_method\n',
      'r.csv:1: the header names http_method or method twice (columns 1 and 4); keep one of them',
    ],
  ])('a header with %s, even where bad rows are skipped', async (_what, list, message) => {
    const { error } = await read(`${list}1747562400,/mail/\n`, [], () => undefined);
    expect(error).toBeInstanceOf(DataError);
    expect(error).not.toBeInstanceOf(BadRowError);
    expect(error).toHaveProperty('message', message);
  });

  test('a list that was given no name', async () => {
    const reading = collect(readRequestList(chunksOf('x,/\n'), { timezone: 'Europe/Warsaw' }));
    await expect(reading).rejects.toThrow('<list>:1: timestamp "x"');
  });

  test('lines of a megabyte in linear time, and a line of more than 1 MiB', async () => {
    const path = '/'.padEnd((1 << 20) - '1747562400,'.length, 'x');
    const long = [`1747562400,${path}`, `1747562400,${path}x`, '"",'.repeat(300_000), '"'.repeat(1_000_001)];
    const messages: string[] = [];
    const { requests } = await read(`${long.join('\n')}\n`, [2, 70_000], ({ problem }) => messages.push(problem));
    expect(requests).toEqual([at(1, path)]);
    expect(messages.map((message) => message.slice(0, 35))).toEqual([
      'the line is longer than 1 MiB',
      'the row has 300001 cells instead of',
      'a quote is not closed on its line, ',
    ]);
  });

  test('whatever stands between two rows, and reads the second afresh', async () => {
    const junk = fc.array(fc.oneof(text.map(encodeText), fc.constantFrom('"', ',', '\n', '\r', '#', '1747562400,/')), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(junk, async (parts) => {
        const row = '1747562400,/mail/\n';
        const between = parts.join('');
        const { requests, error } = await read(`${row}${between}\n${row}`, [7], () => undefined);
        expect(error).toBeUndefined();
        expect([requests.at(0), requests.at(-1)]).toEqual([at(1, '/mail/'), at(2 + between.split('\n').length, '/mail/')]);
        for (const request of requests) expect(`${request.method}${request.target}`).toMatch(/^[\x21-\x7e\x80-\xff]+$/);
      }),
    );
  });
});
