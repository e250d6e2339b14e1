import { describe, expect, test } from '@jest/globals';
import type { LogRequest } from '../../../src/log/group.js';
import { zoneNamed } from '../../../src/log/zone.js';
import { sliceOf, ARRIVALS, blocksOf, type Arrivals } from '../../../src/requests/synth/arrivals.js';
import { synthesize, type SynthesizeOptions } from '../../../src/requests/synth/synthesize.js';
import { trafficFrom } from '../../../src/requests/synth/traffic.js';
import { namesOf } from '../../../src/wording.js';

const HOUR_MS = 3_600_000;
const FROM = Date.UTC(2025, 4, 19);
const SEEDS = [1, 2, 3, 4, 5, 6] as const;

const requestsOf = (options: SynthesizeOptions): LogRequest[] => Array.from(synthesize(options)).flat();
const timesOf = (options: SynthesizeOptions): number[] => requestsOf(options).map(({ millisecond }) => millisecond);

/** Counts times in stretches of equal length. */
function countsIn(times: readonly number[], from: number, stretchMs: number, stretches: number): number[] {
  const counts = Array.from({ length: stretches }, () => 0);
  for (const time of times) {
    const stretch = Math.floor((time - from) / stretchMs);
    counts[stretch] = (counts[stretch] ?? NaN) + 1;
  }
  return counts;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function varianceOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

describe('the variance of counts, as a multiple of their mean', () => {
  /** The least and the most, some four standard deviations wide, of counts in stretches of so many seconds. */
  type Limits = Readonly<Record<number, readonly [least: number, most: number]>>;

  // A companion request comes soon after another, so that poisson is a little more than 1 at low rates.
  test.each<[Arrivals, rate: number, hours: number, limits: Limits]>([
    ['poisson', 0.2, 4, { 1: [0.95, 1.15], 10: [0.85, 1.25], 60: [0.75, 1.35] }],
    ['poisson', 5, 1, { 1: [0.95, 1.05], 10: [0.85, 1.15], 60: [0.7, 1.4] }],
    ['poisson', 200, 0.1, { 1: [0.85, 1.15], 10: [0.6, 1.5] }],
    ['bursty', 0.2, 4, { 1: [3, 6], 10: [6, 11], 60: [6, 12] }],
    ['bursty', 5, 1, { 1: [3.5, 5.5], 10: [6, 11], 60: [5.5, 12.5] }],
    ['bursty', 200, 0.1, { 1: [3.5, 6.5], 10: [4.5, 12.5] }],
    ['even', 5, 1, { 1: [0, 0.01], 10: [0, 0.01], 60: [0, 0.01] }],
  ])('%s, %d a second, for %d h', (arrivals, rate, hours, limits) => {
    const traffic = SEEDS.map((seed) => timesOf({ seed, arrivals, rate, from: FROM, duration: hours * HOUR_MS }));
    for (const [key, [least, most]] of Object.entries(limits)) {
      const seconds = Number(key);
      const counts = traffic.map((times) => countsIn(times, FROM, seconds * 1000, (hours * 3600) / seconds));
      const multiple = meanOf(counts.map((each) => varianceOf(each) / meanOf(each)));
      expect({ seconds, isWithin: multiple >= least && multiple <= most, multiple }).toMatchObject({ seconds, isWithin: true });
    }
  });
});

test.each<[Arrivals, rate: number, least: number, most: number]>([
  ['poisson', 0.01, 0.97, 1.1],
  ['poisson', 5, 0.97, 1.03],
  ['poisson', 100, 0.97, 1.03],
  ['even', 5, 0.38, 0.44],
  ['bursty', 5, 2, 3],
])('the gaps of %s at %d a second vary by %d to %d of their mean', (arrivals, rate, least, most) => {
  const times = timesOf({ arrivals, rate, count: 20_000 });
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  const coefficient = Math.sqrt(varianceOf(gaps)) / meanOf(gaps);
  expect(coefficient).toBeGreaterThan(least);
  expect(coefficient).toBeLessThan(most);
});

test('a burst is of several requests within two seconds', () => {
  // One prefix, so that no companion requests come besides.
  const times = timesOf({ arrivals: 'bursty', rate: 0.005, count: 4000, targets: [{ target: '/mail/', weight: 1 }] });
  const bursts: number[][] = [];
  for (const time of times) {
    const last = bursts.at(-1);
    if (last === undefined || time - (last.at(-1) ?? 0) > 2000) bursts.push([time]);
    else last.push(time);
  }
  expect(meanOf(bursts.map((burst) => burst.length))).toBeGreaterThan(6);
  const longer = bursts.filter((burst) => (burst.at(-1) ?? 0) - (burst[0] ?? 0) > 2000);
  // Bursts that happen to meet.
  expect(longer.length / bursts.length).toBeLessThan(0.02);
});

// Weeks in which clocks are set forward and back, and the week of `--profile office` from its middle on.
test.each(
  ['2025-03-24', '2025-10-20', '2025-05-22T13:37:11.5'].flatMap((from) =>
    (['poisson', 'even'] as const).map((arrivals) => [from, arrivals] as const),
  ),
)('the hours of office from %s on have the requests that their weights say, %s (chi-square)', (from, arrivals) => {
  const hours = 24 * 14;
  const start = Date.parse(`${from}${from.includes('T') ? '' : 'T00:00'}${from === '2025-03-24' ? '+01:00' : '+02:00'}`);
  const traffic = trafficFrom('office', start, zoneNamed('Europe/Warsaw'));
  const total = traffic.until(start + hours * HOUR_MS);
  const times = timesOf({ from, duration: hours * HOUR_MS, profile: 'office', arrivals, count: 50_000 });
  const chiSquare = countsIn(times, start, HOUR_MS, hours).reduce((sum, count, hour) => {
    const amount = traffic.until(start + (hour + 1) * HOUR_MS) - traffic.until(start + hour * HOUR_MS);
    const expected = (times.length * amount) / total;
    return sum + (count - expected) ** 2 / expected;
  }, 0);
  // 99.9 % of the values of chi-square with 335 degrees of freedom are below.
  expect(chiSquare).toBeLessThan(421);
});

describe.each(namesOf(ARRIVALS))('%s', (arrivals) => {
  test('100 requests out of 100 million cost as much as those of two blocks', () => {
    const count = 100_000_000;
    let asked = 0;
    const traffic = trafficFrom('flat', FROM, zoneNamed('UTC'));
    const counting = { ...traffic, instantAt: (amount: number) => ((asked += 1), traffic.instantAt(amount)) };
    const plan = { seed: 1, arrivals, traffic: counting, count, step: 10, before: FROM + count * 10 };
    for (const i of [1, 2, 500_000, 999_999, 1_000_000]) {
      asked = 0;
      const slice = sliceOf(count, i, 1_000_000);
      let drawn = 0;
      for (const { first, end, momentOf } of blocksOf(plan, slice)) {
        for (let k = Math.max(first, slice.first); k < Math.min(end, slice.end); k += 1)
          drawn += Number(momentOf(k) < plan.before);
      }
      expect(drawn).toBe(100);
      expect(asked).toBeLessThanOrEqual(2 * 1026);
    }
  });

  test('without an end, the rate is the mean, and requests go on', () => {
    const times: number[] = [];
    for (const batch of synthesize({ arrivals, rate: 50, count: Infinity, from: FROM })) {
      for (const { millisecond } of batch) times.push(millisecond);
      if (times.length >= 100_000) break;
    }
    expect(times.every((time, index) => time >= (times[index - 1] ?? FROM))).toBe(true);
    const seconds = ((times.at(-1) ?? 0) - FROM) / 1000;
    // Four standard deviations of the bursts.
    expect(times.length / seconds).toBeGreaterThan(48.2);
    expect(times.length / seconds).toBeLessThan(51.8);
  });

  test('a rate beyond any clock is made too', () => {
    const [batch = []] = synthesize({ arrivals, rate: 1e15, count: Infinity, from: FROM });
    expect(new Set(batch.map(({ millisecond }) => millisecond))).toEqual(new Set([FROM]));
  });
});
