import { EnvelopeWriter, PIECE_BYTES } from '../envelope/envelope-writer.js';
import type { EnvelopeName } from '../envelope/envelopes.js';
import { countLines } from '../lines.js';
import { recordCountOf, type LogRequest } from '../log/group.js';
import type { Piece, PieceBatches } from '../output/piece.js';
import type { Slice } from '../requests/synth/arrivals.js';
import { reachOfInterleave, reachOfLate, type Reach } from './clusters.js';
import type { Change, Fault, Groups } from './fault.js';
import { HeldGroup } from './held-group.js';
import { BLOCK_GROUPS, planHits, type Hit } from './hits.js';
import type { FaultKind, PerKind } from './kinds.js';
import { makeChange, type ChangeSettings } from './changes.js';

interface InjectorOptions extends ChangeSettings {
  readonly rates: PerKind;
  /** The groups to give; pieces that begin with another group are left out. Default: all. See `widenSlice`. */
  readonly slice?: Slice | undefined;
  readonly envelope?: EnvelopeName | undefined;
}

/** Extends a slice of a log of `count` groups to the groups that decide its faults: those of the blocks that the slice touches. */
export function widenSlice({ first, end }: Slice, count: number): Slice {
  if (first === end) return { first, end };
  const blockEnd = Math.ceil(end / BLOCK_GROUPS) * BLOCK_GROUPS;
  return { first: first - (first % BLOCK_GROUPS), end: Math.min(blockEnd, count) };
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
  #number: number;
  /** The hits of the block that have not become faults, in the order of `from`. */
  #hits: Hit[] = [];
  readonly #held: HeldGroup<T>[] = [];
  /** The number of lines and of groups given so far. */
  #lines = 0;
  #groups = 0;
  /** The faults given and not taken, each with the number of groups in the log once the fault is. */
  readonly #given: { readonly fault: Fault; readonly groups: number }[] = [];

  #buffer = Buffer.alloc(0);

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
    try {
      for await (const batch of batches) yield this.#break(batch);
    } catch (error) {
      yield this.#giveDecided(true);
      throw error;
    }
    yield this.#giveDecided(true);
    this.#endBlock();
  }

  /** Takes the faults in the first `groups` groups of the broken log, but for those taken before. */
  takeFaults(groups: number): readonly Fault[] {
    const later = this.#given.findIndex((given) => given.groups > groups);
    return this.#given.splice(0, later === -1 ? this.#given.length : later).map(({ fault }) => fault);
  }

  *#break(pieces: Iterable<Piece<T>>): Generator<Piece<T>> {
    for (const piece of pieces) {
      const number = this.#number;
      if (number % BLOCK_GROUPS === 0) this.#beginBlock();
      this.#number += 1;
      if (this.#held.length > 0 || (this.#hits[0]?.from ?? Infinity) <= number) {
        this.#held.push(new HeldGroup(piece.origin, piece.bytes));
        yield* this.#giveDecided(this.#number % BLOCK_GROUPS === 0);
        this.#held.at(-1)?.keep();
      } else if (this.#isInSlice(number)) {
        this.#countClean(piece.bytes);
        yield piece;
      }
    }
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

  /** Gives the held groups whose faults are decided. @param isComplete true if no more groups of the block come */
  *#giveDecided(isComplete: boolean): Generator<Piece<T>> {
    for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
      const number = this.#number - this.#held.length;
      const choice = this.#choose(number, isComplete);
      if (choice === undefined) return;
      const { hit, reach } = choice;
      const [, ...others] = this.#held.splice(0, reach);
      if (hit !== undefined) this.#hits.splice(this.#hits.indexOf(hit), 1);
      if (!this.#isInSlice(number)) continue;
      if (hit === undefined) this.#countClean(first.bytes);
      const bytes = hit === undefined ? first.bytes : this.#makeFault(hit, [first, ...others]);
      yield { bytes, count: reach, origin: (others.at(-1) ?? first).request };
    }
  }

  /** Chooses the hit of the first held group, if any, and the number of groups that it takes; undefined if that depends on groups to come. */
  #choose(number: number, isComplete: boolean): { readonly hit?: Hit; readonly reach: number } | undefined {
    const impossible: FaultKind[] = [];
    for (const hit of this.#hits) {
      if (hit.from > number) break;
      if (impossible.includes(hit.kind)) continue;
      const reach = this.#reach(hit, isComplete);
      if (reach === undefined) return undefined;
      if (reach > 0) return { hit, reach };
      impossible.push(hit.kind);
    }
    return { reach: 1 };
  }

  #reach({ kind, writers }: Hit, isComplete: boolean): Reach {
    if (kind === 'late') return reachOfLate(this.#held, isComplete);
    // A group without a deprecation record may be a single record, which has no neighbour.
    if (this.#records === 1 && (kind === 'interleave' || kind === 'swapped')) return 0;
    return kind === 'interleave' ? reachOfInterleave(this.#held, isComplete, writers) : 1;
  }

  /** Makes the fault of a hit, and counts it. @returns the lines that replace the groups */
  #makeFault(hit: Hit, groups: Groups): Uint8Array {
    const { parts, at, touched, details } = makeChange(hit, groups, this.#options);
    const bytes = this.#join(parts);
    const line = this.#lines + 1 + this.#linesIn(bytes, 0, at);
    const fault = { line, lines: this.#linesIn(bytes, at, at + touched), request: groups[0].request, details };
    this.#count(groups.length, this.#linesIn(bytes, 0, countLines(bytes)));
    this.#given.push({ fault, groups: this.#groups });
    return bytes;
  }

  #join(parts: Change['parts']): Buffer {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(2 * length);
    let at = 0;
    for (const part of parts) {
      if (typeof part === 'string') this.#buffer.write(part, at, 'latin1');
      else this.#buffer.set(part, at);
      at += part.length;
    }
    return this.#buffer.subarray(0, length);
  }

  /** The number of lines in the log that some lines of a piece take: an envelope writes long ones in several. */
  #linesIn(bytes: Uint8Array, from: number, until: number): number {
    const writer = this.#writer;
    if (writer === undefined || bytes.length < PIECE_BYTES) return until - from;
    const lines = Buffer.from(bytes).toString('latin1').split('\n').slice(from, until);
    return lines.reduce((count, line) => count + writer.countPieces(line), 0);
  }

  #countClean(bytes: Uint8Array): void {
    this.#count(1, this.#linesIn(bytes, 0, this.#records));
  }

  #count(groups: number, lines: number): void {
    this.#groups += groups;
    this.#lines += lines;
  }

  #isInSlice(number: number): boolean {
    return number >= this.#slice.first && number < this.#slice.end;
  }
}
