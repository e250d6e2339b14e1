import { LOOKAHEAD, type Side } from './side.js';

/** A step of an alignment: records of the first side alone, then of the second alone, then of both. */
export interface Edit {
  readonly removed: number;
  readonly inserted: number;
  readonly common: number;
}

/** An alignment of records ahead of both sides. */
interface Alignment {
  readonly edits: readonly Edit[];
  /** True if it ends in a long common stretch, or at the ends of both sides; else more records may change its end. */
  readonly isSure: boolean;
}

/** The number of equal records in a row from which on both sides are taken to go on together. */
const SYNC_LENGTH = 24;

/** The most edits of a shortest edit script. The search takes time with their square; beyond that, few records are common. */
const MAX_EDITS = 256;

/** Equal records of one side that are tried as the counterpart of a record of the other. */
const MAX_EQUAL = 16;

/**
 * Aligns the records ahead of both sides: as many as possible are common to both, in order. Where the sides differ little, Myers's greedy
 * algorithm finds the shortest edit script ("An O(ND) Difference Algorithm and Its Variations", 1986), and stops at the first long
 * common stretch.
 */
export class Aligner {
  /** Behind one another for 0, 1, 2, … edits: the furthest place in the first side on each diagonal that this number of edits reaches. */
  readonly #furthest = new Int32Array(rowOf(MAX_EDITS + 1));
  /** The digests of the records ahead. */
  readonly #sent = new Digests();
  readonly #received = new Digests();

