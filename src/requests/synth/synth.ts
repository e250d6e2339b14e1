import { startDrawing } from '../draws.js';
import type { LogRequest } from '../../log/group.js';
import { pathOf } from '../target.js';
import type { Traffic } from './traffic.js';
import type { WeightedTarget } from './weighted-targets.js';

/** Traffic to be made up. Request k (from 0) depends on these and k alone, not on what was made before it. */
export interface SynthOptions {
  /** A whole number. */
  readonly seed: number;
  readonly traffic: Traffic;
  /** The traffic between two requests: k's moment is drawn from the k-th stretch of so much of it. */
  readonly step: number;
  /** The Unix millisecond that all requests are before. */
  readonly before: number;
  readonly targets: readonly WeightedTarget[];
  /** The numbers of the first request to make and of the first one not to. */
  readonly slice: Slice;
}

export interface Slice {
  readonly first: number;
  readonly end: number;
}

/** The i-th (from 1) of n slices of so many requests: together, in order, they are the whole. */
export function sliceOf(count: number, i: number, n: number): Slice {
  // What is multiplied here may be more than a number holds exactly.
  const bound = (index: number): number => Number((BigInt(count) * BigInt(index)) / BigInt(n));
  return { first: bound(i - 1), end: bound(i) };
}

/** Random numbers are drawn for so many requests together; an even number. */
const BLOCK_REQUESTS = 1024;

/** Of every two requests, the second is a twin of the first this often: another prefix, moments later (6.4). */
const TWIN_SHARE = 1 / 8;
const TWIN_WITHIN_MS = 3000;

/** How often a target under another prefix is drawn for; where there is none, the request is no twin. */
const TWIN_DRAWS = 4;

/** The purpose of these draws. */
const TRAFFIC = [0x9e3779b9, 0x85ebca6b] as const;

/**
 * Makes requests up. Moments are drawn by stratified sampling of the cumulative traffic: one from each of many stretches of equal
 * traffic, so that they never step back. Gives a batch for each block of requests.
 */
export function* synthesize(options: SynthOptions): Generator<readonly LogRequest[]> {
  const { first, end } = options.slice;
  const pool = new TargetPool(options.targets);
  for (let block = Math.floor(first / BLOCK_REQUESTS); block * BLOCK_REQUESTS < end; block += 1) {
    const from = block * BLOCK_REQUESTS;
    yield makeBlock(block, options, pool).slice(Math.max(0, first - from), end - from);
  }
}

function makeBlock(block: number, { seed, traffic, step, before, slice }: SynthOptions, pool: TargetPool): LogRequest[] {
  const draw = startDrawing(TRAFFIC, seed, block);
  const requests: LogRequest[] = [];
  const from = block * BLOCK_REQUESTS;
  const end = Math.min(from + BLOCK_REQUESTS, slice.end);
  const drawMoment = (k: number): number => Math.min(traffic.instantAt((k + draw()) * step), before - 1);
  for (let k = from; k < end; k += 2) {
    const millisecond = drawMoment(k);
    const one = pool.pick(draw());
    requests.push({ millisecond, method: one.method, target: one.target });
    const nextMillisecond = drawMoment(k + 1);
    let next = pool.pick(draw());
    let moment = nextMillisecond;
    if (draw() < TWIN_SHARE) {
      const twinMillisecond = millisecond + Math.floor(draw() * TWIN_WITHIN_MS);
      for (let count = 1; count < TWIN_DRAWS && next.prefix === one.prefix; count += 1) next = pool.pick(draw());
      if (next.prefix !== one.prefix) moment = Math.min(nextMillisecond, twinMillisecond);
    }
    requests.push({ millisecond: moment, method: next.method, target: next.target });
  }
  // The second of a pair is drawn even where only the first is wanted: the draws of a block are the same in every slice.
  return requests;
}

interface PooledTarget extends WeightedTarget {
  /** The first segment of the path: under which prefix the application is mounted. */
  readonly prefix: string;
  /** The weights up to and with this one. */
  readonly until: number;
}

/** Targets to draw from. */
class TargetPool {
  readonly #targets: readonly PooledTarget[];
  readonly #weight: number;

  /** @param targets one at least has a weight above 0 */
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

  /** The target at a place from 0 up to, but not including, 1. */
  pick(place: number): PooledTarget {
    const at = place * this.#weight;
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
