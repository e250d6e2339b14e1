import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { digestBytes } from '../../src/compare/digest.js';
import { EditScriptFinder, SYNC_LENGTH, type Edit } from '../../src/compare/edit-script.js';
import { EditSearch, NEAR } from '../../src/compare/edit-search.js';
import { LOOKAHEAD, RecordWindow } from '../../src/compare/record-window.js';
import { slideEdits } from '../../src/compare/slide-edits.js';

type Elements = string | readonly string[];

/** A sequence ends, or more of it is to come. */
type End = 'ends' | 'goes on';

/** Finds the script of two sequences; fails if an element beyond an end is asked for. */
function find(
  first: Elements,
  second: Elements,
  ends: readonly [End, End] = ['ends', 'ends'],
): ReturnType<EditScriptFinder['find']> {
  const at = (sequence: Elements, place: number): string => {
    const element = sequence[place];
    if (element === undefined) throw new Error(`there is no element ${String(place)}`);
    return element;
  };
  return new EditScriptFinder().find({
    firstLength: first.length,
    secondLength: second.length,
    firstEnds: ends[0] === 'ends',
    secondEnds: ends[1] === 'ends',
    equals: (one, other) => at(first, one) === at(second, other),
  });
}

/** `=` for each common element, `-` for a removed one, `+` for an inserted one. */
function show(edits: readonly Edit[] | undefined): string | undefined {
  return edits?.map(({ removed, inserted, common }) => '-'.repeat(removed) + '+'.repeat(inserted) + '='.repeat(common)).join('');
}

/** The steps that a text as that of `show` stands for. */
function parse(shown: string): Edit[] {
  return Array.from(shown.matchAll(/([-+]?)(=*)/g), ([, change = '', common = '']) => ({
    removed: change === '-' ? 1 : 0,
    inserted: change === '+' ? 1 : 0,
    common: common.length,
  })).slice(0, -1);
}

/** The sequence that a script makes of the first one; fails if it inserts or keeps other elements than those of the second one. */
function apply(edits: readonly Edit[], first: string, second: string): { readonly made: string; readonly left: number } {
  let made = '';
  let at = 0;
  for (const { removed, inserted, common } of edits) {
    at += removed;
    made += second.slice(made.length, made.length + inserted);
    made += first.slice(at, at + common);
    at += common;
  }
  return { made, left: first.length - at };
}

/** The length of the longest common subsequence, by the textbook's recurrence. */
function longestCommon(first: string, second: string): number {
  let above = Array.from({ length: second.length + 1 }, () => 0);
  for (const element of first) {
    const row = [0];
    for (const [index, other] of Array.from(second).entries()) {
      row.push(element === other ? (above[index] ?? 0) + 1 : Math.max(above[index + 1] ?? 0, row[index] ?? 0));
    }
    above = row;
  }
  return above[second.length] ?? 0;
}

const RUN = 'r'.repeat(SYNC_LENGTH);
const few = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 20 });

