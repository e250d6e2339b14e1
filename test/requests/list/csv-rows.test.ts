import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findRowFault, parseRows } from '../../../src/requests/list/csv-rows.js';

/** RFC 4180, the other way round: cells to a line. */
function writeRow(cells: readonly string[]): string {
  return cells.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');
}

const cell = fc.oneof(
  fc
    .array(fc.constantFrom('a', ' ', '\t', '\xa0', '\x0b', '"', '""', ',', '\xff', '#', '\xef\xbb\xbf'), { maxLength: 6 })
    .map((parts) => parts.join('')),
  fc.constantFrom('', ' ', '/mail/'),
);

describe('parseRows', () => {
  test('gives back the cells of any row as they stand', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 20 }), async (rows) => {
        const lines = rows.map(writeRow);
        expect(lines.map(findRowFault)).toEqual(lines.map(() => undefined));
        expect(await parseRows(lines)).toEqual(rows);
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    ['a', ['a']],
    ['   ', ['   ']],
    [',', ['', '']],
    [' ,b', [' ', 'b']],
    ['"a"', ['a']],
    ['"",""', ['', '']],
    ['"a,b","c""d"', ['a,b', 'c"d']],
  ])('%j has the cells %j', async (line, cells) => {
    expect(findRowFault(line)).toBeUndefined();
    expect(await parseRows([line])).toEqual([cells]);
  });

  test('a line without faults never throws and gives one row, whatever it holds', async () => {
    const line = fc
      .array(fc.constantFrom('a', ' ', '"', '""', ',', '\t'), { minLength: 1, maxLength: 12 })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(line, async (text) => {
        fc.pre(findRowFault(text) === undefined);
        expect(await parseRows([text, 'next'])).toHaveLength(2);
      }),
      { numRuns: 150 },
    );
  });
});

describe('findRowFault', () => {
  test.each([
    ['"a', 'a quote is not closed'],
    ['a,"b""', 'a quote is not closed'],
    ['"', 'a quote is not closed'],
    ['"""', 'a quote is not closed'],
    ['a"b', 'a quote stands in a cell that is not quoted as a whole'],
    ['a"b"', 'a quote stands in a cell that is not quoted as a whole'],
    ['"a"b', 'a quote stands in a cell that is not quoted as a whole'],
    ['"a" ,b', 'a quote stands in a cell that is not quoted as a whole'],
    ['a, "b"', 'a quote stands in a cell that is not quoted as a whole'],
    ['a\rb', 'a carriage return stands in the line'],
    ['a\r', 'a carriage return stands in the line'],
  ])('%j: %s', (line, problem) => {
    expect(findRowFault(line)?.problem).toBe(problem);
  });

  test('takes linear time on a line of a megabyte', () => {
    expect(findRowFault('"",'.repeat(300_000))).toBeUndefined();
    expect(findRowFault('"'.repeat(1_000_001))?.problem).toBe('a quote is not closed');
  });
});
