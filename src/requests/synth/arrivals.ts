import type { Kinds } from '../../wording.js';
import { startDrawing, type Draw } from '../draws.js';
import type { Traffic } from './traffic.js';

export const ARRIVALS = {
  poisson: { meaning: 'requests arrive as those of many independent users', model: 'a Poisson process' },
  even: { meaning: 'one request in each equal interval', model: 'a health check, or a load generator at a constant rate' },
  bursty: {
    meaning: 'bursts of requests within 2 seconds',
    model: 'pages that send several requests, or a proxy that delivers them in batches',
  },
} as const satisfies Kinds & Readonly<Record<string, { model: string }>>;
/** The arrival process of requests: `poisson`, `even` (one request in each of many strata of equal traffic) or `bursty`. */
export type Arrivals = keyof typeof ARRIVALS;

export interface ArrivalPlan {
  readonly seed: number;
  readonly arrivals: Arrivals;
  readonly traffic: Traffic;
  readonly count: number;
  /** The amount of traffic for each request, on average. */
  readonly step: number;
  readonly before: number;
}

export interface Slice {
  readonly first: number;
  readonly end: number;
}

/** Gives the i-th (from 1) of n slices of `count` requests. */
export function sliceOf(count: number, i: number, n: number): Slice {
  // The product may exceed 2^53.
  const bound = (index: number): number => Number((BigInt(count) * BigInt(index)) / BigInt(n));
  return { first: bound(i - 1), end: bound(i) };
}

/** At most 1,024 consecutive requests, which are drawn together. */
export interface Block extends Slice {
  readonly draw: Draw;
  /** Gives the Unix millisecond of request k, in the order of k; never steps back. */
  readonly momentOf: (k: number) => number;
}

/** A block depends only on the plan and its own number. */
export function blocksOf(plan: ArrivalPlan, slice: Slice): Generator<Block> {
  return plan.arrivals === 'even' ? evenBlocks(plan, slice) : randomBlocks(plan, slice);
}

const BLOCK_REQUESTS = 1024;

const EVEN = [0x9e3779b9, 0x85ebca6b] as const;
const HALVES = [0x3c6ef372, 0x1b873593] as const;
const MOMENTS = [0xdaa66d2b, 0xcc9e2d51] as const;

/** The moment of request k is drawn from the k-th of `count` strata of equal traffic. */
function* evenBlocks({ seed, traffic, step, before }: ArrivalPlan, slice: Slice): Generator<Block> {
  for (let block = Math.floor(slice.first / BLOCK_REQUESTS); block * BLOCK_REQUESTS < slice.end; block += 1) {
    const draw = startDrawing(EVEN, seed, block);
    const first = block * BLOCK_REQUESTS;
    const momentOf = (k: number): number => Math.min(traffic.instantAt((k + draw()) * step), before - 1);
    yield { first, end: first + BLOCK_REQUESTS, draw, momentOf };
  }
}

const BURST_REQUESTS = 8;
const BURST_MS = 2000;

interface Segment {
  readonly index: number;
  readonly total: number;
  /** The number of bursts (of requests, where there are none) before this segment, and in it. */
  readonly first: number;
  readonly count: number;
}

/**
 * A Poisson process conditioned on its number of events: bursts at independent, uniformly distributed amounts of traffic. The traffic is
 * bisected down to blocks; the draw of the (binomial) number of bursts in one half depends only on the seed and the segment.
 */
function* randomBlocks(plan: ArrivalPlan, slice: Slice): Generator<Block> {
  const size = plan.arrivals === 'bursty' ? BURST_REQUESTS : 1;
  const segments: Segment[] = [{ index: 0, total: 1, first: 0, count: Math.ceil(plan.count / size) }];
  for (let segment = segments.pop(); segment !== undefined; segment = segments.pop()) {
    const first = segment.first * size;
    // The last burst may be smaller.
    const end = Math.min((segment.first + segment.count) * size, plan.count);
    if (first >= slice.end) return;
    if (end <= slice.first) continue;
    if (segment.count * size > BLOCK_REQUESTS) segments.push(...halve(segment, plan.seed).reverse());
    else yield drawMoments(plan, segment, { first, end });
  }
}

function halve({ index, total, first, count }: Segment, seed: number): [Segment, Segment] {
  const inFirst = drawHalf(count, startDrawing(HALVES, seed, total + index));
  return [
    { index: index * 2, total: total * 2, first, count: inFirst },
    { index: index * 2 + 1, total: total * 2, first: first + inFirst, count: count - inFirst },
  ];
}

/** The binomial distribution of many is close to normal, and so is the sum of twelve draws (mean 6, variance 1), without a logarithm. */
function drawHalf(count: number, draw: Draw): number {
  let sum = 0;
  for (let drawn = 0; drawn < 12; drawn += 1) sum += draw();
  return Math.round((count + (sum - 6) * Math.sqrt(count)) / 2);
}

function drawMoments(plan: ArrivalPlan, { index: segment, total, count }: Segment, { first, end }: Slice): Block {
  const { traffic, before } = plan;
  const draw = startDrawing(MOMENTS, plan.seed, total + segment);
  const width = (plan.count * plan.step) / total;
  const instantAt = (share: number): number => traffic.instantAt((segment + share) * width);
  const shares = new Float64Array(count).map(draw);
  if (plan.arrivals === 'poisson') {
    shares.sort();
    return { first, end, draw, momentOf: (k) => Math.min(instantAt(shares[k - first] ?? 0), before - 1) };
  }
  const from = instantAt(0);
  const lengthMs = Math.max(1, instantAt(1) - from);
  const bursts = shares.map((share) => instantAt(share) - from);
  // A burst that reaches beyond the segment wraps around to its beginning, so that no segment depends on another.
  const drawDelay = (): number => ((bursts[Math.floor(draw() * count)] ?? 0) + Math.floor(draw() * BURST_MS)) % lengthMs;
  const delays = new Float64Array(end - first).map(drawDelay).sort();
  return { first, end, draw, momentOf: (k) => Math.min(from + (delays[k - first] ?? 0), before - 1) };
}
