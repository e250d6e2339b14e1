import { EnvelopeWriter, PIECE_BYTES } from '../envelope/envelope-writer.js';
import type { EnvelopeName } from '../envelope/envelopes.js';
import { countLines } from '../lines.js';
import { recordCountOf, type LogRequest } from '../log/group.js';
import { iterate, type Piece, type PieceBatches } from '../output/piece.js';
import type { Slice } from '../requests/synth/arrivals.js';
import { MAX_CLUSTER_GROUPS, reachOfInterleave, reachOfLate, type Reach } from './clusters.js';
import type { Fault } from './fault.js';
import { BufferRing, HeldGroup } from './held-group.js';
import { BLOCK_GROUPS, planHits, type Hit } from './hits.js';
import type { FaultKind, PerKind } from './kinds.js';
import { makeChange, type ChangeSettings } from './changes.js';

interface InjectorOptions extends ChangeSettings {
  readonly rates: PerKind;
  /** The groups to give; pieces that begin with another group are left out. Default: all. See `widenSlice`. */
  readonly slice?: Slice | undefined;
  /** The envelope that the broken records are put in. */
  readonly envelope?: EnvelopeName | undefined;
}

/** Extends a slice of a log of `count` groups to the groups that decide its faults: those of the blocks that the slice touches. */
export function widenSlice({ first, end }: Slice, count: number): Slice {
  if (first === end) return { first, end };
  const blockEnd = Math.ceil(end / BLOCK_GROUPS) * BLOCK_GROUPS;
  return { first: first - (first % BLOCK_GROUPS), end: Math.min(blockEnd, count) };
}

/** A hit that becomes a fault at the first held group, and the number of groups that it takes. */
interface Choice {
  readonly hit: Hit;
  readonly reach: number;
}

/**
 * Breaks a log on purpose. Faults depend only on the fault seed, the group numbers and the groups of a block, so a slice is broken as in the
 * whole log. Pieces without a hit are passed on. A group that a hit may take is copied and held until the other groups of the hit have come,
 * or the block or the input ends.
 */
export class FaultInjector<T extends LogRequest> {
  /** For each kind, the number of hits whose block had no suitable group. */
  readonly unplaced: Partial<Record<FaultKind, number>> = {};
  readonly #options: InjectorOptions;
  readonly #slice: Slice;
  readonly #records: number;
  readonly #writer: EnvelopeWriter | undefined;
  /** The number of the next group. */
  #number: number;
  /** The hits of the block that have not become faults, in the order of `from`. */
  #hits: Hit[] = [];
  readonly #held: HeldGroup<T>[] = [];
  /** The number of lines and of groups given so far. */
  #lines = 0;
  #groups = 0;
  /** The faults given and not taken, each with the number of groups in the log once the fault is. */
  readonly #given: { readonly fault: Fault; readonly groups: number }[] = [];
  /** The memory of the held groups, and of the last fault. */
  readonly #heldBytes = new BufferRing(MAX_CLUSTER_GROUPS + 1);
  readonly #faultBytes = new BufferRing(1);

  constructor(options: InjectorOptions) {
    const { deployment, envelope, slice = { first: 0, end: Infinity } } = options;
    this.#writer = envelope && new EnvelopeWriter(envelope, deployment);
    this.#options = options;
    this.#slice = slice;
    this.#number = slice.first - (slice.first % BLOCK_GROUPS);
    this.#records = recordCountOf(deployment);
  }

  /** Breaks batches of pieces, each one group. Held groups are given before an error of the source, as at the end of the input. */
  async *inject(batches: PieceBatches<T>): AsyncGenerator<Iterable<Piece<T>>> {
    const end = iterate(() => this.#nextHeld());
    try {
      for await (const batch of batches) {
        const pieces = batch[Symbol.iterator]();
        yield iterate(() => this.#nextOf(pieces));
      }
    } catch (error) {
      yield end;
      throw error;
    }
    yield end;
  }

  /** Takes the faults in the first `groups` groups of the broken log, but for those taken before. */
  takeFaults(groups: number): readonly Fault[] {
    const later = this.#given.findIndex((given) => given.groups > groups);
    return this.#given.splice(0, later === -1 ? this.#given.length : later).map(({ fault }) => fault);
  }

  /** The next piece that can be given from a batch. */
  #nextOf(pieces: Iterator<Piece<T>>): IteratorResult<Piece<T>, undefined> {
    for (;;) {
      const isBlockEnd = this.#number % BLOCK_GROUPS === 0;
      if (this.#held.length > 0) {
        const decided = this.#takeDecided(isBlockEnd);
        if (decided !== undefined) return { done: false, value: decided };
        this.#held.at(-1)?.keep(this.#heldBytes);
      }
      const next = pieces.next();
      if (next.done === true) return { done: true, value: undefined };
      if (isBlockEnd) this.#beginBlock();
      const number = this.#number;
      this.#number += 1;
      if (this.#held.length > 0 || (this.#hits[0]?.from ?? Infinity) <= number) {
        this.#held.push(new HeldGroup(next.value.origin, next.value.bytes));
      } else if (this.#isInSlice(number)) {
        this.#countClean(next.value.bytes);
        return next;
      }
    }
  }

  /** The next held piece once the input has ended. */
  #nextHeld(): IteratorResult<Piece<T>, undefined> {
    const decided = this.#takeDecided(true);
    if (decided !== undefined) return { done: false, value: decided };
    this.#endBlock();
    return { done: true, value: undefined };
  }

