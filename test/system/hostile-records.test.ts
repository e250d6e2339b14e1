import { describe, expect, test } from '@jest/globals';
import { isLossyCopy } from '../../src/compare/equality.js';
import type { ComparedSource, CompareOptions } from '../../src/compare/options.js';
import { briefly, compare, compareSources, countsOf } from '../support/compared.js';

test.each(['?', '\xef\xbf\xbd'])(
  '--lossy tells a copy of a record that could stand for another in very many ways: %j',
  (sign) => {
    const text = `\xff\xff${sign}`.repeat(20_000);
    expect(isLossyCopy(text, sign.repeat(50_000))).toBe(true);
    expect(isLossyCopy(text, sign.repeat(39_999))).toBe(false);
  },
);

/** A line of 20 MB, in chunks, with lines before and behind it. Nothing of it is held whole. */
function sourceWithLong(source: string, letter: string): ComparedSource {
  const chunk = Buffer.alloc(1 << 20, letter);
  return { source, chunks: [Buffer.from('before\n'), ...Array<Buffer>(20).fill(chunk), Buffer.from('\nbehind\n')] };
}

describe('a line over 16 MiB', () => {
  test.each(['x', 'y'])('equals no other, not even one with the same bytes: x and %s', async (letter) => {
    const compared = await compareSources(sourceWithLong('sent.log', 'x'), [sourceWithLong('came.log', letter)]);
    expect(briefly(compared)).toEqual(['sent.log:2 missing', 'came.log:2 foreign: longer than 16 MiB']);
    expect(compared.summary).toMatchObject({ recordsSent: 3, recordsDelivered: 2 });
  });
});

test('a line that is longer than any record is not a copy of another: to tell it would take gigabytes', async () => {
  const sent = '\xffa'.repeat(1_000_000);
  const compared = await compare(`${sent}\n`, `${sent.replaceAll('\xff', '?')}\n`, { lossy: true });
  expect(countsOf(compared)).toEqual({ missing: 1, foreign: 1 });
});

function drawnLines(count: number, values: number, seed: number): string {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return `value ${String((state >>> 16) % values)}\n`;
  }).join('');
}

const FIELD: CompareOptions = { field: 'm' };

describe('what repeats takes time in proportion to its length', () => {
  test.each<[what: string, sent: string, came: string, options: CompareOptions]>([
    ['lines of three values', drawnLines(60_000, 3, 1), drawnLines(60_000, 3, 2), {}],
    ['lines of three values, none of which is equal', drawnLines(60_000, 3, 1), drawnLines(60_000, 3, 2).toUpperCase(), {}],
    ['one value, and then another', 'a\n'.repeat(100_000), 'b\n'.repeat(100_000), {}],
    ['two values in turns and in blocks', 'a\nb\n'.repeat(100_000), 'b\n'.repeat(100_000) + 'a\n'.repeat(100_000), {}],
    ['copies of one record that was replaced', 'a\xff\n'.repeat(3000), 'a??\n'.repeat(3000), { lossy: true }],
  ])('%s', async (_what, sent, came, options) => {
    const { summary } = await compare(sent, came, { ...options, max: 0 });
    const cameLines = came.split('\n');
    const common = Array.from(new Set(sent.split('\n').slice(0, -1)), (line) => {
      const isLine = (other: string): boolean => other === line;
      return Math.min(sent.split('\n').filter(isLine).length, cameLines.filter(isLine).length);
    });
    const { missing = 0, altered = 0, duplicated = 0, foreign = 0 } = countsOf({ summary });
    const delivered = common.reduce((sum, times) => sum + times, 0);
    expect(summary.recordsDelivered + altered).toBeGreaterThanOrEqual(delivered);
    expect(summary.recordsDelivered + altered + missing).toBe(sent.split('\n').length - 1);
    expect(summary.recordsDelivered + altered + duplicated + foreign).toBe(cameLines.length - 1);
  });
});

test('of 3,000,000 objects on one line 1,000 are read, and the line is kept once', async () => {
  const compared = await compare('a\nb\n', `{"m":"a"}\n${'{}'.repeat(3_000_000)}\n{"m":"b"}\n`, FIELD);
  expect(briefly(compared)).toEqual([
    'came.log:2 foreign: more than 1000 objects on one line',
    'came.log:2 foreign: no field "m"',
  ]);
  expect(compared.findings.map(({ records }) => records)).toEqual([1, 1000]);
  expect(compared.summary).toMatchObject({ recordsSent: 2, recordsDelivered: 2 });
});

test('the records that are lost at one rotation are one stretch', async () => {
  const lines = Array.from({ length: 96_000 }, (_, index) => `record ${String(index)} of many\n`);
  const compared = await compare(lines.join(''), [...lines.slice(0, 8168), ...lines.slice(96_000 - 8000)].join(''));
  expect(briefly(compared)).toEqual(['sent.log:8169-88000 missing']);
  expect(compared.findings[0]?.records).toBe(88_000 - 8168);
});
