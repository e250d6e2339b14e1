import type { LogRequest } from '../log/group.js';
import type { Piece, PieceBatches } from '../output/piece.js';
import type { Slice } from '../requests/synth/synth.js';
import { reachOfInterleave, reachOfLate, type Reach } from './clusters.js';
import type { Fault } from './fault.js';
import { HeldGroup, startsIn, type FindStarts } from './held-group.js';
import { BLOCK_GROUPS, HitPlanner, HitQueue, type Hit } from './hits.js';
import { forEachKind, type FaultKind, type PerKind } from './kinds.js';
import { makeChange, type ChangeSettings } from './make-change.js';

/** Options of breaking a log. */
interface InjectorOptions extends ChangeSettings {
  /** For each kind, the share of groups at which a fault of it begins; at most 1 in all. */
  readonly rates: PerKind;
  /** The groups that are given: pieces that begin with another one are left out. Default: all, from group 0 on. See `widenSlice`. */
  readonly slice?: Slice | undefined;
  /**
   * Is called with a fault before its piece is given.
   *
   * @param groups the number of groups of this run that stand in the log once that piece does
   */
  readonly onFault: (fault: Fault, groups: number) => void;
}

/**
 * The groups that must come so that all faults of a slice are those of the whole: the blocks that the slice touches, at most two blocks more
 * than the slice.
 *
 * @param count the number of groups of the whole
 */
export function widenSlice({ first, end }: Slice, count: number): Slice {
  if (first === end) return { first, end };
  const blockEnd = Math.ceil(end / BLOCK_GROUPS) * BLOCK_GROUPS;
  return { first: first - (first % BLOCK_GROUPS), end: Math.min(blockEnd, count) };
}

/** A hit that becomes a fault at the first group held. */
interface Choice {
  readonly hit: Hit;
  /** The number of groups that it takes. */
  readonly reach: number;
}

/**
 * Breaks a log on purpose. Which groups are hit, and how, depends on fault seed, group number and the groups of a block of 1,024 alone, so
 * that any slice of the groups is broken as it is in the whole.
 *
 * A piece that is not hit is passed on as it came. A group that a hit may take is copied and held until the groups are there that the hit
 * needs, or the block or the input ends.
 */
export class FaultInjector<T extends LogRequest> {
  readonly #planner: HitPlanner;
  readonly #settings: ChangeSettings;
  readonly #slice: Slice;
  readonly #onFault: InjectorOptions['onFault'];
  /** The number of records in a group. */
  readonly #records: number;
  readonly #findStarts: FindStarts;
  /** The number of the group that comes next. */
  #number: number;
  #hits = new HitQueue([]);
  /** Groups that came last and have not been given. */
  readonly #held: HeldGroup<T>[] = [];
  /** The number of lines and of groups given so far. */
  #lines = 0;
  #groups = 0;
  readonly #unplaced = forEachKind(0);

  constructor({ rates, slice = { first: 0, end: Infinity }, onFault, ...settings }: InjectorOptions) {
    const { seed, deployment, foreignRecords } = settings;
    this.#planner = new HitPlanner(rates, seed, foreignRecords === undefined);
    this.#settings = settings;
    this.#slice = slice;
    this.#number = slice.first - (slice.first % BLOCK_GROUPS);
    this.#onFault = onFault;
    this.#records = deployment.plugins.length + 1;
    this.#findStarts = startsIn(deployment);
  }

  /** For each kind, the number of hits that no group of their block could have: its rate was not reached. */
  get unplaced(): PerKind {
    return this.#unplaced;
  }

  /**
   * Breaks batches of pieces, each of which is one group. Before an error of the source is passed on, what is held is given as if the
   * input had ended.
   */
  async *inject(batches: PieceBatches<T>): AsyncGenerator<Iterable<Piece<T>>> {
    try {
      for await (const batch of batches) yield this.#break(batch);
    } catch (error) {
      yield this.#end();
      throw error;
    }
    yield this.#end();
  }

