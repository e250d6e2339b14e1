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

  test('any sequence of four records of a group of two plugins is aligned at the least cost', () => {
    const wrong = sequences([-1, 0, 1, 2], 4).filter((places) => {
      const { taken, gaps } = align(places, 2);
      const missing = gaps.flatMap((gap) => gap.places);
      const swaps = swappedIn({ taken, gaps }).length;
      const cost = taken.filter((place, index) => place !== places[index]).length + swaps + missing.length;
      const found = [...taken.flatMap((place) => place ?? []), ...missing];
      const isMatched = (place: number | undefined, index: number): boolean =>
        place === undefined || (place === 2) === (places[index] === 2);
      return cost !== leastCost(places, [0, 1, 2]) || found.sort().join() !== '0,1,2' || !taken.every(isMatched);
    });
    expect(wrong).toEqual([]);
  });
});

/** All sequences of some values, up to a length. */
function sequences(values: readonly number[], length: number): readonly (readonly number[])[] {
  if (length === 0) return [[]];
  const shorter = sequences(values, length - 1);
  const longest = shorter.filter((sequence) => sequence.length === length - 1);
  return [...shorter, ...longest.flatMap((sequence) => values.map((value) => [...sequence, value]))];
}

/** The least cost of an alignment, by trying each first step. The last of the expected places is that of the deprecation record, 2. */
function leastCost(places: readonly number[], expected: readonly number[]): number {
  const [first, second] = places;
  const [next, afterNext] = expected;
  if (first === undefined || next === undefined) return places.length + expected.length;
  const surplus = 1 + leastCost(places.slice(1), expected);
  const missing = 1 + leastCost(places, expected.slice(1));
  const taking =
    (first === 2) === (next === 2) ? Number(first !== next) + leastCost(places.slice(1), expected.slice(1)) : Infinity;
  const swap = second === next && first === afterNext ? 1 + leastCost(places.slice(2), expected.slice(2)) : Infinity;
  return Math.min(surplus, missing, taking, swap);
}
