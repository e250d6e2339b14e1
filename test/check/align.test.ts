import { describe, expect, test } from '@jest/globals';
import { align, type Alignment } from '../../src/check/align.js';

/** The indexes of records that changed places with the record before them. */
function swappedIn({ taken }: Alignment): number[] {
  return taken.flatMap((place, index) => (place !== undefined && place < (taken[index - 1] ?? -1) ? [index] : []));
}

/** Of groups of plugins 0, 1, 2, 3 and the deprecation record 4. */
describe('align', () => {
  test.each<[string, number[], (number | undefined)[], number[], number[]]>([
    ['a whole group', [0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [], []],
    ['one that lacks', [0, 1, 3, 4], [0, 1, 3, 4], [], [2]],
    ['the end lacks', [0, 1, 2, 3], [0, 1, 2, 3], [], [4]],
    ['the beginning lacks', [2, 3, 4], [2, 3, 4], [], [0, 1]],
    ['one twice: the second is too many', [0, 1, 1, 2, 3, 4], [0, 1, undefined, 2, 3, 4], [], []],
    ['one in the place of another', [0, 3, 2, 3, 4], [0, 1, 2, 3, 4], [], []],
    ['an unknown one in the place of another', [0, -1, 2, 3, 4], [0, 1, 2, 3, 4], [], []],
    ['two that changed places', [0, 2, 1, 3, 4], [0, 2, 1, 3, 4], [2], []],
    ['the last two changed places', [0, 1, 2, 4, 3], [0, 1, 2, 4, 3], [4], []],
    ['an unknown one too many', [0, 1, -1, 2, 3, 4], [0, 1, undefined, 2, 3, 4], [], []],
    ['an end alone', [4], [4], [], [0, 1, 2, 3]],
    ['an end twice', [0, 1, 2, 3, 4, 4], [0, 1, 2, 3, 4, undefined], [], []],
    ['unknown ones before it', [-1, -1, 0, 1, 2, 3, 4], [undefined, undefined, 0, 1, 2, 3, 4], [], []],
    ['an end in the place of a failure', [0, 1, 4, 3, 4], [0, 1, undefined, 3, 4], [], [2]],
    ['a whole one twice', [0, 1, 2, 3, 4, 0, 1, 2, 3, 4], [0, 1, 2, 3, 4, ...Array<undefined>(5).fill(undefined)], [], []],
    ['no records', [], [], [], [0, 1, 2, 3, 4]],
  ])('%s', (_what, places, taken, swapped, missing) => {
    const found = align(places, 4);
    expect(found.taken).toEqual(taken);
    expect(swappedIn(found)).toEqual(swapped);
    expect(found.gaps.flatMap(({ places: skipped }) => skipped)).toEqual(missing);
  });

  test('tells before which record some are missing', () => {
    expect(align([1, 4], 4).gaps).toEqual([
      { places: [0], before: 0 },
      { places: [2, 3], before: 1 },
    ]);
    expect(align([0, 1, 2], 4).gaps).toEqual([{ places: [3, 4], before: 3 }]);
  });
});
