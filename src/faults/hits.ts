import { drawBelow, startDrawing, type Draw } from '../requests/draws.js';
import { FAULT_KINDS, type FaultKind, type PerKind } from './kinds.js';
import { drawWriters } from './clusters.js';

/** Hits are drawn in blocks of this many groups, from group 0 on; no fault spans two blocks. */
export const BLOCK_GROUPS = 1024;

export interface Hit {
  readonly kind: FaultKind;
  /** The group that the fault was drawn for; a later one of the block may be the first that can have it. */
  readonly drawnFor: number;
  readonly from: number;
  /** Of an `interleave`, the number of groups to mix. */
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

/** The share of `foreign` faults that begin a burst, and the number of logins in a burst. */
const BURST_SHARE = 1 / 6;
const FEWEST_LOGINS = 3;
const MOST_LOGINS = 8;

/** Draws the hits of a block, in the order in which they are to begin. @param hasBursts true if some of `foreign` are bursts of failed logins */
export function planHits(block: number, rates: PerKind, seed: number, hasBursts: boolean): Hit[] {
  const draw = startDrawing(HITS, seed, block);
  let total = 0;
  const bounds = FAULT_KINDS.map((kind) => ({ kind, until: (total += rates[kind] ?? 0) }));
  const drawn: { kind: FaultKind; drawnFor: number }[] = [];
  const first = block * BLOCK_GROUPS;
  for (let drawnFor = first; drawnFor < first + BLOCK_GROUPS; drawnFor += 1) {
    const value = draw();
    if (value >= total) continue;
    const kind = bounds.find(({ until }) => value < until)?.kind;
    if (kind !== undefined) drawn.push({ kind, drawnFor });
  }
  const logins = hasBursts ? drawBursts(drawn, draw) : new Map<number, BurstLogin>();
  return drawn
    .map(({ kind, drawnFor }): Hit => {
      const writers = kind === 'interleave' ? drawWriters(draw) : 1;
      const login = logins.get(drawnFor);
      // The logins of a burst come at once: those drawn for later groups are moved forward, so the number of faults stays the same.
      return { kind, drawnFor, writers, login, from: login?.burst ?? drawnFor };
    })
    .sort((hit, other) => hit.from - other.from);
}

/** Joins some of the `foreign` hits of a block to bursts: the logins by the groups that they were drawn for. */
function drawBursts(drawn: readonly { kind: FaultKind; drawnFor: number }[], draw: Draw): ReadonlyMap<number, BurstLogin> {
  const logins = new Map<number, BurstLogin>();
  let burst = 0;
  let index = 0;
  let left = 0;
  for (const { kind, drawnFor } of drawn) {
    if (kind !== 'foreign') continue;
    if (left === 0 && draw() < BURST_SHARE) {
      burst = drawnFor;
      index = 0;
      left = FEWEST_LOGINS + drawBelow(MOST_LOGINS - FEWEST_LOGINS + 1, draw);
    }
    if (left === 0) continue;
    logins.set(drawnFor, { burst, index });
    index += 1;
    left -= 1;
  }
  return logins;
}
