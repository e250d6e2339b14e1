import { CallError, refuseOption } from '../../errors.js';
import type { Zone } from '../../log/zone.js';
import { checkInstant } from '../instant.js';
import type { Arrivals } from './arrivals.js';
import { type Profile, trafficFrom, type Traffic } from './traffic.js';
import { sliceOf, type SynthPlan } from './synth.js';

/** The requested traffic: two of `count`, `rate` and the end decide the third. */
interface TrafficOptions {
  readonly seed: number;
  /** The beginning: Unix time in milliseconds. */
  readonly from: number;
  /** The end: Unix time in milliseconds, exclusive. */
  readonly to: number | undefined;
  /** The length of the traffic in milliseconds, instead of its end. */
  readonly durationMs: number | undefined;
  /** The number of requests; Infinity for traffic without an end. */
  readonly count: number | undefined;
  /** Requests a second, on average. */
  readonly rate: number | undefined;
  readonly profile: Profile;
  readonly arrivals: Arrivals;
  /** The slice to make, `i/n`; undefined for all. */
  readonly shard: string | undefined;
  /** The zone of days and of the hours of profiles. */
  readonly zone: Zone;
}

/** The options that a message may name. */
type NamedOption = 'from' | 'to' | 'durationMs' | 'count' | 'rate' | 'shard';

/** The names of options in messages, and their values as they were given. */
interface OptionWords {
  readonly nameOf: (option: NamedOption) => string;
  readonly textOf: (option: NamedOption) => string;
}

/** The traffic that results from options. */
export interface PlannedTraffic {
  /** The traffic without its targets. */
  readonly plan: Omit<SynthPlan, 'targets' | 'mark'>;
  readonly isFirstShard: boolean;
  /** True for traffic until the last moment that a log can show. */
  readonly isEndless: boolean;
}

/** The default beginning of traffic, as `parseTime` reads it. */
export const DEFAULT_FROM = '2025-05-18';

const DEFAULT_COUNT = 1000;
const DAY_MS = 86_400_000;
/** Some days before the end of 9999: endless traffic is counted by its mean, and a profile deviates from the mean for days. */
const LAST_MOMENT = Date.UTC(9999, 11, 31) - 14 * DAY_MS;

/** Plans traffic from options. @throws CallError that names the invalid option */
export function planTraffic(options: TrafficOptions, words: OptionWords): PlannedTraffic {
  // Endless traffic has a rate.
  const { seed, from, rate = NaN, profile, arrivals, zone } = options;
  const extent = extentOf(options, words);
  const traffic = trafficFrom(profile, from, zone);
  const shard = options.shard === undefined ? { i: 1, n: 1 } : parseShard(options.shard, extent.count, words);
  const isEndless = extent.count === Infinity;
  const step = isEndless ? (traffic.meanPerMs * 1000) / rate : traffic.until(extent.to) / extent.count;
  const count = isEndless ? endlessCount(traffic, step, from, words) : extent.count;
  return {
    plan: { seed, arrivals, traffic, count, step, before: extent.to, slice: sliceOf(count, shard.i, shard.n) },
    isFirstShard: shard.i === 1,
    isEndless,
  };
}

/** Counts the requests of endless traffic: as many as fit before the last moment. */
function endlessCount({ meanPerMs }: Traffic, step: number, from: number, { nameOf }: OptionWords): number {
  const count = Math.min(Math.floor(((LAST_MOMENT - from) * meanPerMs) / step), Number.MAX_SAFE_INTEGER);
  if (count > 0) return count;
  const problem = 'leaves no time for requests without an end, which go on until 17 December 9999';
  throw new CallError({ source: nameOf('from') }, problem, `give an earlier time, or give ${nameOf('count')} a number`);
}

/** Gives the end of the traffic (Unix time in milliseconds, exclusive) and the number of its requests, both Infinity for endless traffic. */
function extentOf(options: TrafficOptions, { nameOf, textOf }: OptionWords): { readonly to: number; readonly count: number } {
  const { from, durationMs, count, rate, zone } = options;
  if (options.to !== undefined && durationMs !== undefined) {
    const problem = `${nameOf('to')} already gives the end of the traffic`;
    throw new CallError({ source: nameOf('durationMs') }, problem, 'give one of the two');
  }
  const end = durationMs === undefined ? 'to' : 'durationMs';
  const hasEnd = options[end] !== undefined;
  if (count !== undefined && rate !== undefined && hasEnd) {
    const problem = `follows from ${nameOf('count')} and ${nameOf('rate')}`;
    throw new CallError({ source: nameOf(end) }, problem, 'give two of the three');
  }
  if (count === Infinity) {
    if (hasEnd) {
      const problem = `cannot be combined with ${nameOf('count')} ${textOf('count')}`;
      throw refuseOption(nameOf(end), textOf(end), problem, 'give only one of the two');
    }
    if (rate === undefined) {
      throw refuseOption(nameOf('count'), textOf('count'), 'needs a rate', `give ${nameOf('rate')} too`);
    }
    return { to: Infinity, count };
  }
  const to = count !== undefined && rate !== undefined ? from + Math.ceil((count / rate) * 1000) : endOf(options);
  // No requests at a rate take no time, which is valid.
  if (options.to !== undefined && to <= from) {
    throw refuseOption(nameOf('to'), textOf('to'), `is not after ${nameOf('from')}`, 'give a later time');
  }
  if (to > from && checkInstant(to - 1, zone) !== undefined) {
    const remedy = 'give fewer requests, or a higher rate';
    throw new CallError({ source: nameOf(end) }, 'the traffic would last beyond the year 9999', remedy);
  }
  const counted = count ?? (rate === undefined ? DEFAULT_COUNT : Math.floor(((to - from) / 1000) * rate));
  if (Number.isSafeInteger(counted)) return { to, count: counted };
  throw refuseOption(nameOf('rate'), textOf('rate'), 'gives too many requests', 'give a lower rate');
}

function endOf({ from, to, durationMs, zone }: TrafficOptions): number {
  return to ?? (durationMs === undefined ? nextDay(from, zone) : from + durationMs);
}

/** Finds the same time of day on the next day; 24 hours later if clocks are set forward over that time. */
function nextDay(from: number, zone: Zone): number {
  const second = Math.floor(from / 1000);
  const localSecond = second + zone.offsetAt(second) + DAY_MS / 1000;
  const [next] = zone.instantsOf(localSecond);
  return next === undefined ? from + DAY_MS : next * 1000 + (from - second * 1000);
}

function parseShard(text: string, count: number, { nameOf }: OptionWords): { readonly i: number; readonly n: number } {
  const [, i = NaN, n = NaN] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (!(Number.isSafeInteger(n) && i >= 1 && i <= n)) {
    throw refuseOption(nameOf('shard'), text, 'is not a slice', 'give it as i/n, from 1/n to n/n');
  }
  if (count !== Infinity) return { i, n };
  throw refuseOption(nameOf('shard'), text, 'needs traffic that ends', `give ${nameOf('count')} a number`);
}
