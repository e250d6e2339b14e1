import { describe, expect, test } from '@jest/globals';
import { zoneNamed } from '../../src/log/zone.js';
import { asReplayed, timingOf } from '../../src/requests/retime.js';
import type { ListedRequest } from '../../src/requests/request.js';
import { outcomeOf } from '../support/batches.js';

describe('timingOf: the times that a replayed list shows, and those at which it is written', () => {
  const startAt = (): number => 5000;

  test.each([
    ['neither', undefined, undefined, { retiming: undefined, pace: undefined }],
    ['a start moves the list', startAt, undefined, { retiming: { startAt, speed: 1 }, pace: undefined }],
    ['a speed paces it', undefined, 10, { retiming: undefined, pace: 10 }],
    ['with both, gaps are divided once', startAt, 10, { retiming: { startAt, speed: 10 }, pace: 1 }],
  ])('%s', (_what, start, speed, timing) => {
    expect(timingOf(start, speed)).toEqual(timing);
  });
});

describe('asReplayed', () => {
  async function* list(...milliseconds: readonly number[]): AsyncGenerator<readonly ListedRequest[]> {
    await Promise.resolve();
    yield milliseconds.map((millisecond, index) => ({ millisecond, method: 'GET', target: '/', line: index + 1 }));
  }
  const retiming = { startAt: (): number => 5000, speed: 2 };
  const options = { source: 'r.csv', zone: zoneNamed('Europe/Warsaw') };

  test.each([
    ['as they are', undefined, undefined, '1000 / 1500 /'],
    ['moved', retiming, undefined, '5000 / 5250 /'],
    ['marked from 1 on', undefined, 'r', '1000 /?r=1 1500 /?r=2'],
    ['both', retiming, 'r', '5000 /?r=1 5250 /?r=2'],
  ])('%s', async (_what, moved, mark, expected) => {
    const { items } = await outcomeOf(asReplayed(list(1000, 1500), { retiming: moved, mark, ...options }));
    expect(items.map(({ millisecond, target }) => `${String(millisecond)} ${target}`).join(' ')).toBe(expected);
  });

  test('names the list and the line of a request that cannot be moved', async () => {
    const late = { startAt: () => Date.UTC(9999, 11, 31), speed: 1 };
    const { items, error } = await outcomeOf(asReplayed(list(0, 1e12), { retiming: late, mark: undefined, ...options }));
    expect(items).toHaveLength(1);
    expect(String(error)).toContain('r.csv:2: the moment that it is moved to is after the year 9999');
  });
});
