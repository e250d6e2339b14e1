import { describe, expect, test } from '@jest/globals';
import { FindingCap, FindingCounts, formatCounts } from '../../src/findings/finding-counts.js';

type Kind = 'missing' | 'altered' | 'foreign';
const KINDS: readonly Kind[] = ['missing', 'altered', 'foreign'];

function countsOf(found: readonly Kind[], allowed: readonly Kind[] = []): FindingCounts<Kind> {
  const counts = new FindingCounts(KINDS, new Set(allowed));
  for (const kind of found) counts.add(kind);
  return counts;
}

describe('counts by kind', () => {
  test.each<[string, FindingCounts<Kind>, number, string]>([
    ['none', countsOf([]), 0, ''],
    ['all shown', countsOf(['missing']), 0, ': 1 missing'],
    ['in the order of kinds', countsOf(['foreign', 'missing', 'foreign']), 0, ': 1 missing, 2 foreign'],
    ['some not shown', countsOf(['missing', 'foreign']), 2, ': 1 missing, 1 foreign; 2 not shown, see --max'],
    ['allowed ones apart', countsOf(['foreign', 'missing'], ['foreign']), 0, ': 1 missing; allowed: 1 foreign'],
    ['allowed ones alone', countsOf(['foreign', 'missing'], KINDS), 0, '; allowed: 1 missing, 1 foreign'],
  ])('%s', (_what, counts, hidden, text) => {
    expect(formatCounts(counts, hidden)).toBe(text);
  });

  test('the total leaves out what is allowed', () => {
    const counts = countsOf(['foreign', 'missing', 'foreign', 'altered'], ['foreign']);
    expect([counts.total, counts.isAllowed('foreign'), counts.isAllowed('altered')]).toEqual([2, true, false]);
    expect(Array.from(counts.found)).toEqual([
      ['missing', 1],
      ['altered', 1],
    ]);
    expect(Array.from(counts.allowed)).toEqual([['foreign', 2]]);
  });
});

test.each([
  [0, ' | '],
  [3, '1 2 | 3'],
  [9, '1 2 | 3 4'],
])('a cap of %d shows %j of two batches of two', (max, shown) => {
  const cap = new FindingCap(max);
  const given = ['1 2', '3 4'].map((batch) => cap.take(batch.split(' ')).join(' '));
  expect(given.join(' | ')).toBe(shown);
  expect(cap.shown).toBe(shown.match(/\d/g)?.length ?? 0);
});
