import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EditScriptFinder, type Edit } from '../../src/compare/edit-script.js';
import { slideEdits } from '../../src/compare/slide-edits.js';

function slide(first: string, second: string): readonly Edit[] {
  const finder = new EditScriptFinder();
  const sequences = {
    firstLength: first.length,
    secondLength: second.length,
    firstEnds: true,
    secondEnds: true,
    equals: (one: number, other: number) => first[one] === second[other],
  };
  const script = finder.find(sequences, first.length + second.length);
  return slideEdits(
    script?.edits ?? [],
    (place, other) => first[place] === first[other],
    (place, other) => second[place] === second[other],
  );
}

/** `=` for each common element, `-` for a removed one, `+` for an inserted one. */
function show(edits: readonly Edit[]): string {
  return edits.map(({ removed, inserted, common }) => '-'.repeat(removed) + '+'.repeat(inserted) + '='.repeat(common)).join('');
}

describe('slideEdits', () => {
  test.each([
    ['xxxxd', 'xxyxd', '==+-==', 'one of equal elements is replaced'],
    ['xxyxd', 'xxxxd', '==-+==', 'an element is replaced by an equal of those beside it'],
    ['abcd', 'abxd', '==-+=', 'no elements are equal'],
    ['axbc', 'aybc', '=-+==', 'a replaced element'],
    ['xxxd', 'xxd', '==-=', 'nothing is inserted'],
  ])('%s to %s: %s, where %s', (first, second, expected) => {
    expect(show(slide(first, second)).replaceAll('+-', '-+')).toBe(expected.replaceAll('+-', '-+'));
  });

  test('a script that has slid still makes the second sequence of the first', () => {
    const sequence = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 15 });
    fc.assert(
      fc.property(sequence, sequence, (first, second) => {
        let made = '';
        let at = 0;
        for (const edit of slide(first, second)) {
          at += edit.removed;
          made += second.slice(made.length, made.length + edit.inserted);
          made += first.slice(at, at + edit.common);
          at += edit.common;
        }
        expect({ made, at }).toEqual({ made: second, at: first.length });
      }),
    );
  });
});
