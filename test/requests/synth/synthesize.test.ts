import { describe, expect, test } from '@jest/globals';
import { CallError } from '../../../src/errors.js';
import type { LogRequest } from '../../../src/log/group.js';
import { synthesize, type SynthesizeOptions } from '../../../src/requests/synth/synthesize.js';

const HOUR_MS = 3_600_000;

/** 18 May 2025 in Warsaw. */
const FROM = Date.UTC(2025, 4, 17, 22);

const requestsOf = (options?: SynthesizeOptions): LogRequest[] => Array.from(synthesize(options)).flat();
const timesOf = (options?: SynthesizeOptions): number[] => requestsOf(options).map(({ millisecond }) => millisecond);

/** The beginning and the end of traffic: the moments of the first and of the last of 2 ** 30 requests. */
function boundsOf(options: SynthesizeOptions): readonly (number | undefined)[] {
  const shards = ['1/1073741824', '1073741824/1073741824'] as const;
  return shards.map((shard) => timesOf({ ...options, count: 2 ** 30, shard })[0]);
}

describe('the span of traffic', () => {
  // Two requests are less than a millisecond apart: the last one comes in the last millisecond.
  test.each<[what: string, options: SynthesizeOptions, from: string, end: string]>([
    ['a day from 18 May 2025 in Warsaw', {}, '2025-05-17T22:00:00Z', '2025-05-18T22:00:00Z'],
    ['a day on the clock of another zone', { timezone: 'Asia/Kolkata' }, '2025-05-17T18:30:00Z', '2025-05-18T18:30:00Z'],
    ['23 hours in spring', { from: '2025-03-30' }, '2025-03-29T23:00:00Z', '2025-03-30T22:00:00Z'],
    ['25 hours in autumn', { from: '2025-10-26' }, '2025-10-25T22:00:00Z', '2025-10-26T23:00:00Z'],
    ['24 hours to a time that is skipped', { from: '2025-03-29T02:30:00' }, '2025-03-29T01:30:00Z', '2025-03-30T01:30:00Z'],
    ['a day from a fraction of a second', { from: FROM + 123 }, '2025-05-17T22:00:00.123Z', '2025-05-18T22:00:00.123Z'],
    ['a fraction of a millisecond is dropped', { from: FROM + 0.9 }, '2025-05-17T22:00:00Z', '2025-05-18T22:00:00Z'],
    ['a length', { duration: 90_000 }, '2025-05-17T22:00:00Z', '2025-05-17T22:01:30Z'],
    ['an end', { to: '2025-05-18T00:00:01' }, '2025-05-17T22:00:00Z', '2025-05-17T22:00:01Z'],
    ['an end as a number', { to: FROM + 5000 }, '2025-05-17T22:00:00Z', '2025-05-17T22:00:05Z'],
    ['a count at a rate', { rate: 2 ** 20 }, '2025-05-17T22:00:00Z', '2025-05-17T22:17:04Z'],
    ['part of a second at a rate', { rate: 2 ** 30 / 1.5 }, '2025-05-17T22:00:00Z', '2025-05-17T22:00:01.5Z'],
    [
      'the last moment of all',
      { from: '9999-12-31T00:00:00Z', to: '9999-12-31T22:59:59Z' },
      '9999-12-31T00:00:00Z',
      '9999-12-31T22:59:59Z',
    ],
  ])('%s', (_what, options, from, end) => {
    expect(boundsOf(options)).toEqual([Date.parse(from), Date.parse(end) - 1]);
  });

  test('now is the moment of the call', () => {
    const before = Date.now();
    const [first = 0] = timesOf({ count: 1, rate: 1000, from: 'now' });
    expect(first).toBeGreaterThanOrEqual(before);
    expect(first).toBeLessThanOrEqual(Date.now());
  });
});

