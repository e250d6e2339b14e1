import { expect, test } from '@jest/globals';
import type { LinePlace } from '../../src/reading/line-places.js';
import { placesIn } from '../support/places.js';
import { placesOf } from '../../src/reading/line-places.js';
import { Tally } from '../../src/reading/passed-over.js';

function tallyOf(...lines: readonly number[]): Tally {
  const tally = new Tally();
  for (const line of lines) tally.add(line);
  return tally;
}

test.each([
  [[7], undefined, 'at line 7'],
  [[1, 85], undefined, 'at lines 1 and 85'],
  [[1, 2, 3, 4, 5], undefined, 'at lines 1, 2, 3, 4 and 5'],
  [[1, 2, 3, 4, 5, 6], undefined, 'the first at lines 1, 2, 3, 4 and 5'],
  [[7], 'begin', 'begins at line 7'],
  [[7, 9], 'begin', 'begin at lines 7 and 9'],
  [[1, 2, 3, 4, 5, 6], 'begin', 'the first begin at lines 1, 2, 3, 4 and 5'],
])('placesOf: %j counted', (lines, verb, text) => {
  expect(placesOf(tallyOf(...lines), placesIn('x.log'), verb)).toBe(text);
});

test.each([
  [[7], 'at a:7'],
  [[7, 9, 12], 'at lines 7 and 9 of a, b\\n:2'],
  [[8, 12, 13, 14, 15, 16], 'the first at a:8, lines 2, 3, 4 and 5 of b\\n'],
])('placesOf, of two files: %j counted', (lines, text) => {
  const placeOf = (line: number): LinePlace => (line <= 10 ? { source: 'a', line } : { source: 'b\n', line: line - 10 });
  expect(placesOf(tallyOf(...lines), { sources: ['a', 'b\n'], placeOf })).toBe(text);
});
