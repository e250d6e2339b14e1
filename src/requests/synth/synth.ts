import type { LogRequest } from '../../log/group.js';
import { markerOf } from '../mark.js';
import { pathOf, prefixOf } from '../target.js';
import { blocksOf, type ArrivalPlan, type Block, type Slice } from './arrivals.js';
import type { TargetShare } from './weighted-targets.js';

/** The traffic to make. Request k (from 0) depends only on the plan and on k. */
export interface SynthPlan extends ArrivalPlan {
  readonly targets: readonly TargetShare[];
  readonly slice: Slice;
  /** The query parameter that numbers the requests, from 1 for request 0; undefined for none. */
  readonly mark?: string | undefined;
}

/** Gives the i-th (from 1) of n slices of `count` requests. The slices in order are the whole. */
export function sliceOf(count: number, i: number, n: number): Slice {
  // The product may exceed 2^53.
  const bound = (index: number): number => Number((BigInt(count) * BigInt(index)) / BigInt(n));
  return { first: bound(i - 1), end: bound(i) };
}

/**
 * The share of pairs of requests under different prefixes whose second request, the companion, is moved to within seconds of the first (6.4).
 * The target of a companion is drawn like any other, so that the share of each target is its weight.
 */
const COMPANION_SHARE = 1 / 5;
const COMPANION_WITHIN_MS = 3000;

/** Draws the requests of a plan in order of time, in batches of at most 1,024. */
export function* drawRequests(plan: SynthPlan): Generator<readonly LogRequest[]> {
  const { slice } = plan;
  const pool = new TargetPool(plan.targets);
  const mark = plan.mark === undefined ? undefined : markerOf(plan.mark, slice.first + 1);
  for (const block of blocksOf(plan, slice)) {
    const requests = drawBlock(block, slice.end, pool).slice(Math.max(0, slice.first - block.first));
    yield mark?.(requests) ?? requests;
  }
}

/** Draws the requests of a block up to `end`. Requests depend only on earlier draws of the block, so a slice may end anywhere. */
function drawBlock({ first, end: blockEnd, draw, momentOf }: Block, end: number, pool: TargetPool): LogRequest[] {
  const requests: LogRequest[] = [];
  let previousMillisecond = 0;
  let previousPrefix = '';
  for (let k = first; k < Math.min(blockEnd, end); k += 1) {
    let millisecond = momentOf(k);
    const { method, target, prefix } = pool.pick(draw());
    const isSecond = (k - first) % 2 === 1;
    if (isSecond && prefix !== previousPrefix && draw() < COMPANION_SHARE) {
      millisecond = Math.min(millisecond, previousMillisecond + Math.floor(draw() * COMPANION_WITHIN_MS));
    }
    requests.push({ millisecond, method, target });
    previousMillisecond = millisecond;
    previousPrefix = prefix;
  }
  return requests;
}

interface PooledTarget {
  readonly method: string;
  readonly target: string;
  /** The prefix under which the application is mounted. */
  readonly prefix: string;
  /** The sum of the weights up to and including this target. */
  readonly cumulativeWeight: number;
}

/** Weighted targets to draw from, by their cumulative weights. */
class TargetPool {
  readonly #targets: readonly PooledTarget[];
  readonly #weight: number;
  /** A lookup table: the index of the first target in each of many equal buckets of the weight. A power of two, so bounds are exact. */
  readonly #firstIn: Uint32Array;

  /** @param targets at least one has a weight above 0 */
  constructor(targets: readonly TargetShare[]) {
    let sum = 0;
    this.#targets = targets
      .filter(({ weight }) => weight > 0)
      .map(({ target, weight, method = 'GET' }) => {
        sum += weight;
        return { method, target, prefix: prefixOf(pathOf(target)) ?? '', cumulativeWeight: sum };
      });
    this.#weight = sum;
    let buckets = 1;
    while (buckets < this.#targets.length * 4) buckets *= 2;
    this.#firstIn = new Uint32Array(buckets);
    let index = 0;
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      index = this.#indexAt((bucket / buckets) * sum, index);
      this.#firstIn[bucket] = index;
    }
  }

  /** Gives the target at a fraction (from 0 up to, but not including, 1) of the sum of weights. */
  pick(fraction: number): PooledTarget {
    const from = this.#firstIn[Math.floor(fraction * this.#firstIn.length)] ?? 0;
    const target = this.#targets[this.#indexAt(fraction * this.#weight, from)];
    if (target === undefined) throw new RangeError('there is no target to draw from');
    return target;
  }

  /** Finds the target at a cumulative weight, searching from an index on. */
  #indexAt(weight: number, from: number): number {
    let index = from;
    while (index < this.#targets.length - 1 && (this.#targets[index]?.cumulativeWeight ?? 0) <= weight) index += 1;
    return index;
  }
}
