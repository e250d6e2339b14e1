import { describe, expect, test } from '@jest/globals';
import { align } from '../../src/reading/align.js';

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
  ])('%s', (_what, places, taken, swapped, missing) => {
    const found = align(places, 4);
    expect(found.taken).toEqual(taken);
    expect([...found.swapped]).toEqual(swapped);
    expect(found.missing.map(({ place }) => place)).toEqual(missing);
  });
});
