import { describe, expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { refuseBeforeLogEnd } from '../../src/requests/order.js';
import { outcomeOf } from '../support/batches.js';

const END = { second: 1_747_562_400, file: 'error\x1b.log' };
const OPTIONS = { source: 'r.csv', deployment: createDeployment() };

function at(millisecond: number, line?: number): { millisecond: number; method: string; target: string; line?: number } {
  return { millisecond, method: 'GET', target: '/', ...(line !== undefined && { line }) };
}

describe('refuseBeforeLogEnd', () => {
  test('6.4 a first request in the second of the last record, or later, is passed on with all that follow', async () => {
    const batches = [[], [at(1_747_562_400_000)], [at(1)]];
    expect(await outcomeOf(refuseBeforeLogEnd(batches, END, OPTIONS))).toEqual({ items: batches.flat(), error: undefined });
  });

  test.each([
    [at(1_747_562_399_999, 2), 'r.csv:2: '],
    [at(1_747_562_399_999), 'r.csv: '],
  ])('a first request before it is refused: %j', async (request, place) => {
    const { items, error } = await outcomeOf(refuseBeforeLogEnd([[], [request]], END, OPTIONS));
    expect(items).toEqual([]);
    expect(error).toHaveProperty(
      'message',
      `${place}18-May-2025 11:59:59 +0200 is before 18-May-2025 12:00:00 +0200 of the last load failure in error\\x1b.log; name another file, or give --order keep`,
    );
  });
});
