import { expect, test } from '@jest/globals';
import { FindingCounts, formatCounts } from '../../src/findings/finding-counts.js';

type Kind = 'missing' | 'altered' | 'foreign';
const KINDS: readonly Kind[] = ['missing', 'altered', 'foreign'];

function countsOf(found: readonly Kind[], allowed: readonly Kind[] = []): FindingCounts<Kind> {
  const counts = new FindingCounts(KINDS, new Set(allowed));
  for (const kind of found) counts.add(kind);
  return counts;
}

test.each<[string, FindingCounts<Kind>, hidden: number, string]>([
  ['none', countsOf([]), 0, ''],
  ['all shown', countsOf(['missing']), 0, ': 1 missing'],
  ['in the order of kinds', countsOf(['foreign', 'missing', 'foreign']), 0, ': 1 missing, 2 foreign'],
  ['some not shown', countsOf(['missing', 'foreign']), 2, ': 1 missing, 1 foreign; findings: 2 not shown, see --max'],
  ['allowed ones apart', countsOf(['foreign', 'missing'], ['foreign']), 0, ': 1 missing; allowed: 1 foreign'],
  ['allowed ones alone', countsOf(['foreign', 'missing'], KINDS), 0, '; allowed: 1 missing, 1 foreign'],
])('counts by kind: %s', (_what, counts, hidden, text) => {
  counts.findings += hidden;
  expect(formatCounts(counts, 'finding')).toBe(text);
});

test.each([
  [0, 0, 'nothing'],
  [3, 3, 'missing missing foreign'],
  [9, 4, 'missing missing foreign foreign'],
])('of four findings, a cap of %d shows %d: %s', (max, shown, kinds) => {
  const counts = new FindingCounts(KINDS, new Set<Kind>(['altered']), max);
  const given: readonly Kind[] = ['missing', 'altered', 'missing', 'foreign', 'foreign'];
  expect(given.filter((kind) => counts.show(kind)).join(' ') || 'nothing').toBe(kinds);
  expect([counts.findings, counts.shown]).toEqual([4, shown]);
  counts.renew();
  expect(counts.show('missing')).toBe(max > 0);
});
