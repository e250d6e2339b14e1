import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readRequestList } from '../../../src/requests/list/read-list.js';
import { findRowFault, parseRows } from '../../../src/requests/list/csv-rows.js';
import { endOf, sliceCells, splitPlainRows, startOf } from '../../../src/requests/list/plain-rows.js';
import { chunksOf } from '../../support/bytes.js';
import { BAD_ROWS } from '../../support/bad-rows.js';

/** What a list gives, errors included, one after the other. */
async function read(list: string, stop: boolean): Promise<unknown[]> {
  const events: unknown[] = [];
  const onBadRow = (error: Error): void => void events.push(error.message);
  try {
    const options = { timezone: 'Europe/Warsaw', ...(!stop && { onBadRow }) };
    for await (const batch of readRequestList(chunksOf(list), options)) events.push(...batch);
  } catch (error) {
    events.push(error instanceof Error ? error.message : error);
  }
  return events;
}

/** A comment is not plain: it sends the whole block to fast-csv. */
const NOT_PLAIN = '# no row\n';

/** Both lanes on the same list give the same requests and the same errors, at the same lines. */
async function expectSame(list: string): Promise<void> {
  for (const stop of [true, false]) {
    expect(await read(`${list}\n`, stop)).toEqual(await read(`${list}\n${NOT_PLAIN}`, stop));
  }
}

describe('the plain lane gives what fast-csv gives', () => {
  test.each(BAD_ROWS)('for %s', async (_what, row) => {
    await expectSame(`1747562400,/mail/\n${row}\n1747562400,/x`);
    await expectSame(`timestamp,http_method,target\n1747562400,,/mail/\n${row}\n1747562400,GET,/x`);
  });

  test.each([...BAD_ROWS, ['a method that is none', '1747562400,G T,/a', '']])(
    'for %s behind a timestamp in ISO 8601',
    async (_what, row) => {
      const time = '2025-05-18T12:00:00.250+02:00';
      const bad = row.replace('1747562400', time);
      await expectSame(`${time},/mail/\n${bad}\n${time},/x`);
      await expectSame(`timestamp,http_method,target\n${time},,/mail/\n${bad}\n${time},GET,/x\n${time},POST,/x`);
      await expectSame(`target,method,timestamp\n/mail/,HEAD,${time}\n/b,,${time}`);
    },
  );

  test('for any list of plain cells', async () => {
    const cell = fc.oneof(
      fc.constantFrom(
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
      ),
      fc.array(fc.constantFrom('/', 'a', ' ', '\xa0', '\x0b', '\0', '\xff'), { maxLength: 4 }).map((parts) => parts.join('')),
    );
    const row = fc.oneof(
      fc.constantFrom('1747562400,/mail/', '1747562400,POST,/x', '2025-10-26T02:30:00,/a'),
      fc.array(cell, { maxLength: 4 }).map((cells) => cells.join(',')),
    );
    const header = fc.constantFrom(
      '',
      'timestamp,target\n',
      'x,Target,METHOD,timestamp\n',
      'timestamp,x\n',
      '\xef\xbb\xbftimestamp,request_target\n',
    );
    await fc.assert(
      fc.asyncProperty(header, fc.array(row, { maxLength: 12 }), async (first, rows) => {
        await expectSame(first + rows.join('\n'));
      }),
      { numRuns: 120 },
    );
  });
});

describe('splitPlainRows', () => {
  function split(text: string): { rows: string[][]; rest: string } {
    const rows: string[][] = [];
    const restAt = splitPlainRows(text, (bounds) => rows.push(sliceCells(text, bounds)) > 0);
    return { rows, rest: text.slice(restAt) };
  }

  test.each([
    [
      'a,b\nc,\n,d',
      [
        ['a', 'b'],
        ['c', ''],
        ['', 'd'],
      ],
      '',
    ],
    ['a,b,c\nd,e\nf,g,h\n', [['a', 'b', 'c']], 'd,e\nf,g,h\n'],
    ['a,b\n\nc,d\n', [['a', 'b']], '\nc,d\n'],
    ['a\n', [], 'a\n'],
    ['', [], ''],
    ['a,"b"\n', [], 'a,"b"\n'],
    ['a,b\r\n', [], 'a,b\r\n'],
    ['#a,b\n', [], '#a,b\n'],
  ])('%j', (text, rows, rest) => {
    expect(split(text)).toEqual({ rows, rest });
  });

  test('tells where cells start and end', () => {
    const places: number[][] = [];
    splitPlainRows(
      'a,bc\n,d\n',
      (bounds) => places.push([0, 1].flatMap((column) => [startOf(bounds, column), endOf(bounds, column)])) > 0,
    );
    expect(places).toEqual([
      [0, 1, 2, 4],
      [5, 5, 6, 7],
    ]);
  });

  test('stops where it is told to', () => {
    const taken: string[] = [];
    const text = 'a,b\nc,d\ne,f\n';
    const restAt = splitPlainRows(text, (bounds) => taken.push(...sliceCells(text, bounds).slice(0, 1)) < 2);
    expect({ taken, restAt }).toEqual({ taken: ['a', 'c'], restAt: 8 });
  });

  test('gives the cells that fast-csv gives', async () => {
    const unit = fc.constantFrom('a', ',', ',', ' ', '\n', '\t', '\xa0', '\x85', '\xff');
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { maxLength: 40 }), async (parts) => {
        const text = parts.join('');
        const { rows, rest } = split(text);
        const lines = text
          .slice(0, text.length - rest.length)
          .replace(/\n$/, '')
          .split('\n')
          .slice(0, rows.length);
        expect(lines.map(findRowFault)).toEqual(lines.map(() => undefined));
        expect(await parseRows(lines)).toEqual(rows);
      }),
    );
  });
});
