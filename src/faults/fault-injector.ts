import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import type { Piece, PieceBatches } from '../output/piece.js';
import type { Slice } from '../requests/synth/synth.js';
import type { Fault } from './fault.js';
import { FaultMaker } from './fault-maker.js';
import { HeldGroup } from './held-group.js';
import { HitQueue } from './hit-queue.js';
import { BLOCK_GROUPS, HitPlanner, type Hit } from './hits.js';
import { forEachKind, type FaultKind, type PerKind } from './kinds.js';
import { MOST_CLUSTER_GROUPS } from './reach.js';
import { RecordStarts } from './record-starts.js';
import { Scratch } from './scratch.js';

/** Options of breaking a log. */
interface InjectorOptions {
  /** Of each kind, the share of groups at which a fault of it begins; at most 1 in all. */
  readonly rates: PerKind;
  /** A whole number. */
  readonly seed: number;
  readonly deployment: Deployment;
  /** The records that `foreign` takes: byte strings without an LF at their end, one at least. Left out, those of the real software. */
  readonly foreignRecords?: readonly string[] | undefined;
  /** The groups that are given: pieces that begin with another one are left out. Default: all, from group 0 on. See `widenSlice`. */
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

/** A hit that becomes a fault at the first group held. */
interface Choice {
  readonly hit: Hit;
  /** The number of groups that it takes. */
  readonly reach: number;
}

const NO_KINDS: readonly FaultKind[] = [];

/**
 * Breaks a log on purpose. Which groups are hit, and how, depends on fault seed, group number and the groups of a block of 1,024 alone, so
 * that any slice of the groups is broken as it is in the whole.
 *
 * A piece that is not hit is passed on as it came. A group that a hit may take is copied and held until the groups are there that the hit
 * needs, or the block or the input ends.
 */
export class FaultInjector<T extends LogRequest> {
  readonly #planner: HitPlanner;
  readonly #maker: FaultMaker;
  readonly #slice: Slice;
  readonly #onFault: InjectorOptions['onFault'];
  /** The number of records in a group. */
  readonly #records: number;
  /** The number of the group that comes next. */
  #number: number;
  #hits = new HitQueue([]);
  /** Groups before this one are passed on: nothing is held, no hit is due, and they belong to the slice. */
  #freeUntil = 0;
  /** Groups that came last and have not been given. */
  readonly #held: HeldGroup<T>[] = [];
  /** The number of lines and of groups given so far. */
  #lines = 0;
  #groups = 0;
  readonly #starts: RecordStarts;
  readonly #unplaced = forEachKind(0);
  /** Memory of what is held, and of the piece that was given last. */
  readonly #scratch = new Scratch(MOST_CLUSTER_GROUPS + 1);

  constructor({ rates, seed, deployment, foreignRecords, slice = { first: 0, end: Infinity }, onFault }: InjectorOptions) {
    this.#planner = new HitPlanner(rates, seed, foreignRecords === undefined);
    this.#maker = new FaultMaker(seed, deployment, foreignRecords);
    this.#slice = slice;
    this.#number = slice.first - (slice.first % BLOCK_GROUPS);
    this.#onFault = onFault;
    this.#records = deployment.plugins.length + 1;
    this.#starts = new RecordStarts(deployment);
  }

  /** Of each kind, how many hits no group of their block could have: its rate was not reached. */
  get unplaced(): PerKind {
    return this.#unplaced;
  }

