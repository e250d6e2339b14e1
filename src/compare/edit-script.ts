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
  /** How many elements are common to both. */
  readonly common: number;
  /** It ends in a long common stretch, or at the ends of both sequences. */
  readonly isSure: boolean;
}

/** When so many elements in a row are equal, the two sequences are taken to go on together. */
export const SYNC_LENGTH = 24;

/** Stands for a place that no path reaches. */
const NOWHERE = -1;

/**
 * The shortest edit script of two sequences, as Myers's greedy algorithm finds it ("An O(ND) Difference Algorithm and Its Variations",
 * 1986): which elements are common to both, in order, as many as can be. It stops at the first long common stretch, and where what is
 * known of a sequence ends.
 *
 * @param maxEdits more elements must not stand alone
 * @returns undefined if they would
 */
export function findEditScript(sequences: Sequences, maxEdits: number): EditScript | undefined {
  const { firstLength, secondLength, firstEnds, secondEnds, equals } = sequences;
  const limit = Math.min(maxEdits, firstLength + secondLength);
  // The furthest place in the first sequence on each diagonal, and how that was before each edit.
  const furthest = new Int32Array(2 * limit + 3).fill(NOWHERE);
  const middle = limit + 1;
  const history: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits += 1) {
    history.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const below = furthest[middle + diagonal - 1] ?? NOWHERE;
      const above = furthest[middle + diagonal + 1] ?? NOWHERE;
      const start = edits === 0 ? 0 : Math.max(inserted(above, diagonal, secondLength), removed(below, firstLength));
      furthest[middle + diagonal] = start;
      if (start === NOWHERE) continue;
      let first = start;
      let second = first - diagonal;
      while (first < firstLength && second < secondLength && equals(first, second)) {
        first += 1;
        second += 1;
      }
      furthest[middle + diagonal] = first;
      const isSynced = first - start >= SYNC_LENGTH;
      const isAtEnds = first === firstLength && second === secondLength;
      const isAtBrink = (first === firstLength && !firstEnds) || (second === secondLength && !secondEnds);
      if (isSynced || isAtEnds || isAtBrink) {
        const isSure = isSynced || (isAtEnds && firstEnds && secondEnds);
        return { ...traceBack(history, edits, diagonal, first, sequences), isSure };
      }
    }
  }
  return undefined;
}

/** Where a path on the diagonal above comes to by an insertion. */
function inserted(above: number, diagonal: number, secondLength: number): number {
  return above - diagonal <= secondLength ? above : NOWHERE;
}

/** Where a path on the diagonal below comes to by a removal. */
function removed(below: number, firstLength: number): number {
  return below !== NOWHERE && below < firstLength ? below + 1 : NOWHERE;
}

function traceBack(
  history: readonly Int32Array[],
  edits: number,
  diagonal: number,
  first: number,
  { firstLength, secondLength }: Sequences,
): Omit<EditScript, 'isSure'> {
  const script: Edit[] = [];
  let common = 0;
  let at = first;
  let on = diagonal;
  for (let step = edits; step > 0; step -= 1) {
    const before = history[step];
    const byInsertion = inserted(before?.[step + on + 2] ?? NOWHERE, on, secondLength);
    const byRemoval = removed(before?.[step + on] ?? NOWHERE, firstLength);
    const isInsertion = byInsertion >= byRemoval;
    const start = Math.max(byInsertion, byRemoval);
    script.push({ removed: isInsertion ? 0 : 1, inserted: isInsertion ? 1 : 0, common: at - start });
    common += at - start;
    at = isInsertion ? start : start - 1;
    on += isInsertion ? 1 : -1;
  }
  if (at > 0) script.push({ removed: 0, inserted: 0, common: at });
  return { edits: script.reverse(), common: common + at };
}
