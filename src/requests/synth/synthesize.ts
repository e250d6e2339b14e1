import {
  isObject,
  requireCount,
  requireOneOf,
  requireOptions,
  requirePositive,
  requireText,
  type OptionChecks,
} from '../../arguments.js';
import { createDeployment } from '../../log/deployment.js';
import type { LogRequest } from '../../log/group.js';
import { zoneNamed } from '../../log/zone.js';
import { namesOf } from '../../wording.js';
import { requireTime, resolveTime, type Time } from '../instant.js';
import { checkMethod, checkTarget, type Refusal } from '../request.js';
import { markerOf, pathOf, prefixOf, requireMark } from '../target.js';
import { ARRIVALS, blocksOf, type ArrivalPlan, type Arrivals, type Block, type Slice } from './arrivals.js';
import { DEFAULT_FROM, planTraffic } from './plan-traffic.js';
import { PROFILES, type Profile } from './traffic.js';
import { OBSERVED_TARGETS, type TargetShare } from './weighted-targets.js';

/**
 * Options of `synthesize`: those of the command `synth`. Two of `count`, `rate` and an end (`to` or `duration`) decide the third; all
 * three together are an error. The default is 1000 requests in a day.
 */
export interface SynthesizeOptions {
  /** Seed of the random generator: a whole number. Default 1. */
  readonly seed?: number;
  /** The beginning. Default: 2025-05-18 on the clock of `timezone`. */
  readonly from?: Time;
  /** The end, exclusive. Default: a day after `from`. */
  readonly to?: Time;
  /** The length of the traffic in milliseconds, instead of `to`. */
  readonly duration?: number;
  /** The number of requests; Infinity, together with `rate`, for traffic without an end. Default 1000. */
  readonly count?: number;
  /** Requests a second, on average. */
  readonly rate?: number;
  /** `flat`: the same traffic at all hours (the default). `office`: more on working days than at night. */
  readonly profile?: Profile;
  /** The arrival process of requests. Default `poisson`: like requests of independent users. */
  readonly arrivals?: Arrivals;
  /** The targets to draw from; at least one has a weight above 0. Default: the twelve targets of section 2.4. */
  readonly targets?: readonly TargetShare[];
  /** The i-th of n slices, `i/n`. The slices in order are the whole. */
  readonly shard?: `${number}/${number}`;
  /** A query parameter that numbers the requests from 1 on, so that no two targets are equal. Default: none. */
  readonly mark?: string;
  /** The IANA name of the zone of days and of the hours of profiles. Default `Europe/Warsaw`. */
  readonly timezone?: string;
}

export const SYNTHESIZE_OPTIONS: OptionChecks<keyof SynthesizeOptions> = {
  seed: (value, name) => {
    if (!Number.isSafeInteger(value)) throw new TypeError(`${name} is not a whole number of at most 15 digits`);
  },
  from: requireTime,
  to: requireTime,
  duration: requirePositive,
  count: requireCount(0),
  rate: requirePositive,
  profile: requireOneOf(namesOf(PROFILES)),
  arrivals: requireOneOf(namesOf(ARRIVALS)),
  targets: requireTargets,
  shard: requireText,
  mark: requireText,
  timezone: requireText,
};

/**
 * Makes up requests, as the command `synth` does: the same options give the same requests. Gives requests in order of time, in batches of
 * at most 1,024, for `replay`, `renderGroups` or `injectFaults`.
 * @throws TypeError for an unknown option, and for a value of a wrong type or out of its range
 * @throws CallError for options that contradict each other, and for a text that is not a time, a slice or the name of a parameter
 * @throws RangeError for an unknown time zone
 */
export function synthesize(options: SynthesizeOptions = {}): Generator<readonly LogRequest[]> {
  requireOptions(options, 'options', SYNTHESIZE_OPTIONS);
  const { seed = 1, profile = 'flat', arrivals = 'poisson', targets = OBSERVED_TARGETS, mark } = options;
  const { timezone = createDeployment().timezone } = options;
  if (mark !== undefined) requireMark('mark', mark);
  const from = resolveTime('from', options.from ?? DEFAULT_FROM, timezone);
  const to = options.to === undefined ? undefined : resolveTime('to', options.to, timezone);
  const traffic = { ...options, from, to, seed, profile, arrivals, zone: zoneNamed(timezone) };
  const { plan } = planTraffic(traffic, { to: to === undefined ? undefined : String(options.to) });
  return drawRequests({ ...plan, targets, mark });
}

const TARGET = "{ target: '/mail/', weight: 1 }";