describe('EditScriptFinder', () => {
  test('the script is a shortest one: as much is common as in the longest common subsequence', () => {
    fc.assert(
      fc.property(few, few, (first, second) => {
        const script = find(first, second);
        const common = longestCommon(first, second);
        expect(script).toMatchObject({ common, isSure: true });
        expect(script.edits.reduce((sum, { removed, inserted }) => sum + removed + inserted, 0)).toBe(
          first.length + second.length - 2 * common,
        );
        expect(apply(script.edits, first, second)).toEqual({ made: second, left: 0 });
      }),
    );
  });

  test.each([
    ['', '', []],
    ['', 'a', [{ removed: 0, inserted: 1, common: 0 }]],
    ['a', '', [{ removed: 1, inserted: 0, common: 0 }]],
    ['ab', 'ab', [{ removed: 0, inserted: 0, common: 2 }]],
    ['xab', 'ab', [{ removed: 1, inserted: 0, common: 2 }]],
    [
      'aaaa',
      'xaaa',
      [
        { removed: 0, inserted: 1, common: 3 },
        { removed: 1, inserted: 0, common: 0 },
      ],
    ],
    [
      'ab',
      'axb',
      [
        { removed: 0, inserted: 0, common: 1 },
        { removed: 0, inserted: 1, common: 1 },
      ],
    ],
    // Of a removal and an insertion at one place, the removal comes first.
    [
      'a',
      'b',
      [
        { removed: 1, inserted: 0, common: 0 },
        { removed: 0, inserted: 1, common: 0 },
      ],
    ],
  ])('%p to %p', (first, second, edits) => {
    expect(find(first, second).edits).toEqual(edits);
  });

  test('scripts of hundreds of edits are found', () => {
    const first = Array.from({ length: 100 }, (_, index) => `first ${String(index)}`);
    const second = Array.from({ length: 101 }, (_, index) => `second ${String(index)}`);
    expect(find(first, second)).toMatchObject({ common: 0, edits: { length: 201 } });
    expect(find([...first, 'both', ...first], [...second, 'both', ...second])).toMatchObject({
      common: 1,
      edits: { length: 402 },
    });
  });

  test.each([
    { what: 'a long common stretch', first: `a${RUN}b`, second: `x${RUN}y`, shown: `-+${'='.repeat(24)}`, isSure: true },
    { what: 'a long common stretch at the beginning', first: `${RUN}b`, second: `${RUN}y`, shown: '='.repeat(24), isSure: true },
    {
      what: 'nothing, where a common stretch is shorter by one element',
      first: `a${RUN.slice(1)}b`,
      second: `x${RUN.slice(1)}y`,
      shown: `-+${'='.repeat(23)}-+`,
      isSure: true,
    },
  ])('stops at $what', ({ first, second, shown, isSure }) => {
    const script = find(first, second);
    expect({ shown: show(script.edits), isSure: script.isSure }).toEqual({ shown, isSure });
  });

  test.each<{ first: string; second: string; ends: readonly [End, End]; shown: string; isSure: boolean }>([
    { first: 'ab', second: 'ab', ends: ['goes on', 'goes on'], shown: '==', isSure: false },
    { first: 'ab', second: 'ab', ends: ['ends', 'goes on'], shown: '==', isSure: false },
    { first: 'ab', second: 'ab', ends: ['goes on', 'ends'], shown: '==', isSure: false },
    { first: 'ab', second: 'abcd', ends: ['goes on', 'ends'], shown: '==', isSure: false },
    { first: 'ab', second: 'abcd', ends: ['ends', 'goes on'], shown: '==++', isSure: false },
    { first: 'abcd', second: 'ab', ends: ['ends', 'goes on'], shown: '==', isSure: false },
    { first: 'abcd', second: 'ab', ends: ['goes on', 'ends'], shown: '==--', isSure: false },
    { first: 'xab', second: 'abc', ends: ['goes on', 'ends'], shown: '-==', isSure: false },
    { first: 'abc', second: 'xab', ends: ['ends', 'goes on'], shown: '+==', isSure: false },
    { first: `a${RUN}`, second: RUN, ends: ['goes on', 'goes on'], shown: `-${'='.repeat(24)}`, isSure: true },
  ])('$first $ends.0 and $second $ends.1: $shown, as far as is known', ({ first, second, ends, shown, isSure }) => {
    const script = find(first, second, ends);
    expect({ shown: show(script.edits), isSure: script.isSure }).toEqual({ shown, isSure });
  });
});

describe('slideEdits', () => {
  function slide(edits: readonly Edit[], first: string, second: string): readonly Edit[] {
    return slideEdits(
      edits,
      (place, other) => first[place] === first[other],
      (place, other) => second[place] === second[other],
    );
  }

  test.each([
    ['xxxxd', 'xxyxd', '==+-==', 'one of equal elements is replaced'],
    ['xxyxd', 'xxxxd', '==-+==', 'an element is replaced by an equal of those beside it'],
    ['abcd', 'abxd', '==-+=', 'no elements are equal'],
    ['axbc', 'aybc', '=-+==', 'a replaced element'],
    ['xxxd', 'xxd', '==-=', 'nothing is inserted'],
  ])('%s to %s: %s, where %s', (first, second, expected) => {
    expect(show(slide(find(first, second).edits, first, second))?.replaceAll('+-', '-+')).toBe(expected.replaceAll('+-', '-+'));
  });

  test.each([
    ['an insertion to the removal before it', '-==+=', 'abbc', 'bbbc', '-+==='],
    ['a removal to the insertion before it', '+==-=', 'bbbc', 'abbc', '+-==='],
    ['a removal to the insertion behind it', '-==+=', 'bbbc', 'bbac', '==-+='],
    ['an insertion to the removal behind it', '+==-=', 'bbac', 'bbbc', '==+-='],
    ['an insertion behind elements that only the second sequence has', '++=-==+=', 'qabbc', 'yzqbbbc', '++=-+==='],
    ['an insertion behind elements that only the first sequence has', '--=-==+=', 'yzqabbc', 'qbbbc', '--=-+==='],
    ['a removal behind elements that only the first sequence has', '--=-==+=', 'yzqbbbc', 'qbbac', '--===-+='],
    ['an insertion behind elements of the second sequence, with a removal behind it', '++=+==-=', 'qbbac', 'yzqbbbc', '++===+-='],
    ['nothing between other elements', '-==+=', 'xabc', 'abyc', '-==+='],
    ['nothing where only the first elements are equal', '-===+', 'abbc', 'bbcb', '-===+'],
    ['nothing where only the last elements are equal', '-===+', 'xabb', 'abbb', '-===+'],
    ['no removal to a removal', '-=-=', 'bbbc', 'bc', '-=-='],
    ['no insertion to an insertion', '+=+=', 'bc', 'bbbc', '+=+='],
    ['no insertion where nothing is removed', '==+=', 'bbc', 'bbbc', '==+='],
    ['no removal where nothing is inserted', '==-=', 'bbbc', 'bbc', '==-='],
  ])('slides %s', (_what, edits, first, second, slid) => {
    expect(show(slide(parse(edits), first, second))).toBe(slid);
  });

  test('a script that has slid still makes the second sequence of the first', () => {
    fc.assert(
      fc.property(few, few, (first, second) => {
        const slid = slide(find(first, second).edits, first, second);
        expect(apply(slid, first, second)).toEqual({ made: second, left: 0 });
      }),
    );
  });
});

