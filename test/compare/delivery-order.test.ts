import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DeliveryOrder, type SettledOrder } from '../../src/compare/delivery-order.js';
import type { Digest } from '../../src/compare/digest.js';
import { withoutInterchangeable } from '../../src/compare/interchangeable.js';
import { ReorderedRuns } from '../../src/compare/reordered-runs.js';
import { RunList, type Run } from '../../src/compare/run-list.js';
import { heaviestIncreasing } from '../../src/compare/subsequence.js';
import { Unmatched } from '../../src/compare/unmatched.js';

/** Expected record, received record, number of records. */
type Triple = readonly [number, number, number];

const listOf = (runs: readonly Triple[]): RunList => {
  const list = new RunList();
  for (const run of runs) list.add(...run);
  return list;
};
const triplesOf = (runs: Iterable<Run>): Triple[] =>
  Array.from(runs, ({ expected, received, length }) => [expected, received, length]);

/** So many runs, the received ones in reverse order. */
const reversed = (count: number): Triple[] =>
  Array.from({ length: count }, (_, index) => [index * 10, (count - index) * 10, 1 + (index % 7)]);

describe('RunList', () => {
  // A list begins with room for 256 runs.
  const COUNTS = [0, 1, 3, 255, 256, 257, 600];

  test.each(COUNTS)('holds %i runs', (count) => {
    const runs = reversed(count);
    const list = listOf(runs);
    expect(list.length).toBe(count);
    expect(triplesOf(list)).toEqual(runs);
    expect(Array.from(list.expected)).toEqual(runs.map(([expected]) => expected));
    expect(Array.from(list.lengths)).toEqual(runs.map(([, , length]) => length));
    expect([list.at(-1), list.at(count), list.at(count + 1)]).toEqual([undefined, undefined, undefined]);
  });

  test.each(COUNTS)('sorts %i runs by their received records, and takes more', (count) => {
    const list = listOf(reversed(count));
    list.sortByReceived();
    expect(triplesOf(list)).toEqual(reversed(count).reverse());
    for (let index = 0; index < 300; index += 1) list.add(index, index, 1);
    expect(triplesOf(list).slice(count)).toEqual(Array.from({ length: 300 }, (_, index) => [index, index, 1]));
  });

  test.each([0, 1, 100, 300])('without the first %i of 300 runs, the others are left', (removed) => {
    const list = listOf(reversed(300));
    list.removeFirst(removed);
    expect(list.length).toBe(300 - removed);
    expect(triplesOf(list)).toEqual(reversed(300).slice(removed));
    expect(list.at(300 - removed)).toBeUndefined();
  });

  test('a run reaches to the records behind its last one on both sides, also when it has become longer', () => {
    const list = listOf([
      [10, 20, 3],
      [50, 60, 1],
    ]);
    const reaches = (index: number): boolean[] => [
      list.reaches(index, 13, 23),
      list.reaches(index, 13, 24),
      list.reaches(index, 14, 23),
      list.reaches(index, 14, 24),
    ];
    expect(reaches(0)).toEqual([true, false, false, false]);
    list.lengthen(0, 1);
    expect(reaches(0)).toEqual([false, false, false, true]);
    expect(list.reaches(1, 51, 61)).toBe(true);
    expect(triplesOf(list)).toEqual([
      [10, 20, 4],
      [50, 60, 1],
    ]);
  });
});

describe('ReorderedRuns', () => {
  test('gives the runs that came before a record, each of them once and in the order of received records', () => {
    const runs = new ReorderedRuns();
    const add = (...list: readonly Triple[]): void => {
      for (const [expected, received, length] of list) runs.add({ expected, received, length });
    };
    const takeBefore = (record: number): readonly Triple[] => triplesOf(runs.takeBefore(record));
    expect(takeBefore(100)).toEqual([]);
    add([1, 30, 2], [2, 10, 1], [3, 20, 1]);
    expect(takeBefore(10)).toEqual([]);
    expect(takeBefore(20)).toEqual([[2, 10, 1]]);
    expect(takeBefore(20)).toEqual([]);
    expect(takeBefore(21)).toEqual([[3, 20, 1]]);
    add([4, 25, 1], [5, 40, 1], [6, 22, 3]);
    expect(takeBefore(31)).toEqual([
      [6, 22, 3],
      [4, 25, 1],
      [1, 30, 2],
    ]);
    expect(takeBefore(Infinity)).toEqual([[5, 40, 1]]);
    expect(takeBefore(Infinity)).toEqual([]);
  });
});

