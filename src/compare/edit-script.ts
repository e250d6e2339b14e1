/** A step of an edit script: so many elements of the first sequence alone, so many of the second alone, then so many of both. */
export interface Edit {
  readonly removed: number;
  readonly inserted: number;
  readonly common: number;
}

/** The two sequences, as far as they are known. */
interface Sequences {
  readonly firstLength: number;
  readonly secondLength: number;
  /** True if a sequence ends there; else more of it would follow. */
  readonly firstEnds: boolean;
  readonly secondEnds: boolean;
  readonly equals: (first: number, second: number) => boolean;
}

interface EditScript {
  readonly edits: readonly Edit[];
  /** The number of elements common to both. */
  readonly common: number;
  /** It ends in a long common stretch, or at the ends of both sequences. */
  readonly isSure: boolean;
}

/** When so many elements in a row are equal, the two sequences are taken to go on together. */
export const SYNC_LENGTH = 24;

/** Room for the paths of a few edits; it doubles when it is full. */
const FIRST_PLACES = 1 << 12;

/**
 * Finds the shortest edit script of two sequences, as Myers's greedy algorithm does ("An O(ND) Difference Algorithm and Its Variations",
 * 1986): which elements are common to both, in order, as many as can be. It stops at the first long common stretch, and where what is
 * known of a sequence ends.
 */
export class EditScriptFinder {
  /** Behind one another for 0, 1, 2, … edits: the furthest place in the first sequence on each diagonal that so many edits reach. */
  #furthest = new Int32Array(FIRST_PLACES);

  find(sequences: Sequences): EditScript {
    const { firstLength, secondLength, firstEnds, secondEnds, equals } = sequences;
    for (let edits = 0; ; edits += 1) {
      const row = rowOf(edits);
      this.#reserve(rowOf(edits + 1));
      for (let index = 0; index <= edits; index += 1) {
        const start = this.#startOf(edits, index);
        let first = start;
        let second = first - (2 * index - edits);
        while (first < firstLength && second < secondLength && equals(first, second)) {
          first += 1;
          second += 1;
        }
        this.#furthest[row + index] = first;
        const isSynced = first - start >= SYNC_LENGTH;
        const isAtEnds = first === firstLength && second === secondLength;
        const isAtBrink = (first === firstLength && !firstEnds) || (second === secondLength && !secondEnds);
        if (isSynced || isAtEnds || isAtBrink) {
          return { ...this.#traceBack(edits, index, first), isSure: isSynced || (firstEnds && secondEnds) };
        }
      }
    }
  }

  /**
   * The beginning of a path of so many edits on a diagonal, with the last edit behind it. Paths are not stopped at the ends: a path
   * that goes beyond an end does not come back, and a path within the ends reaches them with fewer edits.
   */
  #startOf(edits: number, index: number): number {
    return edits === 0 ? 0 : Math.max(this.#byInsertion(edits, index), this.#byRemoval(edits, index));
  }

  /** The place that a path from the diagonal above reaches by an insertion; -1 if there is none. */
  #byInsertion(edits: number, index: number): number {
    return index === edits ? -1 : (this.#furthest[rowOf(edits - 1) + index] ?? 0);
  }

  /** The place that a path from the diagonal below reaches by a removal; -1 if there is none. */
  #byRemoval(edits: number, index: number): number {
    return index === 0 ? -1 : (this.#furthest[rowOf(edits - 1) + index - 1] ?? 0) + 1;
  }

  #traceBack(allEdits: number, lastIndex: number, first: number): Omit<EditScript, 'isSure'> {
    const script: Edit[] = [];
    let common = 0;
    let at = first;
    let index = lastIndex;
    for (let edits = allEdits; edits > 0; edits -= 1) {
      const byInsertion = this.#byInsertion(edits, index);
      const byRemoval = this.#byRemoval(edits, index);
      const isInsertion = byInsertion >= byRemoval;
      const start = Math.max(byInsertion, byRemoval);
      script.push({ removed: isInsertion ? 0 : 1, inserted: isInsertion ? 1 : 0, common: at - start });
      common += at - start;
      at = isInsertion ? start : start - 1;
      if (!isInsertion) index -= 1;
    }
    if (at > 0) script.push({ removed: 0, inserted: 0, common: at });
    return { edits: script.reverse(), common: common + at };
  }

  #reserve(places: number): void {
    if (this.#furthest.length >= places) return;
    const larger = new Int32Array(2 * places);
    larger.set(this.#furthest);
    this.#furthest = larger;
  }
}

/** The beginning of the places of so many edits: there is one place for no edit, two for one edit, and so on. */
function rowOf(edits: number): number {
  return (edits * (edits + 1)) / 2;
}