  #beginBlock(): void {
    this.#endBlock();
    const { rates, seed, foreignRecords, foreignOnly } = this.#options;
    const hasBursts = foreignRecords === undefined && foreignOnly?.includes('login_failed') !== false;
    this.#hits = planHits(this.#number / BLOCK_GROUPS, rates, seed, hasBursts);
  }

  #endBlock(): void {
    for (const { kind, drawnFor, from } of this.#hits) {
      if (from < this.#number && this.#isInSlice(drawnFor)) this.unplaced[kind] = (this.unplaced[kind] ?? 0) + 1;
    }
    this.#hits = [];
  }

  /** Takes the next piece from the held groups once its fault is decided. @param isComplete true if no more groups of the block come */
  #takeDecided(isComplete: boolean): Piece<T> | undefined {
    for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
      const number = this.#number - this.#held.length;
      const choice = this.#choose(number, isComplete);
      if (choice === 'wait') return undefined;
      const piece = choice === undefined ? this.#giveClean(first, number) : this.#giveBroken(first, number, choice);
      if (piece !== undefined) return piece;
    }
    return undefined;
  }

  /** Chooses the hit of the first held group, if any; 'wait' if that depends on groups to come. */
  #choose(number: number, isComplete: boolean): Choice | 'wait' | undefined {
    const impossible: FaultKind[] = [];
    for (const hit of this.#hits) {
      if (hit.from > number) break;
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
    // A group without a deprecation record may be a single record, which has no neighbour.
    if (this.#records === 1 && (kind === 'interleave' || kind === 'swapped')) return 0;
    return kind === 'interleave' ? reachOfInterleave(this.#held, isComplete, writers) : 1;
  }

  /** Gives the first held group unchanged, if it belongs to the slice. */
  #giveClean({ bytes, request }: HeldGroup<T>, number: number): Piece<T> | undefined {
    this.#held.shift();
    if (!this.#isInSlice(number)) return undefined;
    this.#countClean(bytes);
    return { bytes, count: 1, origin: request };
  }

  /** Gives the fault that begins at the first held group, if that group belongs to the slice. */
  #giveBroken(first: HeldGroup<T>, number: number, { hit, reach }: Choice): Piece<T> | undefined {
    const [, ...others] = this.#held.splice(0, reach);
    this.#hits.splice(this.#hits.indexOf(hit), 1);
    if (!this.#isInSlice(number)) return undefined;
    const { parts, at, touched, details } = makeChange(hit, [first, ...others], this.#options);
    const bytes = this.#faultBytes.join(parts);
    const { before, touched: lines, all } = this.#measure(bytes, at, touched);
    const fault = { line: this.#lines + 1 + before, lines, request: first.request, details };
    this.#count(reach, all);
    this.#given.push({ fault, groups: this.#groups });
    return { bytes, count: reach, origin: (others.at(-1) ?? first).request };
  }

  /** The numbers of lines of a piece in the log, where an envelope writes long ones in pieces: before a fault, of it, and in all. */
  #measure(bytes: Uint8Array, at = 0, touched = 0): { readonly before: number; readonly touched: number; readonly all: number } {
    const writer = bytes.length < PIECE_BYTES ? undefined : this.#writer;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (writer === undefined) return { before: at, touched, all: countLines(buffer) };
    const counts = buffer
      .toString('latin1')
      .split('\n')
      .slice(0, -1)
      .map((line) => writer.countPieces(line));
    const sum = (from: number, until?: number): number => counts.slice(from, until).reduce((total, count) => total + count, 0);
    return { before: sum(0, at), touched: sum(at, at + touched), all: sum(0) };
  }

  #countClean(bytes: Uint8Array): void {
    this.#count(1, bytes.length < PIECE_BYTES ? this.#records : this.#measure(bytes).all);
  }

  #count(groups: number, lines: number): void {
    this.#groups += groups;
    this.#lines += lines;
  }

  #isInSlice(number: number): boolean {
    return number >= this.#slice.first && number < this.#slice.end;
  }
}
