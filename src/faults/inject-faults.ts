import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import type { Piece, PieceBatches } from '../output/piece.js';
import type { Slice } from '../requests/synth/synth.js';
import type { Change, Fault } from './fault.js';
import { FaultMaker } from './fault-maker.js';
import { HeldGroup } from './held-group.js';
import { HitQueue } from './hit-queue.js';
import { BLOCK_GROUPS, HitPlanner, type Hit } from './hits.js';
import { forEachKind, type PerKind } from './kinds.js';

/** How a log is to be broken. */
export interface FaultOptions {
  /** Of each kind, the share of groups at which a fault of it begins; at most 1 in all. */
  readonly rates: PerKind;
  /** A whole number. */
  readonly seed: number;
  readonly deployment: Deployment;
  /** The records that `foreign` takes: byte strings without an LF at their end, one at least. Left out, those of the real software. */
  readonly foreignRecords?: readonly string[] | undefined;
  /** Which groups are given: pieces that begin with another one are left out. Default: all, from group 0 on. See `widenSlice`. */
  readonly slice?: Slice | undefined;
  /**
   * Takes note of a fault whose piece is given next.
   *
   * @param groups how many groups of this run stand in the log when that piece does
   */
  readonly onFault: (fault: Fault, groups: number) => void;
}

/**
 * The groups that must come so that all faults of a slice are those of the whole: the blocks that the slice touches, at most two blocks more
 * than the slice.
 *
 * @param count how many groups the whole has
 */
export function widenSlice({ first, end }: Slice, count: number): Slice {
  if (first === end) return { first, end };
  const blockEnd = Math.ceil(end / BLOCK_GROUPS) * BLOCK_GROUPS;
  return { first: first - (first % BLOCK_GROUPS), end: Math.min(blockEnd, count) };
}

/** A hit that becomes a fault. */
interface Choice {
  readonly hit: Hit;
  /** How many groups it takes. */
  readonly reach: number;
  readonly change: Change;
}

/**
 * Breaks a log on purpose. Which groups are hit, and how, depends on fault seed, group number and the groups of a block of 1,024 alone, so
 * that any slice of the groups is broken as it is in the whole.
 *
 * A piece that is not hit is passed on as it came. What a hit needs is copied and held until the groups that it needs are there, the block
 * or the input ends.
 */
export class FaultInjector<T extends LogRequest> {
  readonly #planner: HitPlanner;
  readonly #maker: FaultMaker;
  readonly #slice: Slice;
  readonly #onFault: FaultOptions['onFault'];
  /** How many records a group has. */
  readonly #records: number;
  #hits = new HitQueue([]);
  /** Groups that a hit may take, and those behind them. */
  #held: HeldGroup<T>[] = [];
  /** The number of the group that comes next. */
  #number: number;
  /** How many lines and groups have been given. */
  #lines = 0;
  #groups = 0;
  readonly #unplaced = forEachKind(0);

  constructor({ rates, seed, deployment, foreignRecords, slice = { first: 0, end: Infinity }, onFault }: FaultOptions) {
    this.#planner = new HitPlanner(rates, seed, foreignRecords === undefined);
    this.#maker = new FaultMaker(seed, deployment, foreignRecords);
    this.#slice = slice;
    this.#number = slice.first - (slice.first % BLOCK_GROUPS);
    this.#onFault = onFault;
    this.#records = deployment.plugins.length + 1;
  }

  /** Of each kind, how many hits no group of their block could have, or too few: its rate was not reached. */
  get unplaced(): PerKind {
    return this.#unplaced;
  }

  /**
   * Breaks batches of pieces, each of which is one group. Before an error of the source is passed on, what is held is given as if the
   * input had ended.
   */
  async *inject(batches: PieceBatches<T>): AsyncGenerator<Iterable<Piece<T>>> {
    try {
      for await (const batch of batches) yield { [Symbol.iterator]: () => this.#injectBatch(batch) };
    } catch (error) {
      yield { [Symbol.iterator]: () => this.#endBlock() };
      throw error;
    }
    yield { [Symbol.iterator]: () => this.#endBlock() };
  }

  *#injectBatch(batch: Iterable<Piece<T>>): Generator<Piece<T>> {
    for (const piece of batch) {
      if (this.#number % BLOCK_GROUPS === 0) {
        yield* this.#endBlock();
        this.#hits = new HitQueue(this.#planner.plan(this.#number / BLOCK_GROUPS));
      }
      const number = this.#number;
      this.#number += 1;
      if (this.#held.length === 0 && this.#hits.isFree(number)) {
        if (this.#take(number, 1, this.#records)) yield piece;
      } else {
        this.#held.push(new HeldGroup(piece.origin, piece.bytes));
        yield* this.#settle(false);
      }
    }
  }

  /** Gives what is held: no more groups of its block come. */
  *#endBlock(): Generator<Piece<T>> {
    yield* this.#settle(true);
    const last = this.#number - 1;
    for (const { kind, drawnFor } of this.#hits.dueAt(last)) if (this.#isInSlice(drawnFor)) this.#unplaced[kind] += 1;
    this.#hits = new HitQueue([]);
  }

  /** Gives groups that are held, as far as what becomes of them is certain. */
  *#settle(isComplete: boolean): Generator<Piece<T>> {
    for (let [first] = this.#held; first !== undefined; [first] = this.#held) {
      const number = this.#number - this.#held.length;
      const choice = this.#choose(number, isComplete);
      if (choice === 'wait') return;
      const taken = this.#held.splice(0, choice?.reach ?? 1);
      const { request: origin } = taken.at(-1) ?? first;
      const line = this.#lines + 1;
      if (choice !== undefined) this.#hits.remove(choice.hit);
      if (!this.#take(number, taken.length, choice?.change.lineCount ?? this.#records)) continue;
      if (choice !== undefined) {
        const { at, touched, details } = choice.change;
        this.#onFault({ line: line + at, lines: touched, request: first.request, details }, this.#groups);
      }
      yield { bytes: choice?.change.bytes ?? first.bytes, count: taken.length, origin };
    }
  }

  /** Chooses the hit that a group has, which is the first of those held; 'wait' if that depends on groups to come. */
  #choose(number: number, isComplete: boolean): Choice | 'wait' | undefined {
    for (const hit of this.#hits.dueAt(number)) {
      const reach = this.#maker.reach(hit, this.#held, isComplete);
      if (reach === undefined) return 'wait';
      if (reach === 0) continue;
      const change = this.#maker.make(hit, this.#held.slice(0, reach));
      if (change !== undefined) return { hit, reach, change };
    }
    return undefined;
  }

  /** Counts a piece that is to be given. @returns false if it belongs to another slice */
  #take(number: number, groups: number, lines: number): boolean {
    if (!this.#isInSlice(number)) return false;
    this.#groups += groups;
    this.#lines += lines;
    return true;
  }

  #isInSlice(number: number): boolean {
    return number >= this.#slice.first && number < this.#slice.end;
  }
}