describe('heaviestIncreasing', () => {
  const heaviest = (keys: readonly number[], weights: readonly number[]): number[] =>
    Array.from(heaviestIncreasing(Float64Array.from(keys), Float64Array.from(weights)));

  test.each([
    { keys: [], weights: [], belongs: [] },
    { keys: [7], weights: [1], belongs: [1] },
    { keys: [1, 2, 3], weights: [1, 1, 1], belongs: [1, 1, 1] },
    { keys: [3, 1, 2], weights: [1, 1, 1], belongs: [0, 1, 1] },
    { keys: [3, 1, 2], weights: [3, 1, 1], belongs: [1, 0, 0] },
    { keys: [10, 40, 20, 30, 50], weights: [1, 1, 1, 1, 1], belongs: [1, 0, 1, 1, 1] },
    { keys: [10, 40, 20, 30, 50], weights: [1, 3, 1, 1, 1], belongs: [1, 1, 0, 0, 1] },
    // Of two that are equally heavy, the one that comes first stays.
    { keys: [2, 1], weights: [1, 1], belongs: [1, 0] },
    { keys: [2, 1, 3], weights: [1, 1, 1], belongs: [1, 0, 1] },
    { keys: [3, 1, 2, 4], weights: [2, 1, 1, 1], belongs: [1, 0, 0, 1] },
  ])('of $keys with the weights $weights: $belongs', ({ keys, weights, belongs }) => {
    expect(heaviest(keys, weights)).toEqual(belongs);
  });

  test('no other increasing subsequence is heavier', () => {
    const sequence = fc
      .uniqueArray(fc.nat(1000), { minLength: 6, maxLength: 9 })
      .chain((keys) =>
        fc.tuple(fc.constant(keys), fc.array(fc.integer({ min: 1, max: 4 }), { minLength: keys.length, maxLength: keys.length })),
      );
    fc.assert(
      fc.property(sequence, ([keys, weights]) => {
        const belongs = heaviest(keys, weights);
        const kept = keys.filter((_, index) => belongs[index] === 1);
        expect(kept).toEqual(kept.toSorted((one, other) => one - other));
        expect(weightOf(belongs, weights)).toBe(greatestWeight(keys, weights));
      }),
    );
  });

  const weightOf = (belongs: readonly number[], weights: readonly number[]): number =>
    weights.reduce((sum, weight, index) => sum + weight * (belongs[index] ?? 0), 0);

  /** The weight of the heaviest increasing subsequence, found by trying all of them. */
  function greatestWeight(keys: readonly number[], weights: readonly number[], above = -1): number {
    return Math.max(
      0,
      ...keys.map((key, index) =>
        key > above ? (weights[index] ?? 0) + greatestWeight(keys.slice(index + 1), weights.slice(index + 1), key) : 0,
      ),
    );
  }
});

