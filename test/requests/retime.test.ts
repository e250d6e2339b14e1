import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { zoneNamed } from '../../src/log/zone.js';
import type { ListedRequest } from '../../src/requests/request.js';
import { createDeployment } from '../../src/log/deployment.js';
import { prepareRequests } from '../../src/requests/prepare-requests.js';
import { loopRequests, retime, timingOf } from '../../src/requests/retime.js';
import { outcomeOf } from '../support/batches.js';

const BOUNDS = { source: 'r.csv', zone: zoneNamed('Europe/Warsaw') };
const LAST = Date.UTC(9999, 11, 31, 22, 59, 59, 999);

async function* batchesOf(...batches: (readonly number[])[]): AsyncGenerator<readonly ListedRequest[]> {
  await Promise.resolve();
  let line = 0;
  for (const batch of batches) yield batch.map((millisecond) => ({ millisecond, method: 'GET', target: '/', line: (line += 1) }));
}

function times(requests: readonly ListedRequest[]): number[] {
  return requests.map(({ millisecond }) => millisecond);
}

describe('retime', () => {
  const move = async (
    startAt: number,
    speed: number,
    ...batches: (readonly number[])[]
  ): ReturnType<typeof outcomeOf<ListedRequest>> =>
    outcomeOf(retime(batchesOf(...batches), { startAt: () => startAt, speed, ...BOUNDS }));

  test('the first request lands on the start, to the millisecond, and gaps are kept', async () => {
    expect(times((await move(1_000_123, 1, [], [5_000_007, 5_000_008], [5_060_000])).items)).toEqual([
      1_000_123, 1_000_124, 1_060_116,
    ]);
  });

  test('gaps are divided by the speed, and none of that adds up', async () => {
    expect(times((await move(1000, 3, [0, 1, 2, 3, 3000])).items)).toEqual([1000, 1000, 1000, 1001, 2000]);
  });

  test('asks for the start once, when the first request has come', async () => {
    const asked: number[] = [];
    const startAt = (): number => asked.push(1);
    for await (const batch of retime(batchesOf([], [7], [9]), { startAt, speed: 1, ...BOUNDS })) {
      expect(asked).toHaveLength(batch.length === 0 ? 0 : 1);
    }
  });

  test('moved there and back, a list is as it was', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 1e12 }), { minLength: 1 }),
        fc.integer({ min: 0, max: 1e12 }),
        async (list, to) => {
          const first = list[0] ?? 0;
          const lowest = Math.min(...list);
          const start = to + first - lowest;
          const { items } = await move(start, 1, list);
          const back = retime(batchesOf(times(items)), { startAt: () => first, speed: 1, ...BOUNDS });
          expect(times((await outcomeOf(back)).items)).toEqual(list);
        },
      ),
    );
  });

  test.each([
    [
      LAST,
      [0, 1],
      [LAST],
      'r.csv:2: the request would move to a time that is after the year 9999; start elsewhere in time, or end sooner',
    ],
    [
      0,
      [5, 4],
      [0],
      'r.csv:2: the request would move to a time that is before 1970-01-01T00:00:00Z; start elsewhere in time, or end sooner',
    ],
  ])('what lands out of bounds ends the list, after what came before it: %j', async (start, list, moved, message) => {
    const { items, error } = await move(start, 1, list);
    expect(times(items)).toEqual(moved);
    expect(error).toHaveProperty('message', message);
  });
});

