import { EnvelopeWriter } from '../envelope/envelope-writer.js';
import { PIECE_BYTES, type EnvelopeName } from '../envelope/envelopes.js';
import { linesIn } from '../lines.js';
import { recordCountOf, type LogRequest } from '../log/group.js';
import type { Piece, PieceBatches } from '../output/piece.js';
import type { Slice } from '../requests/synth/arrivals.js';
import { makeChange, type ChangeSettings } from './changes.js';
import type { Fault, Group, Groups } from './fault.js';
import { BLOCK_GROUPS, planHits, reachOf, type Hit } from './hits.js';
import type { FaultKind, PerKind } from './kinds.js';

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
 * whole log. Pieces without a hit are passed on. A group that a hit may take is held until the other groups of the hit have come, or the
 * block or the input ends.
 */
export class FaultInjector<T extends LogRequest> {
  /** For each kind, the number of hits whose block had no suitable group. */
  readonly unplaced: Partial<Record<FaultKind, number>> = {};
  readonly #slice: Slice;
  readonly #writer: EnvelopeWriter | undefined;
  /** The number of the next group. */
  #number: number;
  /** The hits of the block that have not become faults, in the order of `from`. */
  #hits: Hit[] = [];
  readonly #held: Group<T>[] = [];
  #lines = 0;
  #groups = 0;
  /** The faults given and not taken, each with the number of groups in the log once the fault is. */
  readonly #given: { readonly fault: Fault; readonly groups: number }[] = [];

  constructor(private readonly options: InjectorOptions) {
    const { deployment, envelope, slice = { first: 0, end: Infinity } } = options;
    this.#writer = envelope && new EnvelopeWriter(envelope, deployment);
    this.#slice = slice;
    this.#number = slice.first - (slice.first % BLOCK_GROUPS);
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
    const { deployment, rates, seed, foreignRecords, foreignOnly } = this.options;
    const hasBursts = foreignRecords === undefined && foreignOnly?.includes('login_failed') !== false;
    const records = recordCountOf(deployment);
    for (const piece of pieces) {
      const number = this.#number;
      if (number % BLOCK_GROUPS === 0) {
        this.#endBlock();
        this.#hits = planHits(number / BLOCK_GROUPS, rates, seed, hasBursts);
      }
      this.#number += 1;
      if (this.#held.length > 0 || (this.#hits[0]?.from ?? Infinity) <= number) {
        const { origin, bytes } = piece;
        const second = Math.floor(origin.millisecond / 1000);
        this.#held.push({ request: origin, second, bytes: bytes.length, lines: linesOf(bytes) });
        yield* this.#giveDecided(this.#number % BLOCK_GROUPS === 0);
      } else if (this.#isInSlice(number)) {
        const isWhole = this.#writer === undefined || piece.bytes.length < PIECE_BYTES;
        this.#lines += isWhole ? records : this.#countLines(linesOf(piece.bytes));
        this.#groups += 1;
        yield piece;
      }
    }
  }

  #endBlock(): void {
    for (const { kind, drawnFor, from } of this.#hits)
      if (from < this.#number && this.#isInSlice(drawnFor)) this.unplaced[kind] = (this.unplaced[kind] ?? 0) + 1;
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
      this.#groups += reach;
      const lines = hit === undefined ? first.lines : this.#makeFault(hit, [first, ...others]);
      this.#lines += this.#countLines(lines);
      yield { bytes: Buffer.from([...lines, ''].join('\n'), 'latin1'), count: reach, origin: (others.at(-1) ?? first).request };
    }
  }

  /** Chooses the hit of the first held group, if any, and the number of groups that it takes; undefined if that depends on groups to come. */
  #choose(number: number, isComplete: boolean): { readonly hit?: Hit; readonly reach: number } | undefined {
    for (const hit of this.#hits) {
      if (hit.from > number) break;
      const reach = reachOf(hit, this.#held, isComplete);
      if (reach === undefined) return undefined;
      if (reach > 0) return { hit, reach };
    }
    return { reach: 1 };
  }

  /** @returns the lines that replace the groups */
  #makeFault(hit: Hit, groups: Groups): readonly string[] {
    const { before, touched, after, details } = makeChange(hit, groups, this.options);
    const line = this.#lines + 1 + this.#countLines(before);
    const fault = { line, lines: this.#countLines(touched), request: groups[0].request, details };
    this.#given.push({ fault, groups: this.#groups });
    return [...before, ...touched, ...after];
  }

  /** The number of lines in the log that lines take: an envelope writes long ones in several. */
  #countLines(lines: readonly string[]): number {
    const writer = this.#writer;
    if (writer === undefined) return lines.length;
    return lines.reduce((sum, line) => sum + (line.length < PIECE_BYTES ? 1 : writer.countPieces(line)), 0);
  }

  #isInSlice(number: number): boolean {
    return number >= this.#slice.first && number < this.#slice.end;
  }
}

function linesOf({ buffer, byteOffset, length }: Uint8Array): readonly string[] {
  return linesIn(Buffer.from(buffer, byteOffset, length));
}
