import { drawBelow, startDrawing, type Draw } from '../requests/draws.js';
import { drawWriters } from './clusters.js';
import type { Group } from './fault.js';
import { FAULT_KINDS, type FaultKind, type PerKind } from './kinds.js';

/** Hits are drawn in blocks of this many groups, from group 0 on; no fault spans two blocks. */
export const BLOCK_GROUPS = 1024;

export interface Hit {
  readonly kind: FaultKind;
  /** The group that the fault was drawn for; a later one of the block may be the first that can have it. */
  readonly drawnFor: number;
  readonly from: number;
  readonly writers: number;
  /** Of a `foreign` in a burst of failed logins from one address. */
  readonly login: BurstLogin | undefined;
}

export interface BurstLogin {
  /** The group that the first login of the burst was drawn for. */
  readonly burst: number;
  readonly index: number;
}

const HITS = [0xc2b2ae35, 0x27d4eb2f] as const;

/** The hits of a block, in the order in which they are to begin. @param hasBursts true if some of `foreign` are bursts of failed logins */
export function planHits(block: number, rates: PerKind, seed: number, hasBursts: boolean): Hit[] {
  const draw = startDrawing(HITS, seed, block);
  let total = 0;
  const bounds = FAULT_KINDS.map((kind) => ({ kind, until: (total += rates[kind] ?? 0) }));
  const drawn: { kind: FaultKind; drawnFor: number }[] = [];
  const first = block * BLOCK_GROUPS;
  for (let drawnFor = first; drawnFor < first + BLOCK_GROUPS; drawnFor += 1) {
    const value = draw();
    const kind = value < total ? bounds.find(({ until }) => value < until)?.kind : undefined;
    if (kind !== undefined) drawn.push({ kind, drawnFor });
  }
  const foreign = drawn.filter(({ kind }) => hasBursts && kind === 'foreign').map(({ drawnFor }) => drawnFor);
  const logins = drawBursts(foreign, draw);
  return drawn
    .map(({ kind, drawnFor }): Hit => {
      const writers = kind === 'interleave' ? drawWriters(draw) : 1;
      const login = logins.get(drawnFor);
      // The logins of a burst come at once: those drawn for later groups are moved forward, so the number of faults stays the same.
      return { kind, drawnFor, writers, login, from: login?.burst ?? drawnFor };
    })
    .sort((hit, other) => hit.from - other.from);
}

/** The share of `foreign` faults that begin a burst, and the number of logins in a burst. */
const BURST_SHARE = 1 / 6;
const FEWEST_LOGINS = 3;
const MOST_LOGINS = 8;

/** Joins some of the `foreign` hits of a block to bursts. @param hits the groups that they were drawn for */
function drawBursts(hits: readonly number[], draw: Draw): ReadonlyMap<number, BurstLogin> {
  const logins = new Map<number, BurstLogin>();
  let isFree = 0;
  for (const [at, burst] of hits.entries()) {
    if (at < isFree) continue;
    const count = draw() < BURST_SHARE ? FEWEST_LOGINS + drawBelow(MOST_LOGINS - FEWEST_LOGINS + 1, draw) : 0;
    isFree = at + count;
    for (const [index, hit] of hits.slice(at, isFree).entries()) logins.set(hit, { burst, index });
  }
  return logins;
}

// A cluster is consecutive groups that a fault rearranges. It is one piece of output, so its size is limited.
const MAX_CLUSTER_GROUPS = 16;
const MAX_CLUSTER_BYTES = 1 << 20;

const MAX_SECONDS_APART = 2;

/**
 * The number of groups that a hit takes: 0 if it cannot begin at the first held group, undefined while groups to come decide. A `late`
 * takes its group, and all up to the first of a later second; an `interleave` its writers, if they are near each other, or some of them.
 * @param isComplete true if no more groups can join
 */
export function reachOf({ kind, writers }: Hit, held: readonly Group[], isComplete: boolean): number | undefined {
  const [first] = held;
  // A group without a deprecation record may be a single record, which has no neighbour.
  if (first?.lines.length === 1 && (kind === 'interleave' || kind === 'swapped')) return 0;
  if (first === undefined || (kind !== 'late' && kind !== 'interleave')) return 1;
  let bytes = 0;
  const beyond = held.findIndex((group, index) => (bytes += group.bytes) > MAX_CLUSTER_BYTES || index === MAX_CLUSTER_GROUPS);
  const fitting = beyond === -1 ? held : held.slice(0, beyond);
  const isFull = isComplete || beyond !== -1 || held.length === MAX_CLUSTER_GROUPS;
  if (kind === 'late') {
    const later = fitting.findIndex(({ second }) => second > first.second);
    return later === -1 && !isFull ? undefined : later + 1;
  }
  const seconds = fitting.slice(0, writers).map(({ second }) => second);
  const isFar = (second: number, index: number): boolean =>
    seconds.slice(0, index).some((before) => Math.abs(second - before) > MAX_SECONDS_APART);
  const far = seconds.findIndex(isFar);
  const near = far === -1 ? seconds.length : far;
  if (near < writers && near === fitting.length && !isFull) return undefined;
  return near < 2 ? 0 : near;
}