  /** The pieces that can be given while a batch comes. */
  *#break(batch: Iterable<Piece<T>>): Generator<Piece<T>, void> {
    for (const piece of batch) {
      if (this.#number % BLOCK_GROUPS === 0) this.#beginBlock();
      const number = this.#number;
      this.#number += 1;
      if (this.#held.length > 0 || this.#hits.nextGroup <= number) {
        this.#held.push(new HeldGroup(piece.origin, piece.bytes, this.#findStarts));
        yield* this.#settle(this.#number % BLOCK_GROUPS === 0);
        this.#held.at(-1)?.keep();
      } else if (this.#isInSlice(number)) {
        this.#count(1, this.#records);
        yield piece;
      }
    }
  }

  /** The pieces that are held when the input has ended. */
  *#end(): Generator<Piece<T>, void> {
    yield* this.#settle(true);
    this.#endBlock();
  }

  #beginBlock(): void {
    this.#endBlock();
    this.#hits = new HitQueue(this.#planner.plan(this.#number / BLOCK_GROUPS));
  }

  /** Counts the hits that are left, which are due: all groups of their block have come. */
  #endBlock(): void {
    for (const { kind, drawnFor } of this.#hits.dueAt(this.#number - 1)) if (this.#isInSlice(drawnFor)) this.#unplaced[kind] += 1;
    this.#hits = new HitQueue([]);
  }

  /** The pieces of the groups held whose change is certain. @param isComplete true if no more groups of the block come */
  *#settle(isComplete: boolean): Generator<Piece<T>, void> {
    for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
      const number = this.#number - this.#held.length;
      const choice = this.#choose(number, isComplete);
      if (choice === 'wait') return;
      const piece = choice === undefined ? this.#giveClean(first, number) : this.#giveBroken(first, number, choice);
      if (piece !== undefined) yield piece;
    }
  }

  /** Chooses the hit that the first group held has; 'wait' if that depends on groups to come. */
  #choose(number: number, isComplete: boolean): Choice | 'wait' | undefined {
    const due = this.#hits.dueAt(number);
    const impossible: FaultKind[] = [];
    for (const hit of due) {
      if (impossible.includes(hit.kind)) continue;
      const reach = this.#reach(hit, isComplete);
      if (reach === undefined) return 'wait';
      if (reach > 0) return { hit, reach };
      impossible.push(hit.kind);
    }
    return undefined;
  }

  #reach({ kind, writers }: Hit, isComplete: boolean): Reach {
    if (kind === 'late') return reachOfLate(this.#held, isComplete);
    return kind === 'interleave' ? reachOfInterleave(this.#held, isComplete, writers) : 1;
  }

  /** Gives the first group held as it came, if it belongs to the slice. */
  #giveClean({ bytes, request }: HeldGroup<T>, number: number): Piece<T> | undefined {
    this.#held.shift();
    if (!this.#isInSlice(number)) return undefined;
    this.#count(1, this.#records);
    return { bytes, count: 1, origin: request };
  }

  /** Gives the fault that begins at the first group held, if it belongs to the slice. */
  #giveBroken(first: HeldGroup<T>, number: number, { hit, reach }: Choice): Piece<T> | undefined {
    const [, ...others] = this.#held.splice(0, reach);
    this.#hits.remove(hit);
    if (!this.#isInSlice(number)) return undefined;
    const { bytes, lineCount, at, touched, details } = makeChange(hit, [first, ...others], this.#settings);
    const line = this.#lines + 1 + at;
    this.#count(reach, lineCount);
    this.#onFault({ line, lines: touched, request: first.request, details }, this.#groups);
    return { bytes, count: reach, origin: (others.at(-1) ?? first).request };
  }

  /** Counts a piece that is given. */
  #count(groups: number, lines: number): void {
    this.#groups += groups;
    this.#lines += lines;
  }

  #isInSlice(number: number): boolean {
    return number >= this.#slice.first && number < this.#slice.end;
  }
}
