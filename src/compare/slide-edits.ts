import type { Edit } from './edit-script.js';

/** Tells records of one sequence by their places in it. */
type AreEqual = (place: number, otherPlace: number) => boolean;

/**
 * Brings a removal and the insertion next to it together, where the records between them are equal and so let one of them slide. Of
 * `x x x y x` received for `x x x x x`, the fourth record is altered; the shortest edit script may as well remove the last one.
 *
 * @param edits each removes or inserts one element at most
 */
export function slideEdits(edits: readonly Edit[], areEqualFirst: AreEqual, areEqualSecond: AreEqual): readonly Edit[] {
  const slid: Edit[] = [];
  let first = 0;
  let second = 0;
  for (const edit of edits) {
    const before = slid.at(-1);
    if (before !== undefined && areOpposite(before, edit)) {
      const { common } = before;
      const [own, others] = edit.removed > 0 ? [first, areEqualFirst] : [second, areEqualSecond];
      const [its, itsOthers] = edit.removed > 0 ? [second, areEqualSecond] : [first, areEqualFirst];
      if (areAllEqual(own - common, own, others)) {
        slid.splice(-1, 1, { ...before, common: 0 }, { ...edit, common: common + edit.common });
      } else if (areAllEqual(its - common - 1, its - 1, itsOthers)) {
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

function areOpposite(one: Edit, other: Edit): boolean {
  return (one.removed > 0 && other.inserted > 0) || (one.inserted > 0 && other.removed > 0);
}

function areAllEqual(from: number, to: number, areEqual: AreEqual): boolean {
  for (let place = from; place < to; place += 1) if (!areEqual(place, place + 1)) return false;
  return true;
}
