import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Ring, type WaitingRecord } from '../../src/compare/ring.js';

/** A record that waits: its digest, with few chains for many, and its number. */
function waiting(low: number, record: number, more: Partial<WaitingRecord> = {}): WaitingRecord {
  return { low, high: 7, record, line: record + 1, place: -record, seenMs: NaN, fault: undefined, isRepeated: false, ...more };
}

const digest = (low: number) => ({ low, high: 7 });

function ringOf(lows: readonly number[], slots = 4096): Ring {
  const ring = new Ring(slots);
  for (const [record, low] of lows.entries()) ring.add(waiting(low, record));
  return ring;
}

/** Looks for a record, and takes it out. */
function take(ring: Ring, low: number, following?: number): number {
  const position = ring.find(digest(low), following === undefined ? undefined : digest(following), undefined);
  if (position !== -1) ring.remove(position);
  return position;
}

/** Records before others: none of those is next behind the last one that was found. */
const FAR = Array<number>(8).fill(9);

describe('a ring', () => {
  test('gives records back as they came', () => {
    const ring = new Ring(8);
    const records = [
      waiting(1, 10, { seenMs: 5.5 }),
      waiting(1, 11, { fault: 'torn' }),
      waiting(2, 12, { isRepeated: true }),
      waiting(3, 13, { fault: 'torn' }),
    ];
    for (const record of records) ring.add(record);
    expect(records.map((_, position) => ring.at(position))).toEqual(records);
    expect([ring.size, ring.first, ring.next]).toEqual([4, 0, 4]);
  });

  test.each<[what: string, lows: readonly number[], taken: readonly (readonly [low: number, following?: number])[], number[]]>([
    ['the oldest', [1, 2, 1, 1], [[1]], [0]],
    ['none', [1, 2], [[3]], [-1]],
    ['one next behind the last that was found', [1, 5, 2, 5, 2, 5], [[2, 5], [5], [2]], [2, 3, 4]],
    ['one that is followed by the record that comes next', [...FAR, 5, 1, 5, 2, 5, 3], [[5, 3]], [12]],
    ['one of each that is there, and no more', [1, 1], [[1], [1], [1]], [0, 1, -1]],
    ['of records in one chain those that are equal', [1, 1 + 4096, 1 + 2 ** 20, 1], [[1 + 2 ** 20], [1], [1]], [2, 3, 0]],
  ])('finds %s', (_what, lows, taken, positions) => {
    const ring = ringOf(lows);
    expect(taken.map(([low, following]) => take(ring, low, following))).toEqual(positions);
  });

  test('finds a record behind those of earlier gaps', () => {
    const ring = ringOf([...FAR, 1, 2]);
    ring.beginGap();
    for (const low of [3, 1]) ring.add(waiting(low, ring.next));
    expect([take(ring, 1), take(ring, 1)]).toEqual([11, 8]);
  });

  test('of records that are not the same, finds another', () => {
    const ring = ringOf([1, 1, 1]);
    expect(ring.find(digest(1), undefined, (position) => position === 2)).toBe(2);
    expect(ring.find(digest(1), undefined, () => false)).toBe(-1);
  });

  test('looks at few of many equal records', () => {
    const ring = ringOf(Array<number>(3000).fill(1));
    let looks = 0;
    ring.find(digest(1), digest(2), () => {
      looks += 1;
      return false;
    });
    expect(looks).toBeLessThan(64);
  });

  test('is full when too few slots are left, whether records in them wait or not', () => {
    const ring = ringOf(
      Array.from({ length: 90 }, (_, low) => low),
      99,
    );
    expect([ring.isFull(9), ring.isFull(10), ring.duePosition]).toEqual([false, true, 2]);
    ring.remove(5);
    expect(ring.isFull(10)).toBe(true);
    for (let position = 0; position < 5; position += 1) ring.remove(position);
    expect([ring.first, ring.isFull(15), ring.isFull(16)]).toEqual([6, false, true]);
  });

  test('holds what a list would hold, whatever is added and taken', () => {
    const steps = fc.array(fc.record({ low: fc.nat(5), isAdded: fc.boolean() }), { maxLength: 400 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 40 }), (list, slots) => {
        const ring = new Ring(slots);
        const model = new Map<number, number>();
        for (const [record, { low, isAdded }] of list.entries()) {
          if (isAdded && !ring.isFull(1)) {
            model.set(ring.next, low);
            ring.add(waiting(low, record));
          } else if (!isAdded) {
            const position = take(ring, low);
            expect(model.get(position)).toBe(position === -1 ? undefined : low);
            expect(position === -1 && Array.from(model.values()).includes(low)).toBe(false);
            model.delete(position);
          }
          const waits: number[] = [];
          for (let at = ring.first; at < ring.next; at = ring.nextWaiting(at + 1)) waits.push(at);
          expect(waits).toEqual(Array.from(model.keys()).sort((one, other) => one - other));
          expect(ring.size).toBe(model.size);
        }
      }),
    );
  });
});