function requireTargets(value: unknown, name: string): void {
  if (!Array.isArray(value)) throw new TypeError(`${name} is not an array of targets; give one such as [${TARGET}]`);
  const shares: readonly unknown[] = value;
  let isAnyDrawn = false;
  for (const [index, share] of shares.entries()) {
    const shareName = `${name}[${String(index)}]`;
    requireOptions(share, shareName, { target: () => undefined, weight: () => undefined, method: () => undefined });
    // Required, so checked even if left out.
    const { target, weight, method = 'GET' }: Partial<Record<string, unknown>> = isObject(share) ? { ...share } : {};
    requireValid(checkTarget, target, `${shareName}.target`);
    requireValid(checkMethod, method, `${shareName}.method`);
    if (typeof weight !== 'number' || !(weight >= 0 && weight < Infinity))
      throw new TypeError(`${shareName}.weight is not a number from 0 on`);
    isAnyDrawn ||= weight > 0;
  }
  if (!isAnyDrawn) throw new TypeError(`no target of ${name} has a weight above 0; give one such as ${TARGET}`);
}

function requireValid(check: (text: string) => Refusal<string> | undefined, value: unknown, name: string): void {
  if (typeof value !== 'string') throw new TypeError(`${name} is not a string`);
  const refusal = check(value);
  if (refusal !== undefined) throw new TypeError(`${name} ${refusal.problem}; ${refusal.remedy}`);
}

/** Request k (from 0) depends only on the plan and on k. */
interface SynthPlan extends ArrivalPlan {
  readonly targets: readonly TargetShare[];
  readonly slice: Slice;
  readonly mark?: string | undefined;
}

/** Of pairs of requests under different prefixes, the share whose second comes within seconds of the first (6.4), with a target as any. */
const COMPANION_SHARE = 1 / 5;
const COMPANION_WITHIN_MS = 3000;

export function* drawRequests(plan: SynthPlan): Generator<readonly LogRequest[]> {
  const { slice } = plan;
  const pick = targetPicker(plan.targets);
  const mark = plan.mark === undefined ? undefined : markerOf(plan.mark, slice.first + 1);
  for (const block of blocksOf(plan, slice)) {
    const requests = drawBlock(block, slice.end, pick).slice(Math.max(0, slice.first - block.first));
    yield mark?.(requests) ?? requests;
  }
}

/** Requests depend only on earlier draws of the block, so a slice may end anywhere. */
function drawBlock({ first, end, draw, momentOf }: Block, sliceEnd: number, pick: TargetPicker): LogRequest[] {
  const requests: LogRequest[] = [];
  let [previousMillisecond, previousPrefix] = [0, ''];
  for (let k = first; k < Math.min(end, sliceEnd); k += 1) {
    let millisecond = momentOf(k);
    const { method, target, prefix } = pick(draw());
    const isSecond = (k - first) % 2 === 1;
    if (isSecond && prefix !== previousPrefix && draw() < COMPANION_SHARE)
      millisecond = Math.min(millisecond, previousMillisecond + Math.floor(draw() * COMPANION_WITHIN_MS));
    requests.push({ millisecond, method, target });
    previousMillisecond = millisecond;
    previousPrefix = prefix;
  }
  return requests;
}

type TargetPicker = (fraction: number) => { readonly method: string; readonly target: string; readonly prefix: string };

/** Makes a function that finds the target at a fraction (from 0 up to, but not including, 1) of the weight of all. */
function targetPicker(shares: readonly TargetShare[]): TargetPicker {
  let sum = 0;
  const targets = shares
    .filter(({ weight }) => weight > 0)
    .map(({ target, weight, method = 'GET' }) => {
      sum += weight;
      return { method, target, prefix: prefixOf(pathOf(target)) ?? '', weightUntil: sum };
    });
  // The index of the first target in each of many equal buckets of the weight: a power of two, so bounds are exact.
  const firstIn = new Uint32Array(1 << (32 - Math.clz32(targets.length * 4)));
  const find = (fraction: number, from: number): number => {
    let index = from;
    while (index < targets.length - 1 && (targets[index]?.weightUntil ?? 0) <= fraction * sum) index += 1;
    return index;
  };
  for (let bucket = 1; bucket < firstIn.length; bucket += 1)
    firstIn[bucket] = find(bucket / firstIn.length, firstIn[bucket - 1] ?? 0);
  return (fraction) => {
    const target = targets[find(fraction, firstIn[Math.floor(fraction * firstIn.length)] ?? 0)];
    if (target === undefined) throw new RangeError('there is no target to draw from');
    return target;
  };
}
