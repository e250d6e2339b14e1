import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BoundedCounts, MAX_NAMES } from '../../src/stats/bounded-counts.js';

const pathOf = (name: string): string => name.replace(/\?.*/, '');

function count(names: Iterable<string>, shorten?: (name: string) => string): BoundedCounts {
  const counts = new BoundedCounts(shorten);
  for (const name of names) counts.add(name);
  return counts;
}

const numbered = (prefix: string, length: number): string[] => Array.from({ length }, (_, index) => `${prefix}${String(index)}`);

describe('BoundedCounts', () => {
  test('counts every name, the most frequent first, then by their bytes', () => {
    expect(count(['c', 'a', 'b', '\xff', 'a']).sorted()).toEqual([
      { name: 'a', count: 2 },
      { name: 'b', count: 1 },
      { name: 'c', count: 1 },
      { name: '\xff', count: 1 },
    ]);
  });

  test('shortens nothing as long as there are not too many names', () => {
    const counts = count(numbered('/?r=', MAX_NAMES), pathOf);
    expect({ shortened: counts.isShortened, names: counts.sorted().length }).toEqual({ shortened: false, names: MAX_NAMES });
  });

  test('shortens all names, those before and those after, once there are too many', () => {
    const counts = count(numbered('/?r=', MAX_NAMES + 10), pathOf);
    expect(counts.isShortened).toBe(true);
    expect({ sorted: counts.sorted(), other: counts.other }).toEqual({
      sorted: [{ name: '/', count: MAX_NAMES + 10 }],
      other: 0,
    });
  });

  test('lumps the rarer half together when short names are too many, too', () => {
    const counts = count(['/a', '/a', ...numbered('/', MAX_NAMES), '/a'], pathOf);
    expect(counts.sorted()[0]).toEqual({ name: '/a', count: 3 });
    expect(counts.sorted()).toHaveLength(MAX_NAMES / 2);
    expect(counts.other).toBe(MAX_NAMES + 3 - 3 - (MAX_NAMES / 2 - 1));
  });

  test('keeps no more bytes of names than it may', () => {
    const counts = count(numbered('x'.repeat(1 << 20), 30));
    expect(counts.sorted().length).toBeLessThanOrEqual(8);
    expect(counts.other + counts.sorted().length).toBe(30);
  });

  test('loses nothing: what is kept and other are all that was counted', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 2500 })), { maxLength: 8 }), (runs) => {
        const names = runs.flatMap(([prefix, length]) => numbered(`/${String(prefix)}/`, length));
        const counts = count(names, pathOf);
        const kept = counts.sorted();
        expect(kept.reduce((sum, name) => sum + name.count, counts.other)).toBe(names.length);
        expect(kept.length).toBeLessThanOrEqual(MAX_NAMES);
      }),
    );
  });
});
