import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Alteration } from '../../src/compare/alteration.js';
import { addJoined, findFurtherPieces, pairInOrder, type AlteredPair } from '../../src/compare/gap-pairs.js';
import { resolveGap } from '../../src/compare/gap-resolution.js';
import { RepeatedStretch } from '../../src/compare/repeated-stretch.js';
import { briefly, compare } from '../support/compared.js';

/** An alteration of which only the likeness, and what it is of a record, matter. */
const alteration = (likeness: number, { isPiece = true, cutAt }: { isPiece?: boolean; cutAt?: number } = {}): Alteration => ({
  describe: () => 'altered',
  likeness,
  isPiece,
  ...(cutAt !== undefined && { cutAt }),
});

/** `expected-received` for each pair. */
const show = (pairs: readonly AlteredPair[]): string =>
  pairs.map(({ expected, received }) => `${String(expected)}-${String(received)}`).join(' ');

describe('pairInOrder', () => {
  type Likenesses = Readonly<Record<string, number>>;

  /** Pairs letters: `ax` in the table is how much an expected `a` and a received `x` resemble each other. */
  const pair = (expected: string, received: string, table: Likenesses): readonly AlteredPair[] =>
    pairInOrder(Array.from(expected), Array.from(received), (one, other) => {
      if (one === '' || other === '') throw new Error('there is no such record');
      const likeness = table[one + other];
      return likeness === undefined ? undefined : alteration(likeness);
    });

  test.each<{ what: string; expected: string; received: string; table: Likenesses; pairs: string }>([
    { what: 'nothing', expected: '', received: '', table: {}, pairs: '' },
    { what: 'nothing received', expected: 'ab', received: '', table: {}, pairs: '' },
    { what: 'no likeness', expected: 'ab', received: 'xy', table: {}, pairs: '' },
    {
      what: 'each is like the one beside it',
      expected: 'ab',
      received: 'xy',
      table: { ax: 0.5, by: 0.5, ay: 1 },
      pairs: '0-0 1-1',
    },
    {
      what: 'each is a little like the one beside it, and more like another one',
      expected: 'abc',
      received: 'xyz',
      table: { ax: 0.25, by: 0.25, cz: 0.25, bx: 1, cy: 1 },
      pairs: '0-0 1-1 2-2',
    },
    { what: 'the first is like another one', expected: 'ab', received: 'xy', table: { by: 0.5 }, pairs: '1-1' },
    { what: 'the last is missing', expected: 'abc', received: 'xy', table: { ax: 1, by: 1 }, pairs: '0-0 1-1' },
    { what: 'the first is missing', expected: 'abc', received: 'xy', table: { bx: 1, cy: 1 }, pairs: '1-0 2-1' },
    { what: 'one more came', expected: 'ab', received: 'xyz', table: { ax: 1, bz: 1 }, pairs: '0-0 1-2' },
    { what: 'the better one of two', expected: 'ab', received: 'x', table: { ax: 0.5, bx: 1 }, pairs: '1-0' },
    { what: 'the better one of two received', expected: 'a', received: 'xy', table: { ax: 0.5, ay: 1 }, pairs: '0-1' },
    { what: 'the first of two that are as good', expected: 'ab', received: 'x', table: { ax: 1, bx: 1 }, pairs: '0-0' },
    { what: 'the first of two received', expected: 'a', received: 'xy', table: { ax: 1, ay: 1 }, pairs: '0-0' },
    { what: 'two that cross', expected: 'ab', received: 'xy', table: { ay: 0.5, bx: 1 }, pairs: '1-0' },
    { what: 'two that cross and are as good', expected: 'ab', received: 'xy', table: { ay: 1, bx: 1 }, pairs: '1-0' },
    {
      what: 'two pairs before a better one',
      expected: 'abc',
      received: 'xy',
      table: { ax: 0.25, cy: 0.25, ay: 1 },
      pairs: '0-0 2-1',
    },
  ])('$what: $pairs', ({ expected, received, table, pairs }) => {
    expect(show(pair(expected, received, table))).toBe(pairs);
  });

  test('no other pairs in order come to more', () => {
    const tables = fc.dictionary(
      fc.constantFrom(...['a', 'b', 'c', 'd'].flatMap((one) => ['x', 'y', 'z'].map((other) => one + other))),
      fc.constantFrom(0.25, 0.5, 0.75, 1),
    );
    fc.assert(
      fc.property(tables, (table) => {
        const pairs = pair('abcd', 'xyz', table);
        const total = pairs.reduce((sum, { alteration: { likeness } }) => sum + 1 + likeness, 0);
        expect(total).toBe(greatest('abcd', 'xyz', table));
        expect(pairs.map(({ expected, received }) => table[`${'abcd'.charAt(expected)}${'xyz'.charAt(received)}`])).toEqual(
          pairs.map(({ alteration: { likeness } }) => likeness),
        );
        for (const side of ['expected', 'received'] as const) {
          const places = pairs.map((found) => found[side]);
          expect(places).toEqual(Array.from(new Set(places)).sort((one, other) => one - other));
        }
      }),
    );
  });

  /** The most that pairs come to, by trying all of them. */
  function greatest(expected: string, received: string, table: Likenesses): number {
    if (expected === '' || received === '') return 0;
    const likeness = table[expected.charAt(0) + received.charAt(0)];
    const paired = likeness === undefined ? 0 : 1 + likeness + greatest(expected.slice(1), received.slice(1), table);
    return Math.max(paired, greatest(expected.slice(1), received, table), greatest(expected, received.slice(1), table));
  }
});