describe('DeliveryOrder', () => {
  function orderOf(runs: readonly Triple[]): { readonly order: DeliveryOrder; readonly reordered: Triple[] } {
    const reordered: Triple[] = [];
    const order = new DeliveryOrder(({ expected, received, length }) => reordered.push([expected, received, length]));
    for (const run of runs) order.add(...run);
    return { order, reordered };
  }

  const settled = ({ kept, moved, from, until }: SettledOrder): Record<string, unknown> => ({
    kept: triplesOf(kept),
    moved: triplesOf(moved),
    from: [from.expected, from.received],
    until: [until.expected, until.received],
  });

  test('records behind one of the last three runs lengthen it; others begin a run', () => {
    const { order } = orderOf([
      [0, 0, 1],
      [10, 10, 1],
      [20, 20, 1],
      [1, 1, 2],
      [21, 21, 1],
      [30, 30, 1],
      [3, 3, 5],
      [40, 40, 1],
      [22, 22, 1],
      [11, 12, 1],
      [12, 11, 1],
    ]);
    expect(settled(order.settle(50, 60))).toEqual({
      kept: [
        [0, 0, 3],
        [3, 3, 5],
        [10, 10, 1],
        [12, 11, 1],
        [20, 20, 2],
        [22, 22, 1],
        [30, 30, 1],
        [40, 40, 1],
      ],
      moved: [[11, 12, 1]],
      from: [0, 0],
      until: [50, 60],
    });
  });

  test('the heaviest runs in order stay, and the others have moved', () => {
    const { order, reordered } = orderOf([
      [4, 0, 2],
      [0, 2, 3],
      [8, 5, 1],
    ]);
    expect(settled(order.settle(9, 6))).toMatchObject({
      kept: [
        [0, 2, 3],
        [8, 5, 1],
      ],
      moved: [[4, 0, 2]],
    });
    expect(reordered).toEqual([]);
  });

  test('the run up to a place on both sides has a length', () => {
    const { order } = orderOf([
      [0, 0, 4],
      [10, 20, 7],
    ]);
    expect([order.runUpTo(17, 27), order.runUpTo(4, 4), order.runUpTo(17, 4), order.runUpTo(10, 20)]).toEqual([7, 4, 0, 0]);
    expect(orderOf([]).order.runUpTo(0, 0)).toBe(0);
  });

  test('what comes from before the settled places is out of order; the next pieces begin there', () => {
    const { order, reordered } = orderOf([[0, 0, 5]]);
    order.settle(10, 20);
    order.add(9, 20, 1);
    order.add(10, 19, 2);
    order.add(10, 20, 3);
    order.add(13, 23, 1);
    expect(reordered).toEqual([
      [9, 20, 1],
      [10, 19, 2],
    ]);
    expect(settled(order.settle(30, 40))).toEqual({ kept: [[10, 20, 4]], moved: [], from: [10, 20], until: [30, 40] });
    expect(settled(order.settle(31, 41))).toEqual({ kept: [], moved: [], from: [30, 40], until: [31, 41] });
  });

  test('is full with a million runs, less than may come at once', () => {
    const { order } = orderOf([]);
    const runs = (1 << 20) - (1 << 12);
    for (let index = 0; index < runs; index += 1) order.add(2 * index, 3 * index, 1);
    expect(order.isFull).toBe(false);
    order.add(2 * runs, 3 * runs, 1);
    expect(order.isFull).toBe(true);
  });
});