describe('EditSearch', () => {
  /** A window over records; more may come if it goes on. */
  function windowOf(records: Elements, end: End): RecordWindow {
    const window = new RecordWindow(digestBytes);
    window.append({ bytes: Buffer.from(Array.from(records, (record) => `${record}\n`).join('')) });
    window.hasEnded = end === 'ends';
    return window;
  }

  const search = (sent: Elements, came: Elements, size: number, [sentEnd, cameEnd]: readonly [End, End]): string | undefined =>
    show(new EditSearch(windowOf(sent, sentEnd), windowOf(came, cameEnd)).find(size));

  /** So many different records. */
  const records = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${name} ${String(index)}`);

  const SENT = records('record', 2 * LOOKAHEAD);

  test.each<{ what: string; sent: Elements; came: Elements; size: number; ends: readonly [End, End]; shown: string | undefined }>(
    [
      { what: 'both end', sent: 'abcd', came: 'abxd', size: NEAR, ends: ['ends', 'ends'], shown: '==-+=' },
      { what: 'nothing is common', sent: 'ab', came: 'xyz', size: NEAR, ends: ['ends', 'ends'], shown: '--+++' },
      { what: 'sent records slide', sent: 'xxxxd', came: 'xxyxd', size: NEAR, ends: ['ends', 'ends'], shown: '==+-==' },
      { what: 'received records slide', sent: 'xxyxd', came: 'xxxxd', size: NEAR, ends: ['ends', 'ends'], shown: '==-+==' },
      { what: 'the sent ones go on', sent: 'abcd', came: 'abxd', size: NEAR, ends: ['goes on', 'ends'], shown: undefined },
      { what: 'the received ones go on', sent: 'abcd', came: 'abxd', size: NEAR, ends: ['ends', 'goes on'], shown: undefined },
      {
        what: 'both go on together',
        sent: ['x', ...records('both', 30)],
        came: records('both', 30),
        size: NEAR,
        ends: ['goes on', 'goes on'],
        shown: `-${'='.repeat(30)}`,
      },
      {
        what: 'all records are near, and differ',
        sent: records('a', NEAR),
        came: records('b', NEAR),
        size: NEAR,
        ends: ['ends', 'ends'],
        shown: '-'.repeat(NEAR) + '+'.repeat(NEAR),
      },
      {
        what: 'a sent record is not near',
        sent: records('a', NEAR + 1),
        came: records('b', NEAR),
        size: NEAR,
        ends: ['ends', 'ends'],
        shown: undefined,
      },
      {
        what: 'a received record is not near',
        sent: records('a', NEAR),
        came: records('b', NEAR + 1),
        size: NEAR,
        ends: ['ends', 'ends'],
        shown: undefined,
      },
      {
        what: 'a few records are common to long ends',
        sent: [...records('a', 100), 'both'],
        came: [...records('b', 100), 'both'],
        size: LOOKAHEAD,
        ends: ['ends', 'ends'],
        shown: `${'-'.repeat(100)}${'+'.repeat(100)}=`,
      },
    ],
  )('$what', ({ sent, came, size, ends, shown }) => {
    expect(search(sent, came, size, ends)).toBe(shown);
  });

  /** So many records before each but the first two. */
  const spread = (list: readonly string[], others: number): string[] =>
    list.flatMap((record, index) => (index < 2 ? [record] : [...records(`before ${record}`, others), record]));

  test.each<{
    what: string;
    sent: readonly string[];
    came: readonly string[];
    end: End;
    used: readonly [number, number] | undefined;
  }>([
    { what: 'received ones', sent: SENT, came: spread(SENT, 3), end: 'goes on', used: [193, 768] },
    { what: 'sent ones', sent: spread(SENT, 3), came: SENT, end: 'goes on', used: [768, 193] },
    { what: 'received ones, of few sent ones', sent: SENT.slice(0, 20), came: spread(SENT, 53), end: 'ends', used: [15, 704] },
  ])('of records that are cut off three quarters are used: $what', ({ sent, came, end, used }) => {
    const edits = new EditSearch(windowOf(sent, end), windowOf(came, 'goes on')).find(LOOKAHEAD);
    const lengthOf = (side: 'removed' | 'inserted'): number | undefined =>
      edits?.reduce((sum, edit) => sum + edit[side] + edit.common, 0);
    expect([lengthOf('removed'), lengthOf('inserted')]).toEqual(used);
  });

  test.each([
    { common: 256, sent: SENT, others: 3, end: 'goes on', isUsed: true },
    { common: 255, sent: SENT, others: 3, end: 'goes on', isUsed: false },
    { common: 5, sent: SENT.slice(0, 20), others: 3, end: 'ends', isUsed: true },
    { common: 4, sent: SENT.slice(0, 20), others: 3, end: 'ends', isUsed: false },
  ] as const)(
    'records that are cut off are used from a quarter on: $common of $sent.length',
    ({ common, sent, others, end, isUsed }) => {
      const came = sent.slice(0, common).flatMap((record) => [record, ...records(`behind ${record}`, others)]);
      const more = records('more', LOOKAHEAD);
      expect(search(sent, [...came, ...more], LOOKAHEAD, [end, 'goes on']) !== undefined).toBe(isUsed);
      expect(search([...came, ...more], sent, LOOKAHEAD, ['goes on', end]) !== undefined).toBe(isUsed);
    },
  );

  /** As many records as are looked at, so many of them common, in reverse order: no search finds a script. */
  function tangle(common: number): { readonly sent: readonly string[]; readonly came: readonly string[] } {
    const both = records('both', common);
    return {
      sent: [...records('sent', LOOKAHEAD - common), ...both],
      came: [...records('came', LOOKAHEAD - common), ...both.reverse()],
    };
  }

  test.each([
    { far: 5, near: 0, passed: [8192, 8192], size: LOOKAHEAD, isFound: true },
    { far: 5, near: 0, passed: [8191, 8192], size: LOOKAHEAD, isFound: false },
    { far: 5, near: 0, passed: [8192, 8191], size: LOOKAHEAD, isFound: false },
    { far: 5, near: 1024, passed: [4096, 4096], size: NEAR, isFound: true },
    { far: 5, near: 1024, passed: [4096, 4095], size: NEAR, isFound: false },
  ])(
    'after $far failures far ahead and $near near, $passed records on, a script of $size records is found: $isFound',
    (search) => {
      expect(searchAfter(search, tangle(SYNC_LENGTH)) !== undefined).toBe(search.isFound);
    },
  );

  test('records of which fewer than 24 are common are not searched', () => {
    const search = { far: 20, near: 0, passed: [LOOKAHEAD, LOOKAHEAD], size: LOOKAHEAD };
    expect(searchAfter(search, tangle(SYNC_LENGTH - 1))).toBeDefined();
  });

  /** Searches the end of both sides after so many failures: at the beginning, and at the end while it is not known to be the end. */
  function searchAfter(
    {
      far,
      near,
      passed,
      size,
    }: { readonly far: number; readonly near: number; readonly passed: readonly number[]; readonly size: number },
    tangled: { readonly sent: readonly string[]; readonly came: readonly string[] },
  ): readonly Edit[] | undefined {
    const [sentPassed = 0, camePassed = 0] = passed;
    const between = records('between', Math.max(...passed));
    const sent = windowOf([...tangled.sent, ...between.slice(0, sentPassed - LOOKAHEAD), ...records('a', NEAR)], 'goes on');
    const came = windowOf([...tangled.came, ...between.slice(0, camePassed - LOOKAHEAD), ...records('b', NEAR)], 'goes on');
    const finder = new EditSearch(sent, came);
    for (let count = 0; count < far; count += 1) expect(finder.find(LOOKAHEAD)).toBeUndefined();
    for (let count = 0; count < sentPassed; count += 1) sent.advance();
    for (let count = 0; count < camePassed; count += 1) came.advance();
    for (let count = 0; count < near; count += 1) finder.find(NEAR);
    sent.hasEnded = true;
    came.hasEnded = true;
    return finder.find(size);
  }
});