  /** Aligns the next records, `reach` of each side at most. Undefined if that is less than `LOOKAHEAD` and too little to tell. */
  align(sent: Side, received: Side, reach: number): Alignment | undefined {
    this.#sent.read(sent, reach);
    this.#received.read(received, reach);
    const script = this.#findScript(sent, received);
    if (script?.isSure !== true && reach < LOOKAHEAD) return undefined;
    if (script === undefined) return { edits: findPairs(this.#sent, this.#received), isSure: false };
    return { ...script, edits: slideEdits(script.edits, this.#sent, this.#received) };
  }

  /** Finds the shortest edit script; undefined if it would have too many edits. */
  #findScript(sent: Side, received: Side): Alignment | undefined {
    const [firstLength, secondLength] = [this.#sent.length, this.#received.length];
    const firstEnds = sent.isDry && sent.scan(firstLength + 1) === firstLength;
    const secondEnds = received.isDry && received.scan(secondLength + 1) === secondLength;
    for (let edits = 0; edits <= MAX_EDITS; edits += 1) {
      const row = rowOf(edits);
      for (let index = 0; index <= edits; index += 1) {
        // Paths are not stopped at the ends: one that goes beyond an end does not come back, and others reach the ends with fewer edits.
        const start = edits === 0 ? 0 : Math.max(this.#byInsertion(edits, index), this.#byRemoval(edits, index));
        let first = start;
        let second = first - (2 * index - edits);
        while (first < firstLength && second < secondLength && this.#sent.equals(first, this.#received, second)) {
          first += 1;
          second += 1;
        }
        this.#furthest[row + index] = first;
        const isSynced = first - start >= SYNC_LENGTH;
        const isAtEnds = first === firstLength && second === secondLength;
        const isAtBrink = (first === firstLength && !firstEnds) || (second === secondLength && !secondEnds);
        if (!isSynced && !isAtEnds && !isAtBrink) continue;
        return { edits: this.#traceBack(edits, index, first), isSure: isSynced || (firstEnds && secondEnds) };
      }
    }
    return undefined;
  }

  /** The place that a path from the diagonal above reaches by an insertion; -1 if there is none. */
  #byInsertion(edits: number, index: number): number {
    return index === edits ? -1 : (this.#furthest[rowOf(edits - 1) + index] ?? 0);
  }

  /** The place that a path from the diagonal below reaches by a removal; -1 if there is none. */
  #byRemoval(edits: number, index: number): number {
    return index === 0 ? -1 : (this.#furthest[rowOf(edits - 1) + index - 1] ?? 0) + 1;
  }

  #traceBack(allEdits: number, lastIndex: number, first: number): readonly Edit[] {
    const script: Edit[] = [];
    let at = first;
    let index = lastIndex;
    for (let edits = allEdits; edits > 0; edits -= 1) {
      const byInsertion = this.#byInsertion(edits, index);
      const byRemoval = this.#byRemoval(edits, index);
      const isInsertion = byInsertion >= byRemoval;
      const start = Math.max(byInsertion, byRemoval);
      script.push({ removed: isInsertion ? 0 : 1, inserted: isInsertion ? 1 : 0, common: at - start });
      at = isInsertion ? start : start - 1;
      if (!isInsertion) index -= 1;
    }
    if (at > 0) script.push({ removed: 0, inserted: 0, common: at });
    return script.reverse();
  }
}

/**
 * Finds the most pairs of equal records in order, by the longest increasing subsequence of such pairs (Hunt and Szymanski, 1977). Of many
 * equal records, the first ones are tried.
 */
function findPairs(sent: Digests, received: Digests): readonly Edit[] {
  const places = new Map<number, number[]>();
  for (let first = 0; first < sent.length; first += 1) {
    const equal = places.get(sent.lowAt(first));
    if (equal === undefined) places.set(sent.lowAt(first), [first]);
    else if (equal.length < MAX_EQUAL) equal.push(first);
  }
  /** The pairs, and of each the one before it in its sequence; the last pair of the best sequence of each length. */
  const pairs: { readonly first: number; readonly second: number; readonly before: number }[] = [];
  const ends: number[] = [];
  for (let second = 0; second < received.length; second += 1) {
    // From the last one on: two pairs of one received record are never in one sequence.
    for (const first of places.get(received.lowAt(second))?.toReversed() ?? []) {
      if (!sent.equals(first, received, second)) continue;
      let [from, until] = [0, ends.length];
      while (from < until) {
        const middle = (from + until) >>> 1;
        if ((pairs[ends[middle] ?? 0]?.first ?? 0) < first) from = middle + 1;
        else until = middle;
      }
      ends[from] = pairs.push({ first, second, before: from === 0 ? -1 : (ends[from - 1] ?? -1) }) - 1;
    }
  }
  const edits: Edit[] = [];
  let [firstEnd, secondEnd, common] = [sent.length, received.length, 0];
  for (let pair = pairs[ends.at(-1) ?? -1]; pair !== undefined; pair = pairs[pair.before]) {
    edits.push({ removed: firstEnd - pair.first - 1, inserted: secondEnd - pair.second - 1, common });
    [firstEnd, secondEnd, common] = [pair.first, pair.second, 1];
  }
  edits.push({ removed: firstEnd, inserted: secondEnd, common });
  return edits.reverse();
}

/** The digests of the records ahead of a side, in typed arrays: to read them from records takes three times as long. */
class Digests {
  length = 0;
  readonly #low = new Int32Array(LOOKAHEAD);
  readonly #high = new Int32Array(LOOKAHEAD);

  read(side: Side, reach: number): void {
    this.length = side.scan(reach);
    for (let index = 0; index < this.length; index += 1) {
      const { low = 0, high = 0 } = side.ahead(index) ?? {};
      this.#low[index] = low;
      this.#high[index] = high;
    }
  }

  lowAt(index: number): number {
    return this.#low[index] ?? 0;
  }

  equals(index: number, other: Digests, otherIndex: number): boolean {
    return this.#low[index] === other.#low[otherIndex] && this.#high[index] === other.#high[otherIndex];
  }
}

/** The beginning of the places of a number of edits: there is one place for no edit, two for one edit, and so on. */
function rowOf(edits: number): number {
  return (edits * (edits + 1)) / 2;
}

/**
 * Brings a removal and the insertion next to it together, where the records between them are equal and so let one of them slide. Of
 * `x x x y x` received for `x x x x x`, the fourth record is altered; the shortest edit script may as well remove the last one.
 *
 * @param edits each removes or inserts one record at most
 */
function slideEdits(edits: readonly Edit[], sent: Digests, received: Digests): readonly Edit[] {
  const slid: Edit[] = [];
  let first = 0;
  let second = 0;
  for (const edit of edits) {
    const before = slid.at(-1);
    if (before !== undefined && areOpposite(before, edit)) {
      const { common } = before;
      const [own, side] = edit.removed > 0 ? [first, sent] : [second, received];
      const [other, otherSide] = edit.removed > 0 ? [second, received] : [first, sent];
      if (areAllEqual(side, own - common, own)) {
        slid.splice(-1, 1, { ...before, common: 0 }, { ...edit, common: common + edit.common });
      } else if (areAllEqual(otherSide, other - common - 1, other - 1)) {
        slid.splice(-1, 1, { removed: 0, inserted: 0, common }, { ...before, common: 0 }, edit);
      } else {
        slid.push(edit);
      }
    } else {
      slid.push(edit);
    }
    first += edit.removed + edit.common;
    second += edit.inserted + edit.common;
  }
  return slid;
}

function areOpposite(edit: Edit, other: Edit): boolean {
  return (edit.removed > 0 && other.inserted > 0) || (edit.inserted > 0 && other.removed > 0);
}

function areAllEqual(side: Digests, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if (!side.equals(index, side, index + 1)) return false;
  return true;
}
