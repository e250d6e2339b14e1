import { expect, test } from '@jest/globals';
import { nameLine, nameSources, placesOf, sourcesOf, type LinePlaces } from '../../src/reading/line-places.js';
import { Tally } from '../../src/reading/passed-over.js';
import { placesIn } from '../support/places.js';

/** Two files: ten lines of `a`, then those of the other. */
const TWO: LinePlaces = {
  sources: ['a', 'b\n'],
  placeOf: (line) => (line <= 10 ? { source: 'a', line } : { source: 'b\n', line: line - 10 }),
};

test.each<[LinePlaces, readonly number[], string | undefined, string]>([
  [placesIn('x.log'), [7], undefined, 'at line 7'],
  [placesIn('x.log'), [1, 85], undefined, 'at lines 1 and 85'],
  [placesIn('x.log'), [1, 2, 3, 4, 5], undefined, 'at lines 1, 2, 3, 4 and 5'],
  [placesIn('x.log'), [1, 2, 3, 4, 5, 6], undefined, 'the first at lines 1, 2, 3, 4 and 5'],
  [placesIn('x.log'), [7], 'begin', 'begins at line 7'],
  [placesIn('x.log'), [7, 9], 'begin', 'begin at lines 7 and 9'],
  [placesIn('x.log'), [1, 2, 3, 4, 5, 6], 'begin', 'the first begin at lines 1, 2, 3, 4 and 5'],
  [TWO, [7], undefined, 'at a:7'],
  [TWO, [7, 9, 12], undefined, 'at lines 7 and 9 of a, b\\n:2'],
  [TWO, [8, 12, 13, 14, 15, 16], undefined, 'the first at a:8, lines 2, 3, 4 and 5 of b\\n'],
])('placesOf, in %j: %j counted', (places, lines, verb, text) => {
  const tally = new Tally();
  for (const line of lines) tally.add(line);
  expect(placesOf(tally, places, verb)).toBe(text);
});

test.each<[readonly string[], string, unknown]>([
  [['error.log'], 'error.log', { source: 'error.log' }],
  [['error.log.1', 'a\nb'], 'error.log.1, a\\nb', { sources: ['error.log.1', 'a\nb'] }],
  [['3', '2', '1'], '3, 2, 1', { sources: ['3', '2', '1'] }],
  [['4', '3', '2', '1'], '4 … 1 (4 logs)', { sources: ['4', '3', '2', '1'] }],
])('the files %j are named %j', (sources, name, fields) => {
  const places = { sources, placeOf: (line: number) => ({ source: sources[0] ?? '', line }) };
  expect(nameSources(places)).toBe(name);
  expect(sourcesOf(places)).toEqual(fields);
});

test('nameLine names the file of a line if it is another one', () => {
  expect([nameLine(13, 17, TWO), nameLine(13, 7, TWO)]).toEqual(['line 3', 'line 3 of b\\n']);
});