describe('withoutInterchangeable', () => {
  /** A record's text is a letter, and its digest derives from that. */
  const putDigest = (letter: string, digest: Digest): void => {
    digest.low = letter.charCodeAt(0);
    digest.high = letter.toLowerCase().charCodeAt(0);
  };

  interface Scene {
    readonly kept: readonly Triple[];
    readonly moved: readonly Triple[];
    /** The letter of each expected record that matters. */
    readonly sent: Readonly<Record<number, string>>;
    /** Records that wait, with their letters. */
    readonly waitingSent?: readonly (readonly [number, string])[];
    readonly waitingCame?: readonly (readonly [number, string])[];
    readonly from?: readonly [number, number];
    readonly until?: readonly [number, number];
  }

  function unmatchedOf(waiting: Scene['waitingSent'] = [], hasPlaces = false): Unmatched {
    const unmatched = new Unmatched(hasPlaces);
    const digest: Digest = { low: 0, high: 0 };
    for (const [record, letter] of waiting) {
      putDigest(letter, digest);
      unmatched.add(record, digest);
    }
    return unmatched;
  }

  function stillMoved({ kept, moved, sent, waitingSent, waitingCame, from = [0, 0], until = [1000, 1000] }: Scene): Triple[] {
    const order: SettledOrder = {
      kept: listOf(kept),
      moved: listOf(moved),
      from: { expected: from[0], received: from[1] },
      until: { expected: until[0], received: until[1] },
    };
    return triplesOf(
      withoutInterchangeable(order, {
        unmatchedExpected: unmatchedOf(waitingSent),
        unmatchedReceived: unmatchedOf(waitingCame, true),
        digestSent: (record, digest) => {
          putDigest(sent[record] ?? '?', digest);
        },
      }),
    );
  }

  const KEPT: readonly Triple[] = [
    [10, 20, 3],
    [30, 40, 3],
    [50, 60, 3],
    [70, 80, 3],
    [90, 100, 3],
  ];

  test.each<{ where: string; moved: Triple; waiting: number; isInOrder: boolean }>([
    { where: 'behind the run before it', moved: [80, 50, 1], waiting: 33, isInOrder: true },
    { where: 'before the run behind it', moved: [80, 50, 1], waiting: 49, isInOrder: true },
    { where: 'before the run before it', moved: [80, 50, 1], waiting: 28, isInOrder: false },
    { where: 'behind the run behind it', moved: [80, 50, 1], waiting: 53, isInOrder: false },
    { where: 'before the first run', moved: [80, 10, 1], waiting: 9, isInOrder: true },
    { where: 'at the beginning', moved: [80, 10, 1], waiting: 5, isInOrder: true },
    { where: 'before the beginning', moved: [80, 10, 1], waiting: 4, isInOrder: false },
    { where: 'behind the last run', moved: [80, 150, 1], waiting: 93, isInOrder: true },
    { where: 'last', moved: [80, 150, 1], waiting: 199, isInOrder: true },
  ])('an equal expected record that waits $where', ({ moved, waiting, isInOrder }) => {
    const sent = { 80: 'x' };
    const scene = { kept: KEPT, moved: [moved], sent, from: [5, 7], until: [200, 300] } as const;
    expect(stillMoved({ ...scene, waitingSent: [[waiting, 'x']] })).toEqual(isInOrder ? [] : [moved]);
    expect(stillMoved({ ...scene, waitingSent: [[waiting, 'y']] })).toEqual([moved]);
    expect(stillMoved({ ...scene, waitingSent: [[waiting, 'X']] })).toEqual([moved]);
  });

  test.each<{ where: string; moved: Triple; waiting: number; isInOrder: boolean }>([
    { where: 'behind the run before it', moved: [40, 90, 1], waiting: 43, isInOrder: true },
    { where: 'before the run behind it', moved: [40, 90, 1], waiting: 59, isInOrder: true },
    { where: 'before the run before it', moved: [40, 90, 1], waiting: 38, isInOrder: false },
    { where: 'behind the run behind it', moved: [40, 90, 1], waiting: 65, isInOrder: false },
    { where: 'at the beginning', moved: [6, 90, 1], waiting: 7, isInOrder: true },
    { where: 'before the beginning', moved: [6, 90, 1], waiting: 6, isInOrder: false },
    { where: 'last', moved: [150, 90, 1], waiting: 299, isInOrder: true },
  ])('an equal received record that waits $where', ({ moved, waiting, isInOrder }) => {
    const scene = { kept: KEPT, moved: [moved], sent: { [moved[0]]: 'x' }, from: [5, 7], until: [200, 300] } as const;
    expect(stillMoved({ ...scene, waitingCame: [[waiting, 'x']] })).toEqual(isInOrder ? [] : [moved]);
    expect(stillMoved({ ...scene, waitingCame: [[waiting, 'y']] })).toEqual([moved]);
  });

  test.each<{ what: string; scene: Omit<Scene, 'kept'>; still: readonly Triple[] }>([
    {
      what: 'two equal records have changed places',
      scene: {
        moved: [
          [85, 50, 1],
          [45, 90, 1],
        ],
        sent: { 45: 'x', 85: 'x' },
      },
      still: [],
    },
    {
      what: 'two unlike records have changed places',
      scene: {
        moved: [
          [85, 50, 1],
          [45, 90, 1],
        ],
        sent: { 45: 'x', 85: 'y' },
      },
      still: [
        [85, 50, 1],
        [45, 90, 1],
      ],
    },
    {
      what: 'each of three has a counterpart of its own, one that waits or has moved, the first one the first',
      scene: {
        moved: [
          [85, 50, 1],
          [86, 51, 1],
          [44, 95, 1],
        ],
        sent: { 85: 'x', 86: 'x', 44: 'x' },
        waitingSent: [[45, 'x']],
      },
      still: [],
    },
    {
      what: 'two have one counterpart',
      scene: {
        moved: [
          [85, 50, 1],
          [86, 52, 1],
        ],
        sent: { 85: 'x', 86: 'x' },
        waitingSent: [[45, 'x']],
      },
      still: [[86, 52, 1]],
    },
    {
      what: 'two have one received counterpart',
      scene: {
        moved: [
          [40, 90, 1],
          [45, 95, 1],
        ],
        sent: { 40: 'x', 45: 'x' },
        waitingCame: [[50, 'x']],
      },
      still: [[45, 95, 1]],
    },
    {
      what: 'the counterparts of one gap are in order',
      scene: {
        moved: [
          [85, 50, 1],
          [87, 52, 1],
        ],
        sent: { 85: 'x', 87: 'y' },
        waitingSent: [
          [44, 'y'],
          [46, 'x'],
        ],
      },
      still: [[87, 52, 1]],
    },
    {
      what: 'the first expected record waits',
      scene: { moved: [[80, 10, 1]], sent: { 80: 'x' }, waitingSent: [[0, 'x']] },
      still: [],
    },
    {
      what: 'the first received record waits',
      scene: { moved: [[5, 90, 1]], sent: { 5: 'x' }, waitingCame: [[0, 'x']] },
      still: [],
    },
    {
      what: 'a record that is equal and near was neither moved nor waits',
      scene: {
        moved: [
          [85, 50, 1],
          [45, 90, 1],
        ],
        sent: { 85: 'x', 44: 'x', 45: 'y', 46: 'x' },
      },
      still: [
        [85, 50, 1],
        [45, 90, 1],
      ],
    },
    {
      what: 'one record of a run has a counterpart',
      scene: { moved: [[85, 50, 3]], sent: { 85: 'x', 86: 'y', 87: 'x' }, waitingSent: [[45, 'y']] },
      still: [
        [85, 50, 1],
        [87, 52, 1],
      ],
    },
    {
      what: 'a run of 16 records is taken apart',
      scene: { moved: [[150, 45, 16]], sent: { 150: 'x' }, waitingSent: [[35, 'x']] },
      still: Array.from({ length: 15 }, (_, index) => [151 + index, 46 + index, 1]),
    },
    {
      what: 'a run of 17 records is not, beside one that is',
      scene: {
        moved: [
          [150, 41, 17],
          [130, 59, 1],
        ],
        sent: { 150: 'x', 130: 'y' },
        waitingSent: [
          [35, 'x'],
          [36, 'y'],
        ],
      },
      still: [[150, 41, 17]],
    },
    {
      what: 'a run of 16 records holds a counterpart',
      scene: {
        moved: [
          [130, 50, 1],
          [33, 110, 16],
        ],
        sent: { 130: 'x', 48: 'x' },
      },
      still: Array.from({ length: 15 }, (_, index) => [33 + index, 110 + index, 1]),
    },
    {
      what: 'a run of 70,000 records is not looked at, beside one that is',
      scene: {
        moved: [
          [150, 41, 70_000],
          [130, 59, 1],
        ],
        sent: { 130: 'y' },
        waitingSent: [[36, 'y']],
      },
      still: [[150, 41, 70_000]],
    },
    {
      what: 'a run of 17 records holds no counterpart',
      scene: {
        moved: [
          [130, 50, 1],
          [33, 110, 17],
        ],
        sent: { 130: 'x', 40: 'x' },
      },
      still: [
        [130, 50, 1],
        [33, 110, 17],
      ],
    },
  ])('$what', ({ scene, still }) => {
    expect(stillMoved({ kept: KEPT, ...scene })).toEqual(still);
  });

  test.each([
    { records: 1 << 16, first: 0 },
    { records: (1 << 16) + 1, first: 1 },
  ])('of $records records in short runs, the first one stays out of order: $first', ({ records, first }) => {
    const moved = Array.from({ length: records }, (_, index): Triple => [10 + 2 * index, 10 + 3 * index, 1]);
    const order: SettledOrder = {
      kept: listOf([[1_000_000, 5, 1]]),
      moved: listOf(moved),
      from: { expected: 0, received: 0 },
      until: { expected: 2_000_000, received: 2_000_000 },
    };
    const known = {
      unmatchedExpected: unmatchedOf([[1_500_000, 'x']]),
      unmatchedReceived: unmatchedOf([], true),
      digestSent: (record: number, digest: Digest): void => {
        putDigest(record === 10 ? 'x' : '?', digest);
        if (record !== 10) digest.low = 1000 + record;
      },
    };
    expect(triplesOf(withoutInterchangeable(order, known)).length).toBe(records - 1 + first);
  });
});