describe('loopRequests', () => {
  test('a pass begins one second after the last request of the one before', async () => {
    const readPass = (): ReturnType<typeof batchesOf> => batchesOf([5000, 5001], [9000]);
    const { items } = await outcomeOf(loopRequests({ passes: 3, readPass, ...BOUNDS }));
    expect(times(items)).toEqual([5000, 5001, 9000, 10_000, 10_001, 14_000, 15_000, 15_001, 19_000]);
    expect(items.map(({ line }) => line)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
  });

  test('… or after the latest, in a list that steps back', async () => {
    const { items } = await outcomeOf(loopRequests({ passes: 2, readPass: () => batchesOf([9000, 5000]), ...BOUNDS }));
    expect(times(items)).toEqual([9000, 5000, 10_000, 6000]);
  });

  test.each([
    [3, 1],
    [65_537, 3],
  ])('a list of %i requests is read %i times in three passes', async (count, reads) => {
    let opened = 0;
    const list = Array.from({ length: count }, (_, index) => index);
    const readPass = (): ReturnType<typeof batchesOf> => {
      opened += 1;
      return batchesOf(list.slice(0, 2), list.slice(2));
    };
    let total = 0;
    let latest = -1;
    let steppedBack = false;
    for await (const batch of loopRequests({ passes: 3, readPass, ...BOUNDS })) {
      for (const { millisecond } of batch) {
        steppedBack ||= millisecond <= latest;
        latest = millisecond;
      }
      total += batch.length;
    }
    expect({ total, opened, latest, steppedBack }).toEqual({
      total: 3 * count,
      opened: reads,
      latest: 3 * count + 2 * 999 - 1,
      steppedBack: false,
    });
  });

  test('a list of more than 16 MiB of targets is not kept', async () => {
    let opened = 0;
    const target = '/'.padEnd(1 << 20, 'x');
    async function* readPass(): AsyncGenerator<readonly ListedRequest[]> {
      await Promise.resolve();
      opened += 1;
      for (let line = 1; line <= 17; line += 1) yield [{ millisecond: line, method: 'GET', target, line }];
    }
    const { items } = await outcomeOf(loopRequests({ passes: 3, readPass, ...BOUNDS }));
    expect([items.length, opened]).toEqual([51, 3]);
  });

  test('an empty list is played any number of times, but not for ever', async () => {
    expect(await outcomeOf(loopRequests({ passes: 5, readPass: () => batchesOf([]), ...BOUNDS }))).toEqual({
      items: [],
      error: undefined,
    });
    const { error } = await outcomeOf(loopRequests({ passes: Infinity, readPass: () => batchesOf([]), ...BOUNDS }));
    expect(error).toHaveProperty('message', 'r.csv: has no requests to play forever; give a list with at least one request');
  });

  test('what is played for ever ends with the year 9999', async () => {
    const { items, error } = await outcomeOf(
      loopRequests({ passes: Infinity, readPass: () => batchesOf([LAST - 2500]), ...BOUNDS }),
    );
    expect(times(items)).toEqual([LAST - 2500, LAST - 1500, LAST - 500]);
    expect(error).toHaveProperty(
      'message',
      expect.stringContaining('r.csv:1: the request would move to a time that is after the year 9999'),
    );
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
    const timing = timingOf('start', start, speed, 'Europe/Warsaw');
    expect(timing.retiming && { start: timing.retiming.startAt(), speed: timing.retiming.speed }).toEqual(moved);
    expect(timing.pace).toBe(pace);
  });

  test('now is the moment of the first request', () => {
    expect(timingOf('start', 'now', undefined, 'UTC').retiming?.startAt).toBe(Date.now);
  });
});

describe('prepareRequests', () => {
  const whole = { order: 'strict', source: 'r.csv', deployment: createDeployment(), passes: 1 } as const;
  const retiming = { startAt: (): number => 5000, speed: 2 };

  test.each([
    ['as they are', undefined, undefined, '1000 / 1500 /'],
    ['moved', retiming, undefined, '5000 / 5250 /'],
    ['marked from 1 on', undefined, 'r', '1000 /?r=1 1500 /?r=2'],
    ['both', retiming, 'r', '5000 /?r=1 5250 /?r=2'],
  ])('%s', async (_what, moved, mark, expected) => {
    const { items } = await outcomeOf(prepareRequests(() => batchesOf([1000, 1500]), { ...whole, retiming: moved, mark }));
    expect(items.map(({ millisecond, target }) => `${String(millisecond)} ${target}`).join(' ')).toBe(expected);
  });

  test('names the list and the line of a request that cannot be moved', async () => {
    const late = { startAt: () => Date.UTC(9999, 11, 31), speed: 1 };
    const { items, error } = await outcomeOf(
      prepareRequests(() => batchesOf([0, 1e12]), { ...whole, retiming: late, mark: undefined }),
    );
    expect(items).toHaveLength(1);
    expect(String(error)).toContain('r.csv:2: the request would move to a time that is after the year 9999');
  });
});
