import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { LogRequest } from '../../../src/log/group.js';
import { zoneNamed } from '../../../src/log/zone.js';
import { sliceOf, ARRIVALS, type Arrivals, type Slice } from '../../../src/requests/synth/arrivals.js';
import { type Profile, trafficFrom } from '../../../src/requests/synth/traffic.js';
import { drawRequests } from '../../../src/requests/synth/synthesize.js';
import { OBSERVED_TARGETS } from '../../../src/requests/synth/weighted-targets.js';
import { namesOf } from '../../../src/wording.js';

const FROM = Date.UTC(2025, 2, 28, 23);
const DAY_MS = 86_400_000;
const WARSAW = zoneNamed('Europe/Warsaw');

interface Plan {
  readonly seed?: number;
  readonly count: number;
  readonly days?: number;
  readonly profile?: Profile;
  readonly arrivals?: Arrivals;
  readonly slice?: Slice;
  readonly targets?: typeof OBSERVED_TARGETS;
}

function make(options: Plan): LogRequest[] {
  const { seed = 1, count, days = 1, profile = 'flat', arrivals = 'poisson', slice, targets = OBSERVED_TARGETS } = options;
  const before = FROM + days * DAY_MS;
  const traffic = trafficFrom(profile, FROM, WARSAW);
  const step = traffic.until(before) / count;
  const plan = { seed, arrivals, traffic, count, step, before, targets, slice: slice ?? { first: 0, end: count } };
  return [...drawRequests(plan)].flat();
}

function fingerprint(requests: readonly LogRequest[]): string {
  const hash = createHash('sha256');
  for (const { millisecond, method, target } of requests) hash.update(`${String(millisecond)} ${method} ${target}\n`);
  return hash.digest('hex').slice(0, 16);
}

function weighted(weights: Readonly<Record<string, number>>): typeof OBSERVED_TARGETS {
  return Object.entries(weights).map(([target, weight]) => ({ method: 'GET', target, weight }));
}

/** How far the number of requests for each target is from what the weights say. */
function chiSquare(requests: readonly LogRequest[], targets: typeof OBSERVED_TARGETS): number {
  const total = targets.reduce((sum, { weight }) => sum + weight, 0);
  const counts = new Map<string, number>();
  for (const { target } of requests) counts.set(target, (counts.get(target) ?? 0) + 1);
  return targets.reduce((sum, { target, weight }) => {
    const expected = (requests.length * weight) / total;
    return sum + ((counts.get(target) ?? 0) - expected) ** 2 / expected;
  }, 0);
}

describe('drawRequests', () => {
  // What these options give is part of the contract: a change here is a new major version, and stands in the changelog.
  test.each([
    // even, poisson, bursty
    [{ count: 1000 }, 'f62af8c071335574', '34af358b481c8bf5', 'f1a0d8cf4ef79043'],
    [{ count: 1000, seed: 7, profile: 'office', days: 31 }, '76b884ee2780c047', '0b693a47dd18e63a', 'd6b68cc43d8e4206'],
    [{ count: 5000, seed: -(2 ** 40), days: 400, profile: 'office' }, '8863b6d8b2cfddb5', '32518844ab3c9f05', '31b013a9551eb2fe'],
    [
      { count: 2 ** 40, slice: { first: 2 ** 40 - 3000, end: 2 ** 40 } },
      'dc458920e131e271',
      'c521aa9a14c3ec26',
      'ab8f0817d2e8b230',
    ],
  ] as const)('gives for %j always the same', (plan, ...expected) => {
    const given = (['even', 'poisson', 'bursty'] as const).map((arrivals) => fingerprint(make({ ...plan, arrivals })));
    expect(given).toEqual(expected);
  });

  test('slices, one after the other, are the whole', () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.integer(),
          count: fc.integer({ min: 1, max: 4000 }),
          days: fc.integer({ min: 1, max: 300 }),
          profile: fc.constantFrom('flat' as const, 'office' as const),
          arrivals: fc.constantFrom(...namesOf(ARRIVALS)),
        }),
        fc.integer({ min: 1, max: 9 }),
        (plan, n) => {
          const slices = Array.from({ length: n }, (_, index) => make({ ...plan, slice: sliceOf(plan.count, index + 1, n) }));
          expect(fingerprint(slices.flat())).toBe(fingerprint(make(plan)));
        },
      ),
      { numRuns: 20 },
    );
  });

  test('as many as asked for, all within the time, never stepping back', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 3000 }),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom('flat' as const, 'office' as const),
        fc.constantFrom(...namesOf(ARRIVALS)),
        (seed, count, days, profile, arrivals) => {
          const times = make({ seed, count, days, profile, arrivals }).map(({ millisecond }) => millisecond);
          expect(times).toHaveLength(count);
          expect(times[0]).toBeGreaterThanOrEqual(FROM);
          expect(times.at(-1)).toBeLessThan(FROM + days * DAY_MS);
          expect(times.every((time, index) => time >= (times[index - 1] ?? 0))).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  // One limit for all: 99.9 % of the values of chi-square with this many degrees of freedom lie below it.
  const LIMITS: Readonly<Record<number, number>> = { 1: 10.83, 11: 31.26, 49: 85.35 };

  test.each([
    ['2.4 the twelve observed targets', OBSERVED_TARGETS],
    ['two prefixes, one of them rare', weighted({ '/a/': 99, '/b/': 1 })],
    ['two prefixes, equally often', weighted({ '/a/': 0.5, '/b/': 0.5 })],
    ['one prefix', weighted({ '/a/x': 3, '/a/y': 1 })],
    [
      'seven prefixes',
      weighted(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`/p${String(n % 7)}/${String(n)}`, 1 + (n % 11)]))),
    ],
  ])(
    '%s: the share of each target is its weight (chi-square), and so it is among the second of two requests',
    (_what, targets) => {
      const requests = make({ count: 100_000, targets });
      // Companions are among those of odd places.
      const seconds = requests.filter((_, index) => index % 2 === 1);
      for (const some of [requests, seconds]) expect(chiSquare(some, targets)).toBeLessThan(LIMITS[targets.length - 1] ?? 0);
    },
  );

  test('6.4 requests under two prefixes come within seconds of each other, some within the same second', () => {
    // A minute and a half apart in the mean: what comes within three seconds is no chance.
    const requests = make({ count: 10_000, days: 10 });
    const prefix = ({ target }: LogRequest): string => target.split('/')[1] ?? '';
    const secondOf = ({ millisecond }: LogRequest): number => Math.floor(millisecond / 1000);
    let [close, sameSecond] = [0, 0];
    for (const [index, request] of requests.slice(1).entries()) {
      const before = requests[index] ?? request;
      if (request.millisecond - before.millisecond >= 3000 || prefix(request) === prefix(before)) continue;
      close += 1;
      if (secondOf(request) === secondOf(before)) sameSecond += 1;
    }
    expect(close / requests.length).toBeGreaterThan(0.04);
    expect(close / requests.length).toBeLessThan(0.09);
    expect(sameSecond).toBeGreaterThan(50);
  });
});

test('slices are exact for numbers whose product no number holds', () => {
  expect(sliceOf(Number.MAX_SAFE_INTEGER, 3_000_000, 3_000_000).end).toBe(Number.MAX_SAFE_INTEGER);
});
