import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { labelledBuckets, MAX_BUCKETS, Peak, Timeline, type Buckets } from '../../src/stats/timeline.js';

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
    const below = (limit: number): number => Math.min(20_000, Math.ceil(limit / 7));
    const expected = occupied.buckets.map(({ start }) => ({ start, count: below(start + occupied.width) - below(start) }));
    expect(occupied.buckets).toEqual(expected);
  });
});

describe('labelledBuckets', () => {
  const DAY = 86_400;
  // 12 May 2025, a Monday.
  const MONDAY = Date.UTC(2025, 4, 12) / 1000;

  test.each([
    ['a second', 5, 5, '05-12T00'],
    ['a day from six on: hours', 6 * 3600, 30 * 3600 - 1, '05-12T08 05-12T12 05-12T16 05-12T20 05-13T00 05-13T04'],
    ['three weeks: every fourth day', 0, 21 * DAY - 1, '05-12T00 05-16T00 05-20T00 05-24T00 05-28T00 06-01T00'],
    ['a year: every eighth week', 0, 364 * DAY, '05-12T00 07-07T00 09-01T00 10-27T00 12-22T00 02-16T00 04-13T00'],
  ])('%s', (_what, from, until, expected) => {
    const labelled = labelledBuckets(timelineOf([MONDAY + from, MONDAY + until]).spread(168), 7);
    expect(labelled.map(([, { start }]) => new Date(start * 1000).toISOString().slice(5, 13)).join(' ')).toBe(expected);
  });
});

test.each([
  ['none', [], 1, undefined],
  ['the first of equal ones', [1, 2], 1, [1, 1]],
  ['the most', [1, 2, 2, 3], 1, [2, 2]],
  ['a little out of order', [1, 2, 1, 2, 1], 1, [3, 1]],
  ['a minute, from its beginning', [59, 61, 75], 60, [2, 60]],
])('Peak: %s', (_what, seconds, width, expected) => {
  const peak = new Peak(width);
  for (const second of seconds) peak.add({ second, utcOffset: '+0200' });
  expect(peak.busiest).toEqual(expected && { count: expected[0], start: expected[1], utcOffset: '+0200' });
});