describe('the number of requests', () => {
  test.each<[what: string, options: SynthesizeOptions, count: number]>([
    ['1000', {}, 1000],
    ['as asked for', { count: 3 }, 3],
    ['none', { count: 0 }, 0],
    ['none at a rate', { count: 0, rate: 5 }, 0],
    ['a rate over a length', { rate: 0.5, duration: 90_000 }, 45],
    ['a rate up to an end', { rate: 2, to: FROM + 10_000 }, 20],
    ['a part of a request is none', { rate: 1, duration: 9999 }, 9],
    ['a rate over a day', { rate: 0.01 }, 864],
    ['a slice', { count: 10, shard: '2/3' }, 3],
    ['the last slice', { count: 10, shard: '3/3' }, 4],
    ['more slices than requests', { count: 1, shard: '1/2' }, 0],
  ])('%s', (_what, options, count) => {
    expect(requestsOf(options)).toHaveLength(count);
  });

  test('without an end, goes on at the rate until 17 December 9999', () => {
    const from = Date.UTC(9999, 11, 17) - 10_000;
    expect(timesOf({ count: Infinity, rate: 2, from })).toHaveLength(20);
    const office = timesOf({ count: Infinity, rate: 0.01, from: from - 21 * 24 * HOUR_MS, profile: 'office' });
    expect(office).toHaveLength(21 * 864);
    const days = ((office.at(-1) ?? 0) - (office[0] ?? 0)) / HOUR_MS / 24;
    expect(days).toBeGreaterThan(20);
    expect(days).toBeLessThan(22);
  });

  test('without an end, comes as it is asked for', () => {
    const [first = []] = synthesize({ arrivals: 'even', count: Infinity, rate: 10, from: FROM });
    expect(first).toHaveLength(1024);
    expect(first.at(-1)?.millisecond).toBeGreaterThanOrEqual(FROM + 102_300);
    expect(first.at(-1)?.millisecond).toBeLessThan(FROM + 102_400);
  });
});

describe('the requests', () => {
  test('a seed, a profile, other arrivals and a mark make others', () => {
    const changes: readonly SynthesizeOptions[] = [
      {},
      { seed: 2 },
      { profile: 'office' },
      { arrivals: 'even' },
      { arrivals: 'bursty' },
      { mark: 'r' },
      { seed: 1 + 2 ** 32 },
    ];
    const [plain, ...others] = changes.map((change) => JSON.stringify(requestsOf({ count: 20, ...change })));
    expect(JSON.stringify(requestsOf({ count: 20, seed: 1, profile: 'flat', arrivals: 'poisson' }))).toBe(plain);
    expect(new Set([plain, ...others]).size).toBe(7);
  });

  test('are numbered by the mark, in a slice as in the whole', () => {
    const marked = { count: 4, mark: 'n', targets: [{ target: '/a', weight: 1 }] };
    expect(requestsOf({ ...marked, shard: '2/2' }).map(({ target }) => target)).toEqual(['/a?n=3', '/a?n=4']);
  });

  test('have the methods of their targets, GET where none is given', () => {
    const targets = [
      { target: '/a', weight: 1, method: 'POST' },
      { target: '/b', weight: 1 },
      { target: '/c', weight: 0 },
    ];
    const drawn = requestsOf({ count: 100, targets }).map(({ method, target }) => `${method} ${target}`);
    expect(new Set(drawn)).toEqual(new Set(['POST /a', 'GET /b']));
  });
});