describe('addJoined', () => {
  const [A, B, C] = ['the first record', 'the second record', 'the third record'] as const;

  function join(pairs: string, expected: readonly string[], received: readonly string[]): string[] {
    const all = addJoined(parsePairs(pairs), expected, received);
    return all.map(
      ({ expected: record, received: line, alteration: { describe } }) => `${String(record)}-${String(line)} ${describe()}`,
    );
  }

  test.each<{ what: string; pairs: string; expected: readonly string[]; received: readonly string[]; joined: readonly string[] }>(
    [
      { what: 'a record by itself', pairs: '0-0', expected: [A, B], received: ['x'], joined: ['0-0 altered'] },
      {
        what: 'the record behind the paired one',
        pairs: '0-0',
        expected: [A, B, C],
        received: [A + B],
        joined: ['0-0 record 1 of 2 on one line', '1-0 record 2 of 2 on one line'],
      },
      {
        what: 'the record before the paired one',
        pairs: '2-0',
        expected: [C, A, B],
        received: [A + B],
        joined: ['1-0 record 1 of 2 on one line', '2-0 record 2 of 2 on one line'],
      },
      {
        what: 'records on both sides',
        pairs: '1-0',
        expected: [A, B, C],
        received: [A + B + C],
        joined: ['0-0 record 1 of 3 on one line', '1-0 record 2 of 3 on one line', '2-0 record 3 of 3 on one line'],
      },
      {
        what: 'no record of the next pair',
        pairs: '0-0 1-1',
        expected: [A, B],
        received: [A + B, 'x'],
        joined: ['0-0 altered', '1-1 altered'],
      },
      {
        what: 'no record of the pair before',
        pairs: '0-0 1-1',
        expected: [A, B],
        received: ['x', A + B],
        joined: ['0-0 altered', '1-1 altered'],
      },
      {
        what: 'no record that is joined to the pair before',
        pairs: '0-0 2-1',
        expected: [A, B, C],
        received: [A + B, B + C],
        joined: ['0-0 record 1 of 2 on one line', '1-0 record 2 of 2 on one line', '2-1 altered'],
      },
      {
        what: 'a record to the second of two pairs',
        pairs: '0-0 2-1',
        expected: [A, B, C],
        received: ['x', B + C],
        joined: ['0-0 altered', '1-1 record 1 of 2 on one line', '2-1 record 2 of 2 on one line'],
      },
    ],
  )('$what', ({ pairs, expected, received, joined }) => {
    expect(join(pairs, expected, received)).toEqual(joined);
  });

  test('a record that was joined is a piece, and as like as can be', () => {
    const [first] = addJoined(parsePairs('0-0'), [A, B], [A + B]);
    expect(first?.alteration).toMatchObject({ likeness: 1, isPiece: true });
  });

  const parsePairs = (pairs: string): AlteredPair[] =>
    pairs.split(' ').map((shown) => {
      const [expected, received] = shown.split('-').map(Number);
      return { expected: expected ?? 0, received: received ?? 0, alteration: alteration(0.5, { isPiece: false }) };
    });
});

