import { expect, test } from '@jest/globals';
import { placesOf, Tally } from '../../src/log/tally.js';

test.each([
  [[7], undefined, 'at line 7'],
  [[85, 1], undefined, 'at lines 1 and 85'],
  [[1, 2, 3, 4, 5], undefined, 'at lines 1, 2, 3, 4 and 5'],
  [[1, 2, 3, 4, 5, 6], undefined, 'the first at lines 1, 2, 3, 4 and 5'],
  [[7], 'begin', 'begins at line 7'],
  [[7, 9], 'begin', 'begin at lines 7 and 9'],
  [[1, 2, 3, 4, 5, 6], 'begin', 'the first begin at lines 1, 2, 3, 4 and 5'],
])('placesOf: %j counted', (lines, verb, text) => {
  const tally = new Tally();
  for (const line of lines) tally.add(line);
  expect(placesOf(tally, verb)).toBe(text);
});
