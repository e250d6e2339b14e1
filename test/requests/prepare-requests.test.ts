import { outcomeOf } from '../support/bytes.js';
import { describe, expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { markTarget } from '../../src/requests/target.js';
import { prepareRequests, timingOf } from '../../src/requests/prepare-requests.js';
import type { ListedRequest } from '../../src/requests/request.js';

const LAST = Date.UTC(9999, 11, 31, 22, 59, 59, 999);
const AS_IT_IS = { order: 'keep', source: 'r.csv', deployment: createDeployment(), passes: 1 } as const;

async function* batchesOf(...batches: (readonly number[])[]): AsyncGenerator<readonly ListedRequest[]> {
  await Promise.resolve();
  let line = 0;
  for (const batch of batches) yield batch.map((millisecond) => ({ millisecond, method: 'GET', target: '/', line: (line += 1) }));
}

interface Prepared {
  readonly times: readonly number[];
  readonly items: readonly ListedRequest[];
  readonly error: unknown;
}

async function prepare(
  readPass: () => AsyncIterable<readonly ListedRequest[]>,
  options: { readonly retiming?: { startAt: () => number; speed: number }; readonly mark?: string; readonly passes?: number },
): Promise<Prepared> {
  const { items, error } = await outcomeOf(
    prepareRequests(readPass, { ...AS_IT_IS, retiming: undefined, mark: undefined, ...options }),
  );
  return { times: items.map(({ millisecond }) => millisecond), items, error };
}

const move = (startAt: number, speed: number, ...batches: (readonly number[])[]): Promise<Prepared> =>
  prepare(() => batchesOf(...batches), { retiming: { startAt: () => startAt, speed } });

const play = (passes: number, ...batches: (readonly number[])[]): Promise<Prepared> =>
  prepare(() => batchesOf(...batches), { passes });

test('moved, the first request lands on the start, and gaps are kept, or divided by the speed, none of which adds up', async () => {
  const kept = await move(1_000_123, 1, [], [5_000_007, 5_000_008], [5_060_000]);
  expect(kept.times).toEqual([1_000_123, 1_000_124, 1_060_116]);
  expect((await move(1000, 3, [0, 1, 2, 3, 3000])).times).toEqual([1000, 1000, 1000, 1001, 2000]);
});

test('the start is asked for once, when the first request has come', async () => {
  const asked: number[] = [];
  const retiming = { startAt: (): number => asked.push(1), speed: 1 };
  const prepared = prepareRequests(() => batchesOf([], [7], [9]), { ...AS_IT_IS, retiming, mark: undefined });
  for await (const batch of prepared) expect(asked).toHaveLength(batch.length === 0 ? 0 : 1);
});

test.each([
  [LAST, [0, 1], [LAST], 'after the year 9999'],
  [0, [5, 4], [0], 'before 1970-01-01T00:00:00Z'],
])('what lands out of bounds ends the list, after what came before it: from %j', async (start, list, moved, bound) => {
  const { times, error } = await move(start, 1, list);
  expect(times).toEqual(moved);
  expect(error).toHaveProperty(
    'message',
    `r.csv:2: the request would move to a time that is ${bound}; start elsewhere in time, or end sooner`,
  );
});

describe('a list that is played again', () => {
  test.each([
    ['one second after the last request', [[5000, 5001], [9000]], [5000, 5001, 9000, 10_000, 10_001, 14_000]],
    ['or after the latest, in a list that steps back', [[9000, 5000]], [9000, 5000, 10_000, 6000]],
  ])('begins %s, with its lines', async (_what, batches, expected) => {
    const { times, items } = await play(2, ...batches);
    expect(times).toEqual(expected);
    const lines = expected.slice(0, expected.length / 2).map((_, index) => index + 1);
    expect(items.map(({ line }) => line)).toEqual([...lines, ...lines]);
  });

  test.each([
    [3, '/', 1],
    [65_537, '/', 3],
    // More than 16 MiB of targets.
    [17, '/'.padEnd(1 << 20, 'x'), 3],
  ])('of %i requests is read for each pass only if it is large', async (count, target, reads) => {
    let opened = 0;
    async function* readPass(): AsyncGenerator<readonly ListedRequest[]> {
      opened += 1;
      await Promise.resolve();
      const all = Array.from({ length: count }, (_, index) => ({ millisecond: index, method: 'GET', target, line: index + 1 }));
      yield all.slice(0, 2);
      yield all.slice(2);
    }
    const { times } = await prepare(readPass, { passes: 3 });
    expect(opened).toBe(reads);
    expect(times.length).toBe(3 * count);
    expect(times.every((time, index) => index === 0 || time > (times[index - 1] ?? NaN))).toBe(true);
  });

  test('may be empty, but not for ever', async () => {
    expect(await play(5, [])).toEqual({ times: [], items: [], error: undefined });
    const message = 'r.csv: has no requests to play forever; give a list with at least one request';
    expect((await play(Infinity, [])).error).toHaveProperty('message', message);
  });

  test('for ever ends with the year 9999', async () => {
    const { times, error } = await play(Infinity, [LAST - 2500]);
    expect(times).toEqual([LAST - 2500, LAST - 1500, LAST - 500]);
    const message =
      'r.csv:1: the request would move to a time that is after the year 9999; start elsewhere in time, or end sooner';
    expect(error).toHaveProperty('message', message);
  });
});

describe('timingOf: the times that a replayed list shows, and those at which it is written', () => {
  test.each([
    ['neither', undefined, undefined, undefined, undefined],
    ['a start moves the list', 5000, undefined, { start: 5000, speed: 1 }, undefined],
    ['a text, on the clock of the zone', '1970-01-01T01:00:05', undefined, { start: 5000, speed: 1 }, undefined],
    ['a speed paces it', undefined, 10, undefined, 10],
    ['with both, gaps are divided once', 5000, 10, { start: 5000, speed: 10 }, 1],
  ])('%s', (_what, start, speed, moved, pace) => {
    const timing = timingOf(start, speed, 'Europe/Warsaw');
    expect(timing.retiming && { start: timing.retiming.startAt(), speed: timing.retiming.speed }).toEqual(moved);
    expect(timing.pace).toBe(pace);
  });

  test('now is the moment of the first request', () => {
    expect(timingOf('now', undefined, 'UTC').retiming?.startAt).toBe(Date.now);
  });
});

test('requests are moved, then marked from 1 on through all passes and batches; what else they have stays', async () => {
  const retiming = { startAt: () => 5000, speed: 2 };
  const { items } = await prepare(() => batchesOf([1000], [], [1500]), { passes: 2, retiming, mark: 'r' });
  expect(items).toEqual(
    [5000, 5250, 5750, 6000].map((millisecond, index) => {
      return { millisecond, method: 'GET', target: `/?r=${String(index + 1)}`, line: 1 + (index % 2) };
    }),
  );
});

test.each([
  ['/mail/', '/mail/?r=7'],
  ['/mail/?', '/mail/?r=7'],
  ['/mail/?a=b', '/mail/?a=b&r=7'],
  ['/mail/?a=b&', '/mail/?a=b&&r=7'],
  ['/mail/#top', '/mail/?r=7#top'],
  ['/mail/?a#top?b', '/mail/?a&r=7#top?b'],
  ['/mail/#top?b', '/mail/?r=7#top?b'],
  ['http://host', 'http://host?r=7'],
  ['/\xff?\xfe', '/\xff?\xfe&r=7'],
])('the target %j is marked as %j', (target, marked) => {
  expect(markTarget(target, 'r=7')).toBe(marked);
});
