import { describe, expect, test } from '@jest/globals';
import { startDrawing } from '../../src/requests/draws.js';
import { compare, countsOf } from '../support/compared.js';

function recordsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `record ${String(index)}\n`);
}

describe('what is exact', () => {
  test('records that come 200,000 lines late are delivered, and the fewest of them have moved', async () => {
    const records = recordsOf(300_000);
    const moved = [...records.slice(100_000), ...records.slice(0, 100_000)].join('');
    expect(countsOf(await compare(records.join(''), moved))).toEqual({ reordered: 100_000 });
  });

  test.each([4, 6])('of 900 records of two kinds, lost ones are missing, and none has moved (seed %i)', async (seed) => {
    const draw = startDrawing([1, 2], seed, 0);
    const records = Array.from({ length: 900 }, (_, index) => `record ${String(index % 2)}\n`);
    const came = records.filter(() => draw() >= 0.4);
    expect(countsOf(await compare(records.join(''), came.join('')))).toEqual({ missing: 900 - came.length });
  });

  test('a record that comes again 200,000 lines later is duplicated', async () => {
    const records = recordsOf(200_000);
    expect(countsOf(await compare(records.join(''), [...records, ...records.slice(0, 3)].join('')))).toEqual({ duplicated: 3 });
  });
});
