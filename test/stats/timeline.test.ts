import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_BUCKETS, Timeline, type Buckets } from '../../src/stats/timeline.js';

const LAST = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;
const YEAR_0 = -62_167_219_200;

function timelineOf(seconds: Iterable<number>): Timeline {
  const timeline = new Timeline();
  for (const second of seconds) timeline.add(second);
  return timeline;
}

const sum = ({ buckets }: Buckets): number => buckets.reduce((total, { count }) => total + count, 0);

describe('Timeline', () => {
  test.each([
    ['one second', [0, 0], 60, 1, 1],
    ['a minute', [0, 59], 60, 1, 60],
    ['an hour', [0, 3599], 60, 60, 60],
    ['a day', [0, 86_399], 60, 1800, 48],
    ['60 days', [0, 60 * 86_400 - 1], 60, 86_400, 60],
    ['61 days: weeks, from Monday on', [4 * 86_400, 65 * 86_400 - 1], 60, 7 * 86_400, 9],
    ['ten years', [0, 3650 * 86_400], 60, 112 * 86_400, 34],
  ])('%s', (_what, seconds, most, width, length) => {
    const spread = timelineOf(seconds).spread(most);
    expect({ width: spread.width, length: spread.buckets.length }).toEqual({ width, length });
  });

  test('empty without requests', () => {
    expect(new Timeline().spread(60).buckets).toEqual([]);
    expect(new Timeline().occupied().buckets).toEqual([]);
  });

  test('every request is in one bucket, in order, however many are asked for and whatever the times', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: YEAR_0, max: LAST }), { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 2, max: 300 }),
        (seconds, most) => {
          const timeline = timelineOf(seconds);
          const spread = timeline.spread(most);
          expect(sum(spread)).toBe(seconds.length);
          expect(spread.buckets.length).toBeLessThanOrEqual(most);
          expect(sum(timeline.occupied())).toBe(seconds.length);
          const starts = spread.buckets.map(({ start }) => start);
          expect(starts).toEqual(starts.toSorted((start, other) => start - other));
          expect(starts[0]).toBeLessThanOrEqual(Math.min(...seconds));
        },
      ),
    );
  });

  test('keeps a bounded number of buckets, and the count of each', () => {
    const seconds = Array.from({ length: 20_000 }, (_, index) => index * 7);
    const occupied = timelineOf(seconds).occupied();
    expect(occupied.buckets.length).toBeLessThanOrEqual(MAX_BUCKETS);
    for (const { start, count } of occupied.buckets) {
      expect(count).toBe(seconds.filter((second) => second >= start && second < start + occupied.width).length);
    }
  });
});
