import { describe, expect, test } from '@jest/globals';
import { DataError } from '../../src/errors.js';
import type { LogRequest } from '../../src/log/group.js';
import { createDeployment } from '../../src/log/deployment.js';
import { orderRequests, refuseSteps, type Order } from '../../src/requests/order.js';
import type { ListedRequest } from '../../src/requests/request.js';
import { collect, iterate, outcomeOf } from '../support/bytes.js';

const deployment = createDeployment();

/** Requests whose line is their place in the list. */
function list(...milliseconds: number[]): ListedRequest[] {
  return milliseconds.map((millisecond, index) => ({ millisecond, method: 'GET', target: '/', line: index + 1 }));
}

async function order(how: Order, batches: readonly (readonly ListedRequest[])[]): Promise<{ lines: number[]; error: unknown }> {
  const { items, error } = await outcomeOf(orderRequests(iterate(batches), { order: how, source: 'r.csv', deployment }));
  return { lines: items.map(({ line }) => line), error };
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

describe('orderRequests', () => {
  test('strict passes on what is in order of seconds (6.4), milliseconds aside', async () => {
    expect(await order('strict', [list(1000, 1900, 1100, 2000)])).toEqual({ lines: [1, 2, 3, 4], error: undefined });
  });

  test('strict stops at a step back, after what was before it', async () => {
    const requests = list(1_747_562_400_000, 1_747_562_401_000, 1_747_562_400_999, 1_747_562_402_000);
    for (const size of [4, 2, 1]) {
      const batches = [0, size, 2 * size, 3 * size].map((from) => requests.slice(from, from + size));
      const { lines, error } = await order('strict', batches);
      expect(lines).toEqual([1, 2]);
      expect(error).toBeInstanceOf(DataError);
      expect(error).toHaveProperty(
        'message',
        'r.csv:3: 18-May-2025 12:00:00 +0200 is before 18-May-2025 12:00:01 +0200 of line 2;' +
          ' sort the list by time, or give options.order: sort or options.order: keep',
      );
    }
  });

  test('sort orders by milliseconds, and keeps the order of equal ones', async () => {
    expect(await order('sort', [list(5, 3, 4, 3), [], list(0).map((request) => ({ ...request, line: 9 }))])).toEqual({
      lines: [9, 2, 4, 3, 1],
      error: undefined,
    });
  });

  test('keep leaves a step back', async () => {
    expect((await order('keep', [list(5000, 3000)])).lines).toEqual([1, 2]);
  });

  test.each<[requests: number, batches: number[]]>([
    [2048, [1024, 1024]],
    [2049, [1024, 1024, 1]],
    [0, []],
  ])('sort gives %i requests in batches of %j', async (count, sizes) => {
    const batches = await collect(
      orderRequests([list(...new Array<number>(count).fill(0))], { order: 'sort', source: '', deployment }),
    );
    expect(batches.map((batch) => batch.length)).toEqual(sizes);
  });

  test('sort keeps more texts than are kept to be given again', async () => {
    const targets = Array.from({ length: 9000 }, (_, index) => `/${String(index % 4500)}`);
    const requests = targets.map((target, millisecond) => ({ millisecond, method: 'GET', target }));
    const sorted = (await collect(orderRequests([requests], { order: 'sort', source: '', deployment }))).flat();
    expect(sorted.map(({ target }) => target)).toEqual(targets);
  });

  test('strict gives no empty batch before an error, and names a request of no list as such', async () => {
    const request = (millisecond: number): LogRequest => ({ millisecond, method: 'GET', target: '/' });
    const ordered = orderRequests([[request(2000)], [request(1000), request(3000)]], {
      order: 'strict',
      source: 'made',
      deployment,
    });
    expect((await ordered.next()).value).toEqual([request(2000)]);
    await expect(ordered.next()).rejects.toThrow(
      'made: 01-Jan-1970 01:00:01 +0100 is before 01-Jan-1970 01:00:02 +0100 of the request before it',
    );
  });

  test.each<[what: string, batches: unknown, options: object, message: string]>([
    ['an unknown order', [], { order: 'desc' }, 'options.order is "desc"; give one of strict, sort, keep'],
    ['no order', [], { order: undefined }, 'options.order is not a string; give one of strict, sort, keep'],
    ['an unknown option', [], { by: 'time' }, 'options.by is not an option; the options are order, source, deployment'],
    ['a flat list', [{ millisecond: 1 }], {}, 'a batch is not an array; give batches of requests: [[…]]'],
  ])('refuses %s', async (_what, batches, options, message) => {
    const given: unknown = Reflect.apply(orderRequests, undefined, [
      batches,
      { order: 'strict', source: '', deployment, ...options },
    ]);
    if (!isAsyncIterable(given)) throw new Error('it is a generator');
    await expect(collect(given)).rejects.toThrow(new TypeError(message));
  });
});

describe('refuseSteps behind the end of a log', () => {
  const pass = (...batches: (readonly ListedRequest[])[]) =>
    outcomeOf(refuseSteps(batches, { source: 'r.csv', deployment }, { second: 1_747_562_400, file: 'error\x1b.log' }));

  test('6.4 a first request in the second of the last record, or later, is passed on with all that follow', async () => {
    const batches = [[], list(1_747_562_400_000), list(1_747_562_401_000)];
    expect(await pass(...batches)).toEqual({ items: batches.flat(), error: undefined });
  });

  test('a first request before it is refused', async () => {
    const message =
      'r.csv:1: 18-May-2025 11:59:59 +0200 is before 18-May-2025 12:00:00 +0200 of the last load failure in error\\x1b.log; name another file, or give options.order: keep';
    expect(await pass([], list(1_747_562_399_999))).toMatchObject({ items: [], error: { message } });
  });
});
