import { drawBelow, startDrawing, type Draw } from '../requests/draws.js';
import { FAULT_KINDS, type FaultKind, type PerKind } from './kinds.js';
import { drawWriters } from './mixing.js';

/** Faults are decided on in blocks of so many groups, from group 0 on. No fault spans two blocks. */
export const BLOCK_GROUPS = 1024;

/** A fault that is to begin at a group. */
export interface Hit {
  readonly kind: FaultKind;
  /** The number of the group that it was drawn for. It may begin at a later one of the same block. */
  readonly drawnFor: number;
  /** From which group on it may begin. */
  readonly from: number;
  /** Of an `interleave`: how many groups are to mix. */
  readonly writers: number;
  /** The burst of failed logins that it is part of. */
  readonly burst?: BurstPart;
}

/** A place in a burst of failed logins from one address. */
export interface BurstPart {
  /** The group that the burst's first login was drawn for: the same in all parts of a burst, and in no other burst. */
  readonly burst: number;
  /** The number of logins of the burst before this one. */
  readonly place: number;
}

const HITS = [0xc2b2ae35, 0x27d4eb2f] as const;

/** The share of `foreign` faults that begin a burst, and the number of logins in a burst. */
const BURST_SHARE = 1 / 6;
const FEWEST_LOGINS = 3;
const MOST_LOGINS = 8;

/** Decides which groups of a block are hit, by fault seed and block alone. */
export class HitPlanner {
  readonly #seed: number;
  readonly #hasBursts: boolean;
  /** Of each kind that occurs: the sum of the rates up to and with its own. */
  readonly #bounds: readonly { readonly kind: FaultKind; readonly until: number }[];
  /** The sum of all rates. */
  readonly #rate: number;

  /** @param hasBursts true if some of the `foreign` records are bursts of failed logins */
  constructor(rates: PerKind, seed: number, hasBursts: boolean) {
    this.#seed = seed;
    this.#hasBursts = hasBursts;
    let until = 0;
    this.#bounds = FAULT_KINDS.filter((kind) => rates[kind] > 0).map((kind) => {
      until += rates[kind];
      return { kind, until };
    });
    this.#rate = until;
  }

  /** The hits of a block, in the order in which they are to begin. */
  plan(block: number): readonly Hit[] {
    const draw = startDrawing(HITS, this.#seed, block);
    const drawn: { kind: FaultKind; drawnFor: number }[] = [];
    const first = block * BLOCK_GROUPS;
    for (let drawnFor = first; drawnFor < first + BLOCK_GROUPS; drawnFor += 1) {
      const place = draw();
      if (place >= this.#rate) continue;
      const kind = this.#bounds.find(({ until }) => place < until)?.kind;
      if (kind !== undefined) drawn.push({ kind, drawnFor });
    }
    const bursts = this.#hasBursts ? drawBursts(drawn, draw) : new Map<number, BurstPart>();
    return drawn
      .map(({ kind, drawnFor }): Hit => {
        const writers = kind === 'interleave' ? drawWriters(draw) : 1;
        const burst = bursts.get(drawnFor);
        // The logins of a burst come at once: those that were drawn for later groups are brought forward, so that their number stays.
        return burst === undefined
          ? { kind, drawnFor, writers, from: drawnFor }
          : { kind, drawnFor, writers, burst, from: burst.burst };
      })
      .sort((one, other) => one.from - other.from);
  }
}

/** Makes bursts of some of the `foreign` hits of a block. @returns parts of bursts by the group that each was drawn for */
function drawBursts(drawn: readonly { kind: FaultKind; drawnFor: number }[], draw: Draw): ReadonlyMap<number, BurstPart> {
  const parts = new Map<number, BurstPart>();
  let burst = 0;
  let place = 0;
  let left = 0;
  for (const { kind, drawnFor } of drawn) {
    if (kind !== 'foreign') continue;
    if (left === 0 && draw() < BURST_SHARE) {
      burst = drawnFor;
      place = 0;
      left = FEWEST_LOGINS + drawBelow(MOST_LOGINS - FEWEST_LOGINS + 1, draw);
    }
    if (left === 0) continue;
    parts.set(drawnFor, { burst, place });
    place += 1;
    left -= 1;
  }
  return parts;
}

/** The hits of a block that have not become faults yet. */
export class HitQueue {
  readonly #coming: Hit[];
  readonly #due: Hit[] = [];

  /** @param hits in the order in which they are to begin */
  constructor(hits: readonly Hit[]) {
    this.#coming = [...hits];
  }

  /** The first group that a hit may take. */
  get nextGroup(): number {
    return this.#due.length > 0 ? -Infinity : (this.#coming[0]?.from ?? Infinity);
  }

  /** The hits that may begin at a group, those that have waited longest first. */
  dueAt(group: number): readonly Hit[] {
    for (let hit = this.#coming[0]; hit !== undefined && hit.from <= group; hit = this.#coming[0]) {
      this.#due.push(hit);
      this.#coming.shift();
    }
    return this.#due;
  }

  /** Removes a hit that is due: it has become a fault. */
  remove(hit: Hit): void {
    this.#due.splice(this.#due.indexOf(hit), 1);
  }
}
