import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Ring, type WaitingRecord } from '../../src/compare/ring.js';

/** A record that waits: its digest, with few chains for many, and its number. */
function waiting(low: number, record: number, more: Partial<WaitingRecord> = {}): WaitingRecord {
  return {
    low,
    high: 7,
    exact: 0,
    record,
    line: record + 1,
    address: -record,
    seenMs: NaN,
    reason: undefined,
    isDuplicate: false,
    ...more,
  };
}

const digest = (low: number, exact = 0) => ({ low, high: 7, exact });

function ringOf(lows: readonly number[], slots = 4096): Ring {
  const ring = new Ring({ maxSlots: slots });
  for (const [record, low] of lows.entries()) ring.add(waiting(low, record));
  return ring;
}

/** Looks for a record, and takes it out. */
function take(ring: Ring, low: number): number {
  const position = ring.find(digest(low), undefined);
  if (position !== -1) ring.remove(position);
  return position;
}

describe('a ring', () => {
  test('gives records back as they came', () => {
    const ring = new Ring({ maxSlots: 8, hasTimes: true });
    const records = [
      waiting(1, 10, { seenMs: 5.5 }),
      waiting(1, 11, { reason: 'torn' }),
      waiting(2, 12, { isDuplicate: true }),
      waiting(3, 13, { reason: 'torn' }),
    ];
    for (const record of records) ring.add(record);
    expect(records.map((_, position) => ring.at(position))).toEqual(records);
    expect([ring.size, ring.first, ring.next]).toEqual([4, 0, 4]);
  });

  test.each<[what: string, lows: readonly number[], taken: readonly number[], positions: readonly number[]]>([
    ['the oldest', [1, 2, 1, 1], [1], [0]],
    ['none', [1, 2], [3], [-1]],
    ['the first behind the last that was found', [1, 5, 2, 5, 2, 5], [2, 5, 2], [2, 3, 4]],
    ['the oldest where none is behind that', [1, 5, 1, 2], [2, 1, 1], [3, 0, 2]],
    ['one of each that is there, and no more', [1, 1], [1, 1, 1], [0, 1, -1]],
    ['of records in one chain those that are equal', [1, 1 + 4096, 1 + 2 ** 20, 1], [1 + 2 ** 20, 1, 1], [2, 3, 0]],
  ])('finds %s', (_what, lows, taken, positions) => {
    const ring = ringOf(lows);
    expect(taken.map((low) => take(ring, low))).toEqual(positions);
  });

  test('finds a record behind the last that was found, and no other, where that is asked', () => {
    const ring = ringOf([1, 2, 1]);
    expect(take(ring, 2)).toBe(1);
    expect([ring.find(digest(1), undefined, true), ring.find(digest(1), undefined, true)]).toEqual([2, -1]);
  });

  test('of records that are not the same, finds another', () => {
    const ring = ringOf([1, 1, 1]);
    expect(ring.find(digest(1), (position) => position === 2)).toBe(2);
    expect(ring.find(digest(1), () => false)).toBe(-1);
  });

  test('looks at records with equal digests until it may not', () => {
    const ring = ringOf(Array<number>(3000).fill(1));
    let looks = 0;
    const isSameAt = (): boolean | undefined => {
      looks += 1;
      return looks > 50 ? undefined : false;
    };
    expect([ring.find(digest(1), isSameAt), looks]).toEqual([-1, 51]);
  });

  test('of records with equal digests, looks first at those whose exact parts are equal', () => {
    const ring = new Ring({ maxSlots: 4096, hasExact: true });
    for (let record = 0; record < 3000; record += 1) ring.add(waiting(1, record, { exact: record }));
    const looks: number[] = [];
    const isSameAt = (position: number): boolean => {
      looks.push(position);
      return true;
    };
    expect(ring.find(digest(1, 2000), isSameAt)).toBe(2000);
    ring.remove(2000);
    expect(ring.find(digest(1, 2000), isSameAt)).toBe(2001);
    expect([looks, ring.at(2999).exact]).toEqual([[2000, 0, 2001], 2999]);
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
        const ring = new Ring({ maxSlots: slots });
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
          expect([...ring.positions()]).toEqual(Array.from(model.keys()).sort((one, other) => one - other));
          expect(ring.size).toBe(model.size);
        }
      }),
    );
  });
});
