import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseLines, readRows } from '../../../src/requests/list/csv-rows.js';
import { chunksOf, collect } from '../../support/bytes.js';

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

/** The cells of lines, or the problem of a row that has no cells. */
async function cellsOf(text: string): Promise<readonly unknown[]> {
  return (await parseLines(text, 1)).map((row) => (row.refusal === undefined ? row.cells : row.refusal.problem));
}

/** Cells that make a line blank or a comment. */
const isSkipped = ([first = '', second]: readonly string[]): boolean =>
  /^"?#/.test(first) || (second === undefined && /^[ \t]*$/.test(first));

const QUOTE = 'a quote is not closed on its line, or its cell is not quoted as a whole';

describe('parseLines', () => {
  test('gives back the cells of any row unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 20 }), async (rows) => {
        const kept = rows.filter((cells) => !isSkipped(cells));
        expect(await cellsOf(kept.map((cells) => `${writeRow(cells)}\n`).join(''))).toEqual(kept);
      }),
      { numRuns: 75 },
    );
  });

  test.each([
    ['a', ['a']],
    [',', ['', '']],
    [' ,b', [' ', 'b']],
    ['"a"', ['a']],
    ['"",""', ['', '']],
    ['"a,b","c""d"', ['a,b', 'c"d']],
    ['a,b\r\n', ['a', 'b']],
    ['x\n', ['x']],
  ])('%j has the cells %j', async (line, cells) => {
    expect(await cellsOf(line)).toEqual([cells]);
  });

  test.each(['', '\n', ' \t\n', '\r\n', '#\n', '# "a\n', '#,"\r\n'])('%j has no row', async (lines) => {
    expect(await cellsOf(lines)).toEqual([]);
  });

  test('numbers rows by their lines', async () => {
    for (const quote of ['', '"q"\r\n']) {
      const rows = await parseLines(`a,b\n\n# c\nd\n${quote}`, 7);
      expect(rows.slice(0, 2).map(({ line }) => line)).toEqual([7, 10]);
    }
  });

  test.each([
    ['a,"b""', QUOTE],
    ['"', QUOTE],
    ['"""', QUOTE],
    ['a"b"', QUOTE],
    ['a\r', 'the line contains a carriage return'],
  ])('%j: %s', async (line, problem) => {
    expect(await cellsOf(line)).toEqual([problem]);
  });

  test('takes linear time on lines of a megabyte, and on lines without commas', async () => {
    expect(await cellsOf('"",'.repeat(300_000))).toHaveLength(1);
    expect(await cellsOf('"'.repeat(1_000_001))).toEqual([QUOTE]);
    expect(await cellsOf(`${'x\n'.repeat(500_000)},`)).toHaveLength(500_001);
  });

  test('a line of 1 MiB is a row, one of a byte more is not, and the lines behind it keep their numbers', async () => {
    const longest = 'x'.repeat(1 << 20);
    const rows = (await collect(readRows(chunksOf(`a\n${longest}\nx${longest}\nb\n`, [2, 70_000])))).flat();
    expect(rows.map(({ line, refusal }) => [line, refusal?.problem])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, 'the line is longer than 1 MiB'],
      [4, undefined],
    ]);
  });
});
