import { describe, expect, test } from '@jest/globals';
import { DataError } from '../../src/errors.js';
import { createDeployment } from '../../src/log/deployment.js';
import { orderRequests } from '../../src/requests/order.js';
import type { Order } from '../../src/requests/orders.js';
import type { ListedRequest } from '../../src/requests/request.js';

const deployment = createDeployment();

/** Requests whose line is their place in the list. */
function list(...milliseconds: number[]): ListedRequest[] {
  return milliseconds.map((millisecond, index) => ({ millisecond, method: 'GET', target: '/', line: index + 1 }));
}

async function order(how: Order, batches: readonly (readonly ListedRequest[])[]): Promise<{ lines: number[]; error: unknown }> {
  async function* source(): AsyncGenerator<readonly ListedRequest[]> {
    await Promise.resolve();
    yield* batches;
  }
  const lines: number[] = [];
  try {
    for await (const batch of orderRequests(source(), { order: how, source: 'r.csv', deployment })) {
      lines.push(...batch.map(({ line }) => line));
    }
    return { lines, error: undefined };
  } catch (error) {
    return { lines, error };
  }
}

describe('orderRequests', () => {
  test('strict passes on what is in order of seconds (6.4), milliseconds aside', async () => {
    expect(await order('strict', [list(1000, 1900, 1100, 2000)])).toEqual({ lines: [1, 2, 3, 4], error: undefined });
  });

  test('strict stops at a step back, after what was before it', async () => {
    const [first, second, third, fourth] = list(1_747_562_400_000, 1_747_562_401_000, 1_747_562_400_999, 1_747_562_402_000);
    if (!first || !second || !third || !fourth) throw new Error();
    for (const batches of [
      [[first, second, third, fourth]],
      [
        [first, second],
        [third, fourth],
      ],
      [[first], [second], [third]],
    ]) {
      const { lines, error } = await order('strict', batches);
      expect(lines).toEqual([1, 2]);
      expect(error).toBeInstanceOf(DataError);
      expect(error).toHaveProperty(
        'message',
        'r.csv:3: 18-May-2025 12:00:00 +0200 is before 18-May-2025 12:00:01 +0200 of line 2;' +
          ' put the list in order of time, or give --order sort or --order keep',
      );
    }
  });

  test('sort orders by milliseconds, and leaves equal ones as they stand', async () => {
    expect(await order('sort', [list(5, 3, 4, 3), [], list(0).map((request) => ({ ...request, line: 9 }))])).toEqual({
      lines: [9, 2, 4, 3, 1],
      error: undefined,
    });
  });

  test('sort hands on more requests than fit into a batch', async () => {
    const many = list(...Array.from({ length: 5000 }, (_, index) => 5000 - index));
    expect((await order('sort', [many])).lines).toEqual(Array.from({ length: 5000 }, (_, index) => 5000 - index));
  });

  test('keep leaves a step back', async () => {
    expect((await order('keep', [list(5000, 3000)])).lines).toEqual([1, 2]);
  });
});
