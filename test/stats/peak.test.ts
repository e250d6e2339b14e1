import { expect, test } from '@jest/globals';
import { Peak } from '../../src/stats/peak.js';

test.each([
  ['none', [], 1, undefined],
  ['the first of equal ones', [1, 2], 1, [1, 1]],
  ['the most', [1, 2, 2, 3], 1, [2, 2]],
  ['a little out of order', [1, 2, 1, 2, 1], 1, [3, 1]],
  ['a minute, from its beginning', [59, 61, 75], 60, [2, 60]],
])('Peak: %s', (_what, seconds, width, expected) => {
  const peak = new Peak(width);
  for (const second of seconds) peak.add({ second, utcOffset: '+0200' });
  expect(peak.busiest).toEqual(expected && { count: expected[0], start: expected[1], utcOffset: '+0200' });
});
