import { refuseOption, refuseUse, type NameOption } from '../../errors.js';
import type { Zone } from '../../log/zone.js';
import { checkInstant } from '../instant.js';
import { sliceOf, type ArrivalPlan, type Arrivals, type Slice } from './arrivals.js';
import { type Profile, trafficFrom, type Traffic } from './traffic.js';

/** Two of `count`, `rate` and the end decide the third. */
interface TrafficOptions {
  readonly seed: number;
  /** Unix time in milliseconds, like `to`, which is exclusive. */
  readonly from: number;
  readonly to?: number | undefined;
  readonly duration?: number | undefined;
  readonly count?: number | undefined;
  readonly rate?: number | undefined;
  readonly profile: Profile;
  readonly arrivals: Arrivals;
  readonly shard?: string | undefined;
  readonly zone: Zone;
}

/** The values of options as the caller has written them, for messages; left out, they are shown as numbers. */
type GivenTexts = Readonly<Partial<Record<'to' | 'duration' | 'count' | 'rate', string | undefined>>>;

interface PlannedTraffic {
  readonly plan: ArrivalPlan & { readonly slice: Slice };
  readonly isFirstShard: boolean;
}

export const DEFAULT_FROM = '2025-05-18';

const DEFAULT_COUNT = 1000;
const DAY_MS = 86_400_000;
/** Some days before the end of 9999: endless traffic is counted by its mean, and a profile deviates from the mean for days. */
const LAST_MOMENT = Date.UTC(9999, 11, 31) - 14 * DAY_MS;

export function planTraffic(options: TrafficOptions, given: GivenTexts = {}): PlannedTraffic {
  const { seed, from, rate = NaN, profile, arrivals, zone } = options;
  const extent = extentOf(options, given);
  const traffic = trafficFrom(profile, from, zone);
  const shard = options.shard === undefined ? { i: 1, n: 1 } : parseShard(options.shard, extent.count);
  const isEndless = extent.count === Infinity;
  const step = isEndless ? (traffic.meanPerMs * 1000) / rate : traffic.until(extent.to) / extent.count;
  const count = isEndless ? endlessCount(traffic, step, from) : extent.count;
  return {
    plan: { seed, arrivals, traffic, count, step, before: extent.to, slice: sliceOf(count, shard.i, shard.n) },
    isFirstShard: shard.i === 1,
  };
}

function endlessCount({ meanPerMs }: Traffic, step: number, from: number): number {
  const count = Math.min(Math.floor(((LAST_MOMENT - from) * meanPerMs) / step), Number.MAX_SAFE_INTEGER);
  if (count > 0) return count;
  const problem = 'leaves no time for requests without an end, which go on until 17 December 9999';
  throw refuseUse('from', problem, (option) => `give an earlier time, or give ${option('count')} a number`);
}

/** The end and the number of requests, both Infinity for endless traffic. */
function extentOf(options: TrafficOptions, given: GivenTexts): { readonly to: number; readonly count: number } {
  const { from, duration, count, rate, zone } = options;
  const textOf = (key: keyof GivenTexts): string => given[key] ?? String(options[key]);
  if (options.to !== undefined && duration !== undefined)
    throw refuseUse('duration', (option) => `${option('to')} already gives the end of the traffic`, 'give one of the two');
  const end = duration === undefined ? 'to' : 'duration';
  const hasEnd = options[end] !== undefined;
  if (count !== undefined && rate !== undefined && hasEnd)
    throw refuseUse(end, (option) => `follows from ${option('count')} and ${option('rate')}`, 'give two of the three');
  if (count === Infinity) {
    const refuse = (option: NameOption): string => `cannot be combined with ${option('count', textOf('count'))}`;
    if (hasEnd) throw refuseOption(end, textOf(end), refuse, 'give only one of the two');
    if (rate === undefined)
      throw refuseOption('count', textOf('count'), 'needs a rate', (option) => `give ${option('rate')} too`);
    return { to: Infinity, count };
  }
  const to =
    count !== undefined && rate !== undefined
      ? from + Math.ceil((count / rate) * 1000)
      : (options.to ?? (duration === undefined ? nextDay(from, zone) : from + duration));
  // No requests at a rate take no time, which is valid.
  if (options.to !== undefined && to <= from)
    throw refuseOption('to', textOf('to'), (option) => `is not after ${option('from')}`, 'give a later time');
  if (to > from && checkInstant(to - 1, zone) !== undefined)
    throw refuseUse(end, 'the traffic would last beyond the year 9999', 'give fewer requests, or a higher rate');
  const counted = count ?? (rate === undefined ? DEFAULT_COUNT : Math.floor(((to - from) / 1000) * rate));
  if (Number.isSafeInteger(counted)) return { to, count: counted };
  throw refuseOption('rate', textOf('rate'), 'gives too many requests', 'give a lower rate');
}

/** The same time of day on the next day; 24 hours later if clocks are set forward over that time. */
function nextDay(from: number, zone: Zone): number {
  const second = Math.floor(from / 1000);
  const localSecond = second + zone.offsetAt(second) + DAY_MS / 1000;
  const [next] = zone.instantsOf(localSecond);
  return next === undefined ? from + DAY_MS : next * 1000 + (from - second * 1000);
}

function parseShard(text: string, count: number): { readonly i: number; readonly n: number } {
  const [, i = NaN, n = NaN] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (!(Number.isSafeInteger(n) && i >= 1 && i <= n))
    throw refuseOption('shard', text, 'is not a slice', 'give it as i/n, from 1/n to n/n');
  if (count !== Infinity) return { i, n };
  throw refuseOption('shard', text, 'needs traffic that ends', (option) => `give ${option('count')} a number`);
}