describe('findFurtherPieces', () => {
  const WHOLE = 'abcdefghijklmnopqrstuvwxyz0123456789';
  const CUT = { expected: 0, received: 0, alteration: alteration(1, { cutAt: 10 }) };

  test.each<{ what: string; received: readonly string[]; pieces: readonly number[] }>([
    { what: 'the rest', received: ['abcdefghij', 'klmnopqrstuvwxyz0123456789'], pieces: [1] },
    {
      what: 'pieces of the rest, short ones too',
      received: ['', 'klm', 'n', 'opqrstuv', 'wxyz0123456789'],
      pieces: [1, 2, 3, 4],
    },
    { what: 'a long piece from elsewhere behind', received: ['', 'pqrstuvw', 'klm'], pieces: [1, 2] },
    { what: 'a short piece from elsewhere behind', received: ['', 'pqrstuv', 'klm'], pieces: [2] },
    { what: 'a long piece that came before', received: ['', 'abcdefgh', 'cdefghijklm'], pieces: [] },
    { what: 'a piece that came already', received: ['', 'klmnopqr', 'klmnopqr', 'stu'], pieces: [1, 3] },
    { what: 'an empty line', received: ['', '', 'klm'], pieces: [2] },
    { what: 'lines of other records', received: ['', 'something else', 'klm'], pieces: [2] },
  ])('$what', ({ received, pieces }) => {
    expect(Array.from(findFurtherPieces([CUT], [WHOLE], received))).toEqual(pieces);
  });

  test('pieces belong to the cut record before them', () => {
    const pairs = [CUT, { expected: 1, received: 2, alteration: alteration(1, { cutAt: 3 }) }];
    const received = ['abcdefghij', 'klm', 'nop', ' and more', 'nopqrstu'];
    expect(Array.from(findFurtherPieces(pairs, [WHOLE, 'nop and more of it'], received))).toEqual([1, 3]);
  });

  test('a line that came before the cut record is not a piece of it', () => {
    expect(Array.from(findFurtherPieces([{ ...CUT, received: 1 }], [WHOLE], ['klmnopqr', 'abcdefghij', 'klm']))).toEqual([2]);
  });

  test('a record that was not cut has no further pieces', () => {
    expect(findFurtherPieces([{ ...CUT, alteration: alteration(1) }], [WHOLE], ['', 'abcdefghij']).size).toBe(0);
  });
});