describe('options that contradict each other, and texts that cannot be read', () => {
  test.each<[SynthesizeOptions, message: string]>([
    [{ to: '2025-05-19', duration: 1 }, 'duration: options.to already gives the end of the traffic; give one of the two'],
    [{ count: 1, rate: 1, to: 1e13 }, 'to: follows from options.count and options.rate; give two of the three'],
    [{ count: 1, rate: 1, duration: 1 }, 'duration: follows from options.count and options.rate; give two of the three'],
    [{ count: Infinity, duration: 5 }, 'duration: "5" cannot be combined with options.count: Infinity; give only one of the two'],
    [{ count: Infinity, to: 'now' }, 'to: "now" cannot be combined with options.count: Infinity; give only one of the two'],
    [{ count: Infinity }, 'count: "Infinity" needs a rate; give options.rate too'],
    [
      { count: Infinity, rate: 1, from: Date.UTC(9999, 11, 17) },
      'from: leaves no time for requests without an end, which go on until 17 December 9999; give an earlier time, or give options.count a number',
    ],
    [{ from: 5000, to: 5000 }, 'to: "5000" is not after options.from; give a later time'],
    [{ from: 5000, to: 4000, rate: 1 }, 'to: "4000" is not after options.from; give a later time'],
    [{ duration: 1e18 }, 'duration: the traffic would last beyond the year 9999; give fewer requests, or a higher rate'],
    [{ count: 1e12, rate: 1 }, 'to: the traffic would last beyond the year 9999; give fewer requests, or a higher rate'],
    [{ rate: 1e300 }, 'rate: "1e+300" gives too many requests; give a lower rate'],
    [{ shard: '0/3' }, 'shard: "0/3" is not a slice; give it as i/n, from 1/n to n/n'],
    [{ shard: '1/99999999999999999999' }, 'shard: "1/99999999999999999999" is not a slice; '],
    [{ count: Infinity, rate: 1, shard: '1/2' }, 'shard: "1/2" needs traffic that ends; give options.count a number'],
    [{ from: 'tomorrow' }, 'from: "tomorrow" '],
    [{ to: -1 }, 'to: "-1" '],
    [{ mark: 'a b' }, 'mark: "a b" '],
  ])('%j', (options, message) => {
    expect(() => synthesize(options)).toThrow(CallError);
    expect(() => synthesize(options)).toThrow(`options.${message}`);
  });
});

describe('options of a wrong type, or out of their range', () => {
  const TARGET = "{ target: '/mail/', weight: 1 }";

  test.each<[options: unknown, message: string]>([
    [{ seed: 1.5 }, 'options.seed is not a whole number of at most 15 digits'],
    [{ from: NaN }, 'options.from is not a time; give Unix time in milliseconds, or a text'],
    [{ to: new Date(0) }, 'options.to is not a time; give Unix time in milliseconds, or a text'],
    [{ duration: 0 }, 'options.duration is not a number above 0'],
    [{ count: -1 }, 'options.count is not a whole number from 0 on, or Infinity'],
    [{ count: '5' }, 'options.count is not a whole number from 0 on, or Infinity'],
    [{ rate: Infinity }, 'options.rate is not a number above 0'],
    [{ profile: 'home' }, 'options.profile is "home"; give one of flat, office'],
    [{ arrivals: 'random' }, 'options.arrivals is "random"; give one of poisson, even, bursty'],
    [{ shard: 1 }, 'options.shard is not a string'],
    [{ mark: 1 }, 'options.mark is not a string'],
    [{ timezone: 1 }, 'options.timezone is not a string'],
    [{ speed: 1 }, 'options.speed is not an option; the options are seed, from, to, duration'],
    [{ targets: '/mail/' }, `options.targets is not an array of targets; give one such as [${TARGET}]`],
    [{ targets: [] }, `no target of options.targets has a weight above 0; give one such as ${TARGET}`],
    [{ targets: [{ target: '/', weight: 0 }] }, `no target of options.targets has a weight above 0; give one such as ${TARGET}`],
    [
      { targets: [{ target: '/', weight: 1 }, '/'] },
      'options.targets[1] is not an object; give an object with any of the keys target, weight, method',
    ],
    [
      { targets: [{ target: '/', weight: 1, share: 1 }] },
      'options.targets[0].share is not an option; the options are target, weight, method',
    ],
    [{ targets: [{ weight: 1 }] }, 'options.targets[0].target is not a string'],
    [{ targets: [{ target: 'a b', weight: 1 }] }, 'options.targets[0].target '],
    [{ targets: [{ target: '/', weight: 1, method: 7 }] }, 'options.targets[0].method is not a string'],
    [{ targets: [{ target: '/', weight: 1, method: 'GET /' }] }, 'options.targets[0].method '],
    [{ targets: [{ target: '/' }] }, 'options.targets[0].weight is not a number from 0 on'],
    [{ targets: [{ target: '/', weight: Infinity }] }, 'options.targets[0].weight is not a number from 0 on'],
  ])('%j', (options, message) => {
    const make = (): unknown => Reflect.apply(synthesize, undefined, [options]);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  test('an unknown zone', () => {
    expect(() => synthesize({ timezone: 'Mars/Olympus' })).toThrow(RangeError);
  });
});
