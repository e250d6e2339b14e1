import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BadRowError, DataError } from '../../../src/errors.js';
import { encodeText } from '../../../src/log/byte-string.js';
import type { LogRequest } from '../../../src/log/group.js';
import { readRequestList } from '../../../src/requests/list/read-list.js';
import { BAD_ROWS } from '../../support/bad-rows.js';
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
    expect(requests.map((request) => new Date(request.millisecond).toISOString().slice(11, 16))).toEqual([
      '00:10',
      '00:50',
      '01:10',
      '01:50',
    ]);
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
    const words = [
      '1747562400',
      '2025-05-18T12:00:00',
      '2025-10-26T02:30:00',
      '/mail/',
      '/x',
      'GET',
      '',
      ' ',
      '\t',
      'timestamp',
      'target',
    ];
    const cell = fc.oneof(
      fc.constantFrom(...words),
      fc.array(fc.constantFrom('/', 'a', ' ', '\xa0', '\x0b', '\0', '\xff'), { maxLength: 4 }).map((parts) => parts.join('')),
    );
    const row = fc.oneof(
      fc.constantFrom('1747562400,/mail/', '1747562400,POST,/x', '2025-10-26T02:30:00,/a'),
      fc.array(cell, { maxLength: 4 }).map((cells) => cells.join(',')),
    );
    const headers = [
      '',
      'timestamp,target\n',
      'x,Target,METHOD,timestamp\n',
      'timestamp,x\n',
      '\xef\xbb\xbftimestamp,request_target\n',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...headers),
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
    [
      'a line break in quotes',
      '1747562400,"/a\nb"\n',
      'r.csv:1: a quote is not closed on its line, or its cell is not quoted as a whole; quote the whole cell, and write a quote in it as ""',
    ],
    [
      'a header that comes late',
      '1747562400,/\ntimestamp,target\n',
      'r.csv:2: timestamp "timestamp" (column 1) is not a timestamp; give it as 2025-05-18T12:00:00+02:00, 18-May-2025 12:00:00 +0200, 18/May/2025:12:00:00 +0200 or Unix time',
    ],
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