describe('resolveGap', () => {
  /** Records of both sides by their places; those with equal numbers resemble each other. */
  interface Gap {
    readonly expected: number;
    readonly received: number;
    /** The pairs, by their places. */
    readonly like: readonly (readonly [number, number])[];
    readonly isWhole?: boolean;
    readonly isPiece?: boolean;
  }

  function resolve({ expected, received, like, isWhole = true, isPiece = true }: Gap): {
    readonly pairs: string;
    readonly done: readonly [number, number];
    readonly looks: number;
  } {
    const partners = new Map(like.map(([one, other]) => [`e${String(one)}`, `r${String(other)}`]));
    let looks = 0;
    const { pairs, expectedDone, receivedDone } = resolveGap(
      { length: expected, textAt: (index) => `e${String(index)}` },
      { length: received, textAt: (index) => `r${String(index)}` },
      (one, other) => {
        looks += 1;
        return partners.get(one) === other ? alteration(1, { isPiece }) : undefined;
      },
      isWhole,
    );
    return { pairs: show(pairs), done: [expectedDone, receivedDone], looks };
  }

  const inStep = (from: number, until: number, behind = 0): readonly (readonly [number, number])[] =>
    Array.from({ length: until - from }, (_, index) => [from + index, from + index + behind] as const);
  const shown = (pairs: readonly (readonly [number, number])[]): string => pairs.map((pair) => pair.join('-')).join(' ');

  test.each<{ what: string; gap: Gap; isPaired: boolean }>([
    { what: 'one of 15 beside 15', gap: { expected: 15, received: 15, like: inStep(7, 8) }, isPaired: true },
    { what: 'one of 30 beside 15', gap: { expected: 30, received: 15, like: inStep(7, 8) }, isPaired: true },
    { what: '12 of 16', gap: { expected: 16, received: 16, like: inStep(1, 13) }, isPaired: true },
    { what: '11 of 16', gap: { expected: 16, received: 16, like: inStep(1, 12) }, isPaired: false },
    { what: '46 of 60', gap: { expected: 60, received: 60, like: inStep(0, 46) }, isPaired: true },
    { what: '12 of 16 beside 40', gap: { expected: 16, received: 40, like: inStep(1, 13) }, isPaired: true },
    { what: '12 of 40 beside 16', gap: { expected: 40, received: 16, like: inStep(1, 13) }, isPaired: true },
    {
      what: '16 of 17 beside 40, which is no large gap by chance',
      gap: { expected: 40, received: 17, like: inStep(0, 1) },
      isPaired: false,
    },
  ])('records that resemble each other by chance: $what', ({ gap, isPaired }) => {
    expect(resolve({ ...gap, isPiece: false }).pairs).toBe(isPaired ? shown(gap.like) : '');
    expect(resolve(gap).pairs).toBe(shown(gap.like));
  });

  test.each<{ what: string; gap: Gap }>([
    { what: 'all of a long gap', gap: { expected: 300, received: 300, like: inStep(0, 300) } },
    { what: 'all but the first ones', gap: { expected: 300, received: 290, like: inStep(10, 300, -10) } },
    {
      what: 'all but some in the middle',
      gap: { expected: 300, received: 290, like: [...inStep(0, 100), ...inStep(110, 300, -10)] },
    },
    { what: 'one in the second half of what is looked at', gap: { expected: 100, received: 100, like: inStep(40, 41) } },
    { what: 'one that is far off on one side', gap: { expected: 200, received: 200, like: [[10, 50]] } },
    { what: 'one that is far off on the other side', gap: { expected: 200, received: 200, like: [[50, 10]] } },
    {
      what: 'two with others between',
      gap: {
        expected: 200,
        received: 200,
        like: [
          [31, 31],
          [95, 95],
        ],
      },
    },
    { what: 'the last of many expected ones', gap: { expected: 1000, received: 64, like: [[999, 63]] } },
    { what: 'the last of many received ones', gap: { expected: 64, received: 1000, like: [[63, 999]] } },
    {
      what: 'the first and the last of the many',
      gap: {
        expected: 1000,
        received: 3,
        like: [
          [0, 0],
          [936, 1],
          [999, 2],
        ],
      },
    },
    {
      what: 'those at the end of the first ones and the beginning of the last ones',
      gap: {
        expected: 2,
        received: 200,
        like: [
          [0, 63],
          [1, 136],
        ],
      },
    },
    {
      what: 'those in the middle of the many, of which many are beside few',
      gap: { expected: 1000, received: 60, like: Array.from({ length: 60 }, (_, index) => [5 * index, index] as const) },
    },
    {
      what: 'those in the middle of the many received ones',
      gap: { expected: 60, received: 1000, like: Array.from({ length: 60 }, (_, index) => [index, 5 * index] as const) },
    },
    {
      what: 'the last of the many received ones, once few expected ones are left',
      gap: { expected: 100, received: 1000, like: [...inStep(0, 60), ...inStep(60, 100, 900)] },
    },
    {
      what: 'the last of the many expected ones, once few received ones are left',
      gap: {
        expected: 1000,
        received: 100,
        like: [...inStep(0, 60), ...Array.from({ length: 40 }, (_, index) => [960 + index, 60 + index] as const)],
      },
    },
    { what: 'nothing of many beside few', gap: { expected: 1000, received: 3, like: [] } },
    { what: 'nothing of few beside many', gap: { expected: 3, received: 1000, like: [] } },
    {
      what: 'all of fewer than twice as many',
      gap: {
        expected: 100,
        received: 4,
        like: [
          [0, 0],
          [40, 1],
          [70, 2],
          [99, 3],
        ],
      },
    },
  ])('finds $what', ({ gap }) => {
    const { pairs, done } = resolve(gap);
    expect(pairs).toBe(shown(gap.like));
    expect(done).toEqual([gap.expected, gap.received]);
  });

  test.each([0, 63, 64, 127, 200, 450, 970, 2000, 4040, 6090, 8140])(
    'in a long gap of unlike records, those at %i and behind it are looked at',
    (place) => {
      const gap = { expected: 9000, received: 9000, like: inStep(place, place + 5) };
      const { pairs, looks } = resolve(gap);
      expect(pairs).toBe(shown(gap.like));
      expect(looks).toBeLessThan(16 * 64 * 64);
    },
  );

  test('in a long gap of unlike records, a longer stretch that belongs together is found wherever it is', () => {
    const { pairs } = resolve({ expected: 20_000, received: 20_000, like: inStep(14_000, 16_200) });
    expect(pairs.endsWith(' 16198-16198 16199-16199')).toBe(true);
  });

  test.each<{ gap: Gap; pairs: string; done: readonly [number, number] }>([
    { gap: { expected: 10, received: 10, like: inStep(0, 10) }, pairs: shown(inStep(0, 10)), done: [10, 10] },
    { gap: { expected: 100, received: 100, like: inStep(0, 100) }, pairs: shown(inStep(0, 64)), done: [64, 64] },
    { gap: { expected: 100, received: 1000, like: inStep(0, 100) }, pairs: shown(inStep(0, 64)), done: [64, 64] },
    { gap: { expected: 1000, received: 100, like: inStep(0, 100) }, pairs: shown(inStep(0, 64)), done: [64, 64] },
    { gap: { expected: 64, received: 64, like: inStep(0, 64) }, pairs: shown(inStep(0, 32)), done: [32, 32] },
    { gap: { expected: 65, received: 64, like: inStep(0, 64) }, pairs: shown(inStep(0, 32)), done: [32, 32] },
    { gap: { expected: 64, received: 65, like: inStep(0, 64) }, pairs: shown(inStep(0, 32)), done: [32, 32] },
    { gap: { expected: 66, received: 66, like: inStep(0, 64) }, pairs: shown(inStep(0, 64)), done: [64, 64] },
    { gap: { expected: 50, received: 40, like: [] }, pairs: '', done: [50, 40] },
    { gap: { expected: 500, received: 400, like: [] }, pairs: '', done: [448, 400] },
    { gap: { expected: 3, received: 0, like: [] }, pairs: '', done: [0, 0] },
    { gap: { expected: 0, received: 3, like: [] }, pairs: '', done: [0, 0] },
    { gap: { expected: 100, received: 2, like: [[99, 1]] }, pairs: '', done: [64, 2] },
  ])('a gap that may go on, $gap.expected to $gap.received records: half of it is decided', ({ gap, pairs, done }) => {
    expect(resolve({ ...gap, isWhole: false })).toMatchObject({ pairs, done });
  });

  /** Resolves texts of which each received one is a beginning of the expected one, or two on one line. */
  function resolveTexts(
    expected: readonly string[],
    received: readonly string[],
  ): { readonly pairs: string; readonly pieces: number[] } {
    const { pairs, pieces } = resolveGap(
      { length: expected.length, textAt: (index) => expected[index] ?? '' },
      { length: received.length, textAt: (index) => received[index] ?? '' },
      (one, other) => {
        if (one.startsWith(other)) return alteration(1, { cutAt: other.length });
        return other.startsWith(one) ? alteration(0.9) : undefined;
      },
      true,
    );
    return { pairs: show(pairs), pieces: Array.from(pieces) };
  }

  const texts = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${String(index + 1000)} is the number of a record`);

  test('further pieces and joined records belong to a pair, in the whole of a long gap', () => {
    const expected = texts(200);
    const cut = expected.flatMap((text) => [text.slice(0, 12), text.slice(12, 20), text.slice(20)]);
    expect(resolveTexts(expected, cut)).toEqual({
      pairs: shown(expected.map((_, index) => [index, 3 * index])),
      pieces: expected.flatMap((_, index) => [3 * index + 1, 3 * index + 2]),
    });
    const joined = Array.from({ length: 100 }, (_, line) => (expected[2 * line] ?? '') + (expected[2 * line + 1] ?? ''));
    expect(resolveTexts(expected, joined)).toEqual({
      pairs: shown(expected.map((_, index) => [index, index >>> 1])),
      pieces: [],
    });
  });
});

describe('RepeatedStretch', () => {
  test.each<{ what: string; sent: readonly number[]; ends: readonly number[] }>([
    { what: 'one record', sent: [3], ends: [2, 3, 3, 4] },
    { what: 'records in a row', sent: [5, 6, 7], ends: [4, 5, 7, 8] },
    { what: 'records of which the first is known by an equal', sent: [99, 6, 7, 8], ends: [4, 5, 8, 9] },
    { what: 'records of which the last is known by an equal', sent: [5, 6, 7, 99], ends: [4, 5, 8, 9] },
    { what: 'records of which one in the middle is known by an equal', sent: [5, 6, 99, 8, 9], ends: [4, 5, 9, 10] },
    { what: 'two stretches', sent: [5, 6, 50, 51], ends: [4, 5, 51, 52] },
    { what: 'records that do not agree: the last one counts', sent: [5, 99], ends: [97, 98, 99, 100] },
  ])('the ends of $what', ({ sent: [first = 0, ...others], ends }) => {
    const stretch = new RepeatedStretch(10, first);
    for (const sent of others) stretch.add(sent);
    expect(stretch.ends).toEqual(ends);
    expect(stretch.last).toBe(10 + others.length);
  });
});

describe('what stands beside a repeated stretch', () => {
  /** A record of 26 bytes, another one for each number, with a beginning and an end of its own. */
  const record = (number: number): string => `${String(1000 + number)} is a record, the ${String(2000 + number)}`;
  const SENT = Array.from({ length: 60 }, (_, index) => record(index));
  const logOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const head = (number: number, bytes = 12): string => record(number).slice(0, bytes);
  const tail = (number: number, bytes = 12): string => record(number).slice(-bytes);

  /** Records from 10 to 19 come again behind record 39, with lines before, in and behind them. */
  const again = (before: readonly string[], within: readonly string[], behind: readonly string[]): readonly string[] => [
    ...SENT.slice(0, 40),
    ...before,
    ...SENT.slice(10, 15),
    ...within,
    ...SENT.slice(15, 20),
    ...behind,
    ...SENT.slice(40),
  ];

  test.each<{ what: string; came: readonly string[]; foreign: readonly number[] }>([
    { what: 'the end of the record before it', came: again([tail(9)], [], []), foreign: [] },
    { what: 'the beginning of the record before it', came: again([head(9)], [], []), foreign: [] },
    { what: 'the end of its first record', came: again([tail(10)], [], []), foreign: [] },
    { what: 'the beginning of the record behind it', came: again([], [], [head(20)]), foreign: [] },
    { what: 'the end of the record behind it', came: again([], [], [tail(20)]), foreign: [] },
    { what: 'the beginning of its last record', came: again([], [], [head(19)]), foreign: [] },
    { what: 'a piece of a record within it', came: again([], [head(15)], []), foreign: [] },
    { what: 'a piece of 8 bytes', came: again([tail(9, 8)], [], []), foreign: [] },
    { what: 'a piece of 7 bytes', came: again([tail(9, 7)], [], []), foreign: [41] },
    { what: 'a piece that is neither beginning nor end', came: again([record(9).slice(2, 20)], [], []), foreign: [41] },
    { what: 'a piece of a record that is further on', came: again([tail(8)], [], [head(21)]), foreign: [41, 52] },
    {
      what: 'pieces with something else between',
      came: again([tail(9), 'something else'], [], ['something else', head(20)]),
      foreign: [41, 42, 53, 54],
    },
    { what: 'two pieces before it', came: again([head(9), tail(9)], [], []), foreign: [41] },
    {
      what: 'the end of the record before it, with another record between',
      came: [...SENT.slice(0, 40), tail(9), record(40), ...SENT.slice(10, 20), ...SENT.slice(41)],
      foreign: [41],
    },
    {
      what: 'a line that repeats nothing, before the first record',
      came: [...SENT.slice(0, 40), 'something else', ...SENT.slice(0, 5), ...SENT.slice(40)],
      foreign: [41],
    },
    { what: 'a line behind the last record', came: [...SENT, ...SENT.slice(50), 'something else'], foreign: [71] },
    { what: 'the beginning of the first record behind the last one', came: [...SENT, ...SENT.slice(50), head(0)], foreign: [71] },
    { what: 'a piece beside no stretch', came: [...SENT.slice(0, 40), head(39), ...SENT.slice(40)], foreign: [41] },
  ])('$what: foreign are the lines $foreign', async ({ came, foreign }) => {
    const findings = briefly(await compare(logOf(SENT), logOf(came)));
    expect(findings.filter((finding) => !finding.endsWith('duplicated'))).toEqual(
      foreign.map((line) => `came.log:${String(line)} foreign`),
    );
    expect(findings.length).toBe(came.length - SENT.length);
  });

  test.each([
    { what: 'the last record of it', equal: 19, before: [], behind: [head(20)] },
    { what: 'the first record of it', equal: 10, before: [tail(9)], behind: [] },
  ])('a stretch is known by all of its records: $what is equal to one that was sent later', async ({ equal, before, behind }) => {
    const sent = SENT.with(30, record(equal));
    const came = [...sent.slice(0, 40), ...before, ...sent.slice(10, 20), ...behind, ...sent.slice(40)];
    expect(briefly(await compare(logOf(sent), logOf(came)))).toEqual(
      Array.from({ length: 11 }, (_, index) => `came.log:${String(41 + index)} duplicated`),
    );
  });

  test('records that are missing besides are shown as they were sent', async () => {
    const came = [...SENT.slice(0, 40), tail(0), ...SENT.slice(0, 5), ...SENT.slice(40, 59)];
    const { findings } = await compare(logOf(SENT), logOf(came));
    expect(findings.map(({ kind, text }) => [kind, text])).toEqual([
      ['missing', record(59)],
      ...[tail(0), ...SENT.slice(0, 5)].map((text) => ['duplicated', text]),
    ]);
  });

  test.each<{ what: string; came: readonly string[] }>([
    { what: 'from the first record on', came: [...SENT.slice(0, 40), tail(0), ...SENT.slice(0, 5), ...SENT.slice(40)] },
    { what: 'up to the last record', came: [...SENT, ...SENT.slice(50), head(59)] },
    { what: 'up to the last record but one', came: [...SENT, ...SENT.slice(50, 59), head(59)] },
  ])('a stretch $what', async ({ came }) => {
    const findings = briefly(await compare(logOf(SENT), logOf(came)));
    expect(findings.filter((finding) => !finding.endsWith('duplicated'))).toEqual([]);
    expect(findings.length).toBe(came.length - SENT.length);
  });
});

describe('gaps between delivered records', () => {
  const record = (number: number): string => `${String(1000 + number)} is a record, the ${String(2000 + number)}`;
  const SENT = Array.from({ length: 120 }, (_, index) => record(index));
  const logOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const CUT = 'altered: cut after 12 bytes';

  /** What comes of the records: others in place of some, by their numbers. */
  const cameWith = (changes: Readonly<Record<number, readonly string[]>>): string =>
    logOf(SENT.flatMap((line, index) => changes[index] ?? [line]));
  const cut = (number: number): string => record(number).slice(0, 12);

  test.each<{ what: string; came: string; findings: readonly string[] }>([
    { what: 'a cut record in its gap', came: cameWith({ 10: [cut(10)] }), findings: [`came.log:11 ${CUT}`] },
    {
      what: 'cut records in gaps of their own',
      came: cameWith({ 10: [cut(10)], 12: [cut(12)], 50: [cut(50)], 100: [cut(100)] }),
      findings: [11, 13, 51, 101].map((line) => `came.log:${String(line)} ${CUT}`),
    },
    {
      what: 'a cut record in the next gap',
      came: cameWith({ 10: [], 11: [record(11), cut(10)] }),
      findings: ['sent.log:11 missing', 'came.log:12 foreign'],
    },
    {
      what: 'a cut record in the gap before',
      came: cameWith({ 9: [cut(10), record(9)], 10: [] }),
      findings: ['sent.log:11 missing', 'came.log:10 foreign'],
    },
    {
      what: 'a cut record many records behind its gap',
      came: cameWith({ 10: [], 80: [record(80), cut(10)] }),
      findings: ['sent.log:11 missing', 'came.log:81 foreign'],
    },
    {
      what: 'a cut record many records before its gap',
      came: cameWith({ 20: [cut(100), record(20)], 100: [] }),
      findings: ['sent.log:101 missing', 'came.log:21 foreign'],
    },
    {
      what: 'a cut record in another of many near gaps',
      came: cameWith({ 60: [], 62: [], 63: [record(63), cut(62)] }),
      findings: ['sent.log:61 missing', 'sent.log:63 missing', 'came.log:63 foreign'],
    },
    {
      what: 'a cut record in another near gap, behind one in its own',
      came: cameWith({ 60: [cut(60)], 62: [], 63: [record(63), cut(62)] }),
      findings: ['sent.log:63 missing', `came.log:61 ${CUT}`, 'came.log:64 foreign'],
    },
    {
      what: 'a record that came cut in many gaps behind its own',
      came: cameWith({
        10: [],
        ...Object.fromEntries([80, 81, 82, 83, 84, 85].map((number) => [number, [record(number), cut(10)]])),
      }),
      findings: ['sent.log:11 missing', ...[81, 83, 85, 87, 89, 91].map((line) => `came.log:${String(line)} foreign`)],
    },
    {
      what: 'a record that came cut in many gaps before its own',
      came: cameWith({
        ...Object.fromEntries([20, 21, 22, 23, 24, 25].map((number) => [number, [record(number), cut(100)]])),
        100: [],
      }),
      findings: ['sent.log:101 missing', ...[22, 24, 26, 28, 30, 32].map((line) => `came.log:${String(line)} foreign`)],
    },
    {
      what: 'cut records behind one that has moved',
      came: cameWith({ 5: [], 40: [record(40), record(5)], 45: [cut(45)], 90: [cut(90)] }),
      findings: ['came.log:41 reordered', `came.log:46 ${CUT}`, `came.log:91 ${CUT}`],
    },
    {
      what: 'cut records on both sides of one that has moved',
      came: cameWith({ 30: [cut(30)], 40: [cut(40), record(70), cut(41)], 41: [], 70: [] }),
      findings: [`came.log:31 ${CUT}`, `came.log:41 ${CUT}`, 'came.log:42 reordered', `came.log:43 ${CUT}`],
    },
  ])('$what', async ({ came, findings }) => {
    expect(briefly(await compare(logOf(SENT), came))).toEqual(findings);
  });

  test.each([1, 2, 3, 4, 5])('a cut record far behind its gap, and behind %i gaps in which records are missing', async (gaps) => {
    const missing = Array.from({ length: gaps }, (_, index) => 80 + 2 * index);
    const last = 81 + 2 * gaps;
    const came = cameWith({
      10: [],
      ...Object.fromEntries(missing.map((number) => [number, []])),
      [last]: [record(last), cut(10)],
    });
    expect(briefly(await compare(logOf(SENT), came))).toEqual([
      ...[10, ...missing].map((number) => `sent.log:${String(number + 1)} missing`),
      `came.log:${String(last - gaps + 1)} foreign`,
    ]);
  });

  test('200 records in a row, each of which came in three pieces, are each altered', async () => {
    const sent = Array.from({ length: 200 }, (_, index) => record(index));
    const came = sent.flatMap((text) => [text.slice(0, 12), text.slice(12, 20), text.slice(20)]);
    expect(briefly(await compare(logOf(sent), logOf(came)))).toEqual(
      sent.map((_, index) => `came.log:${String(3 * index + 1)} ${CUT}`),
    );
  });
});
