import { CallError } from '../../errors.js';
import type { Deployment } from '../../log/deployment.js';
import { zoneNamed, type Zone } from '../../log/zone.js';
import type { Anchor } from '../../output/pacer.js';
import { findInstantFault } from '../../requests/instant.js';
import { sliceOf, type Slice, type SynthOptions } from '../../requests/synth/synth.js';
import { trafficFrom, type Traffic } from '../../requests/synth/traffic.js';
import { parseCount, parseMark, parsePositive, parseTime, refuseOption } from '../options/option-values.js';
import { resolveDeployment } from '../options/resolve-deployment.js';
import type { RawSynthOptions } from './command.js';

/** The options as meant. */
export interface ResolvedSynth {
  /** What is made up, but for the targets. */
  readonly plan: Omit<SynthOptions, 'targets'>;
  readonly deployment: Deployment;
  readonly speed: number | undefined;
  /** When the traffic begins by the wall clock; undefined if that is no matter. */
  readonly anchor: Anchor | undefined;
  readonly mark: string | undefined;
  readonly isFirstShard: boolean;
}

const DEFAULT_FROM = '2025-05-18';
const DEFAULT_COUNT = 1000;
const DAY_MS = 86_400_000;
/** Traffic of a profile differs from its mean for days. */
const LAST_MOMENT = Date.UTC(9999, 11, 31) - 14 * DAY_MS;

/** @throws CallError that names the option at fault */
export function resolveSynth(raw: RawSynthOptions): ResolvedSynth {
  const deployment = resolveDeployment(raw);
  const zone = zoneNamed(deployment.timezone);
  const given = parseTime('--from', raw.from ?? DEFAULT_FROM, deployment.timezone);
  const anchor = given === undefined ? { millisecond: Date.now(), clockMs: performance.now() } : undefined;
  const from = given ?? anchor?.millisecond ?? 0;
  const span = resolveSpan(raw, from, deployment.timezone);
  const traffic = trafficFrom(raw.profile, from, zone);
  const shard = raw.shard === undefined ? { i: 1, n: 1 } : parseShard(raw.shard, span.count);
  const isEndless = span.count === Infinity;
  const step = isEndless ? (traffic.meanPerMs * 1000) / span.rate : traffic.until(span.to) / span.count;
  const slice = isEndless ? endlessSlice(traffic, step, from) : sliceOf(span.count, shard.i, shard.n);
  return {
    plan: { seed: parseSeed(raw.seed), traffic, step, before: span.to, slice },
    deployment,
    speed: raw.speed === undefined ? undefined : parsePositive('--speed', raw.speed),
    anchor,
    mark: raw.mark === undefined ? undefined : parseMark('--mark', raw.mark),
    isFirstShard: shard.i === 1,
  };
}

/** As many requests as there can be until the year 9999 ends: what does not end otherwise ends then, or some days before. */
function endlessSlice({ meanPerMs }: Traffic, step: number, from: number): Slice {
  const end = Math.floor(((LAST_MOMENT - from) * meanPerMs) / step);
  if (end > 0) return { first: 0, end };
  const problem = 'leaves no time for requests without an end, which go on until 17 December 9999';
  throw new CallError({ source: '--from' }, problem, 'give an earlier time, or a --count');
}

/** From when to when, and how much. */
interface Span {
  /** Unix time in milliseconds, exclusive. */
  readonly to: number;
  readonly count: number;
  /** Requests a second; it matters where the count is infinite. */
  readonly rate: number;
}

function resolveSpan(raw: RawSynthOptions, from: number, timezone: string): Span {
  const zone = zoneNamed(timezone);
  if (raw.count !== undefined && raw.rate !== undefined && raw.to !== undefined) {
    throw new CallError({ source: '--to' }, 'follows from --count and --rate', 'give two of the three');
  }
  const count = raw.count === undefined ? undefined : parseCount('--count', raw.count, 0);
  const rate = raw.rate === undefined ? undefined : parsePositive('--rate', raw.rate);
  if (count === Infinity) {
    if (raw.to !== undefined)
      throw refuseOption('--to', raw.to, 'is an end, which forever has not', 'leave it out, or give a --count');
    if (rate === undefined) throw refuseOption('--count', 'forever', 'needs a rate', 'give --rate with it');
    return { to: Infinity, count, rate };
  }
  const to =
    count !== undefined && rate !== undefined ? from + Math.ceil((count / rate) * 1000) : resolveTo(raw.to, from, timezone);
  if (to > from && findInstantFault(to - 1, zone) !== undefined) {
    throw new CallError(
      { source: '--to' },
      'the traffic would last beyond the year 9999',
      'give fewer requests, or a higher rate',
    );
  }
  const counted = count ?? (rate === undefined ? DEFAULT_COUNT : Math.floor(((to - from) / 1000) * rate));
  if (Number.isSafeInteger(counted)) return { to, count: counted, rate: rate ?? 0 };
  throw refuseOption('--rate', raw.rate ?? '', 'is too many requests', 'give a lower rate');
}

function resolveTo(text: string | undefined, from: number, timezone: string): number {
  if (text === undefined) return nextDay(from, zoneNamed(timezone));
  const to = parseTime('--to', text, timezone);
  if (to === undefined) throw refuseOption('--to', text, 'is no end', 'give a time after --from');
  if (to > from) return to;
  throw refuseOption('--to', text, 'is not after --from', 'give a later time');
}

/** The same time of day on the next day; 24 hours on, where there is no such time. */
function nextDay(from: number, zone: Zone): number {
  const second = Math.floor(from / 1000);
  const localSecond = second + zone.offsetAt(second) + DAY_MS / 1000;
  const [next] = zone.instantsOf(localSecond);
  return next === undefined ? from + DAY_MS : next * 1000 + (from - second * 1000);
}

function parseSeed(text: string): number {
  const seed = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(seed)) return seed;
  throw refuseOption('--seed', text, 'is no whole number of at most 15 digits', 'give one such as 7');
}

function parseShard(text: string, count: number): { readonly i: number; readonly n: number } {
  const [, i = NaN, n = NaN] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (!(Number.isSafeInteger(n) && i >= 1 && i <= n)) {
    throw refuseOption('--shard', text, 'is no slice', 'give it as i/n, from 1/n to n/n');
  }
  if (count !== Infinity) return { i, n };
  throw refuseOption('--shard', text, 'is a share of nothing that ends', 'give a --count with it');
}