  /**
   * Breaks batches of pieces, each of which is one group. Before an error of the source is passed on, what is held is given as if the
   * input had ended.
   */
  async *inject(batches: PieceBatches<T>): AsyncGenerator<Iterable<Piece<T>>> {
    const end = { [Symbol.iterator]: () => ({ next: () => this.#nextOfEnd() }) };
    try {
      for await (const batch of batches) {
        yield {
          [Symbol.iterator]: () => {
            const pieces = batch[Symbol.iterator]();
            return { next: () => this.#nextOf(pieces) };
          },
        };
      }
    } catch (error) {
      yield end;
      throw error;
    }
    yield end;
  }

  /** The next piece that can be given while a batch comes. No generator: it would take a tenth of the rate of groups that are not hit. */
  #nextOf(pieces: Iterator<Piece<T>>): IteratorResult<Piece<T>, undefined> {
    if (this.#number < this.#freeUntil) {
      const next = pieces.next();
      if (next.done === true) return { done: true, value: undefined };
      this.#number += 1;
      this.#count(1, this.#records);
      return next;
    }
    for (;;) {
      const isComplete = this.#number % BLOCK_GROUPS === 0;
      if (this.#held.length > 0) {
        const settled = this.#settle(isComplete);
        if (settled !== undefined) return { done: false, value: settled };
      }
      this.#held.at(-1)?.keep(this.#scratch);
      const next = pieces.next();
      if (next.done === true) return { done: true, value: undefined };
      if (isComplete) this.#beginBlock();
      const number = this.#number;
      this.#number += 1;
      if (this.#held.length > 0 || this.#hits.nextGroup <= number) {
        this.#held.push(new HeldGroup(next.value.origin, next.value.bytes, this.#starts));
        continue;
      }
      if (!this.#isInSlice(number)) continue;
      const blockEnd = number - (number % BLOCK_GROUPS) + BLOCK_GROUPS;
      this.#freeUntil = Math.min(this.#hits.nextGroup, blockEnd, this.#slice.end);
      this.#count(1, this.#records);
      return next;
    }
  }

  /** The next piece that is held when the input has ended. */
  #nextOfEnd(): IteratorResult<Piece<T>, undefined> {
    const settled = this.#held.length > 0 ? this.#settle(true) : undefined;
    if (settled !== undefined) return { done: false, value: settled };
    this.#endBlock();
    return { done: true, value: undefined };
  }

  #beginBlock(): void {
    this.#endBlock();
    this.#hits = new HitQueue(this.#planner.plan(this.#number / BLOCK_GROUPS));
  }

  #endBlock(): void {
    for (const { kind, drawnFor } of this.#hits.due) if (this.#isInSlice(drawnFor)) this.#unplaced[kind] += 1;
    this.#hits = new HitQueue([]);
  }

  /** The next piece of what is held, if what becomes of it is certain. @param isComplete true if no more groups of the block come */
  #settle(isComplete: boolean): Piece<T> | undefined {
    for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
      const number = this.#number - this.#held.length;
      this.#hits.advanceTo(number);
      const choice = this.#choose(isComplete);
      if (choice === 'wait') return undefined;
      const piece = choice === undefined ? this.#giveClean(first, number) : this.#giveBroken(first, number, choice);
      if (piece !== undefined) return piece;
    }
    return undefined;
  }

  /** Chooses the hit that the first group held has; 'wait' if that depends on groups to come. */
  #choose(isComplete: boolean): Choice | 'wait' | undefined {
    let impossible = NO_KINDS;
    for (let hit = this.#hits.first(impossible); hit !== undefined; hit = this.#hits.first(impossible)) {
      const reach = this.#maker.reach(hit, this.#held, isComplete);
      if (reach === undefined) return 'wait';
      if (reach > 0) return { hit, reach };
      impossible = [...impossible, hit.kind];
    }
    return undefined;
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
    const { bytes, change } = this.#maker.make(hit, [first, ...others]);
    const { request: origin } = others.at(-1) ?? first;
    this.#hits.remove(hit.kind);
    const { lineCount, at, touched, details } = change;
    const line = this.#lines + 1 + at;
    if (!this.#isInSlice(number)) return undefined;
    this.#count(reach, lineCount);
    this.#onFault({ line, lines: touched, request: first.request, details }, this.#groups);
    return { bytes, count: reach, origin };
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
