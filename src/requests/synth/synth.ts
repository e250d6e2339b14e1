import type { LogRequest } from '../../log/group.js';
import { startDrawing } from '../draws.js';
import { markerOf } from '../mark.js';
import { pathOf } from '../target.js';
import type { Traffic } from './traffic.js';
import type { WeightedTarget } from './weighted-targets.js';

/** The traffic to make. Request k (from 0) depends only on these options and k, not on earlier requests. */
export interface SynthPlan {
  /** The seed of the random numbers: a whole number. */
  readonly seed: number;
  readonly traffic: Traffic;
  /** The amount of traffic for each request: the moment of request k is drawn from the k-th stretch of this amount. */
  readonly step: number;
  /** The Unix millisecond before which all requests are. */
  readonly before: number;
  readonly targets: readonly WeightedTarget[];
  readonly slice: Slice;
  /** The query parameter that numbers the requests, from 1 for request 0; undefined for none. */
  readonly mark?: string | undefined;
}

/** A range of requests, by number. */
export interface Slice {
  readonly first: number;
  /** The number after the last request. */
  readonly end: number;
}

/** Gives the i-th (from 1) of n slices of `count` requests. In order, the slices are the whole. */
export function sliceOf(count: number, i: number, n: number): Slice {
  // The product may be larger than the integers that a number holds exactly.
  const bound = (index: number): number => Number((BigInt(count) * BigInt(index)) / BigInt(n));
  return { first: bound(i - 1), end: bound(i) };
}

/** The number of requests that share one sequence of random numbers; even, because requests are drawn in pairs. */
const BLOCK_REQUESTS = 1024;

/**
 * The share of pairs under two different prefixes in which the second request follows the first within seconds (6.4): its twin. The
 * target of a twin is drawn as any other, so that the share of each target is its weight.
 */
const TWIN_SHARE = 1 / 5;
const TWIN_WITHIN_MS = 3000;

/** The purpose of these draws. */
const TRAFFIC = [0x9e3779b9, 0x85ebca6b] as const;

/**
 * Draws the requests of a plan. Moments are drawn by stratified sampling of the cumulative traffic: one from each of many stretches of
 * equal traffic, so time never steps back. Gives a batch of at most 1,024 requests at a time.
 */
export function* drawRequests(plan: SynthPlan): Generator<readonly LogRequest[]> {
  const { first, end } = plan.slice;
  const pool = new TargetPool(plan.targets);
  const mark = plan.mark === undefined ? undefined : markerOf(plan.mark, first + 1);
  for (let block = Math.floor(first / BLOCK_REQUESTS); block * BLOCK_REQUESTS < end; block += 1) {
    const from = block * BLOCK_REQUESTS;
    const requests = makeBlock(block, plan, pool).slice(Math.max(0, first - from), end - from);
    yield mark?.(requests) ?? requests;
  }
}

function makeBlock(block: number, { seed, traffic, step, before, slice }: SynthPlan, pool: TargetPool): LogRequest[] {
  const draw = startDrawing(TRAFFIC, seed, block);
  const requests: LogRequest[] = [];
  const from = block * BLOCK_REQUESTS;
  const end = Math.min(from + BLOCK_REQUESTS, slice.end);
  const drawMoment = (k: number): number => Math.min(traffic.instantAt((k + draw()) * step), before - 1);
  for (let k = from; k < end; k += 2) {
    const millisecond = drawMoment(k);
    const first = pool.pick(draw());
    requests.push({ millisecond, method: first.method, target: first.target });
    let nextMillisecond = drawMoment(k + 1);
    const second = pool.pick(draw());
    if (second.prefix !== first.prefix && draw() < TWIN_SHARE) {
      nextMillisecond = Math.min(nextMillisecond, millisecond + Math.floor(draw() * TWIN_WITHIN_MS));
    }
    requests.push({ millisecond: nextMillisecond, method: second.method, target: second.target });
  }
  // The second request of a pair is drawn even if only the first is in the slice: the draws of a block are the same in every
  // slice.
  return requests;
}

interface PooledTarget extends WeightedTarget {
  /** The first segment of the path: the prefix under which the application is mounted. */
  readonly prefix: string;
  /** The sum of the weights up to and including this target. */
  readonly until: number;
}

/** Weighted targets to draw from. */
class TargetPool {
  readonly #targets: readonly PooledTarget[];
  readonly #weight: number;

  /** @param targets at least one of them with a weight above 0 */
  constructor(targets: readonly WeightedTarget[]) {
    let until = 0;
    this.#targets = targets
      .filter(({ weight }) => weight > 0)
      .map((target) => {
        until += target.weight;
        return { ...target, prefix: pathOf(target.target).split('/', 2)[1] ?? '', until };
      });
    this.#weight = until;
  }

  /** Gives the target at a fraction (from 0 up to, but not including, 1) of the sum of weights. */
  pick(fraction: number): PooledTarget {
    const at = fraction * this.#weight;
    let low = 0;
    let high = this.#targets.length - 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#targets[middle]?.until ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    const target = this.#targets[low];
    if (target === undefined) throw new RangeError('there is no target to draw from');
    return target;
  }
}
