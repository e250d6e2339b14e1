import { describe, expect, test } from '@jest/globals';
import { repeats, placesIn, UNKNOWN } from '../../src/reading/entry.js';
import { mend } from '../../src/reading/mend.js';
import { OpenGroup } from '../../src/reading/open-group.js';
import { Prelude } from '../../src/reading/prelude.js';
import { Recency } from '../../src/reading/recency.js';
import { deprecationAt, failureAt, groupOf, pendingAt, type Varied } from '../support/entries.js';

/** The records of a group by their lines: a place, or a place and what differs from the other records. */
type Records = Readonly<Record<number, number | readonly [number, Varied]>>;

/** A group of such records. @param end the place of the deprecation record, which ends the group */
function groupOfRecords(records: Records, end: number): OpenGroup {
  const parts = Object.entries(records).map(([line, part]) => {
    const [place, varied] = typeof part === 'number' ? [part, {}] : part;
    return { line: Number(line), place, varied };
  });
  const failures = parts.filter(({ place }) => place !== end);
  const ending = parts.find(({ place }) => place === end);
  const pending = ending && pendingAt(ending.line, end, ending.varied.second);
  const group =
    failures.length === 0 && pending !== undefined
      ? new OpenGroup(pending.entry, pending.instants[0] ?? 0)
      : groupOf(failures.map(({ line, place, varied }) => failureAt(line, place, varied)));
  pending?.end(group);
  return group;
}

const FAR = { second: 9 };
const OTHER = { target: '/other' };
const FAR_OTHER = { ...FAR, ...OTHER };

describe('mend', () => {
  /** Groups of plugins 0, 1, 2, 3 and the deprecation record 4. */
  test.each<[string, Records, Records, boolean]>([
    ['the record that is missing', { 1: 0, 2: 1, 3: 2, 5: 4 }, { 4: 3 }, true],
    ['the rest', { 1: 0, 2: 1 }, { 3: 2, 4: 3, 5: 4 }, true],
    ['the rest of a group that is ended', { 1: 0, 2: 1, 5: 4 }, { 3: 2, 4: 3 }, true],
    ['the rest of two that are ended', { 1: 0, 2: 1, 3: 4 }, { 4: 2, 5: 3, 6: 4 }, false],
    ['a record that it has', { 1: 0, 2: 1, 3: 2, 4: 3 }, { 5: 3 }, false],
    ['the record that is missing, of another request', { 1: 0, 2: 1, 3: 2, 5: 4 }, { 4: [3, OTHER] }, true],
    ['the record that is missing, of another request and time', { 1: 0, 2: 1, 3: 2, 5: 4 }, { 4: [3, FAR_OTHER] }, false],
    ['a record of another request and another of its descriptor', { 1: 0, 2: [1, OTHER], 4: 3, 5: 4 }, { 3: [2, OTHER] }, true],
    ['a record of another time further on, with the end', { 1: 0, 2: 1, 3: 2 }, { 8: [3, FAR], 9: [4, FAR] }, true],
    ['the rest of a record, of another time', { 1: 0 }, { 6: [1, FAR], 7: [2, FAR], 8: [3, FAR], 9: [4, FAR] }, true],
    ['a rest of records of another time', { 1: 0, 2: 1 }, { 3: [2, FAR], 4: [3, FAR], 5: [4, FAR] }, false],
    ['an end of another time', { 1: 0 }, { 2: [4, FAR] }, false],
    ['a record of another time behind its end', { 1: 4 }, { 2: [0, FAR] }, false],
    // The group is of two times and two descriptors already: a record of the other ones is no further fault.
    ['a record of both on the next line', { 1: 0, 2: [1, FAR_OTHER] }, { 3: [2, FAR_OTHER] }, true],
    ['a record of both further on', { 1: 0, 2: [1, FAR_OTHER] }, { 4: [2, FAR_OTHER] }, false],
    ['a record of both on the line before', { 2: 1, 3: [2, FAR_OTHER] }, { 1: [0, FAR_OTHER] }, true],
    ['a record of both further up', { 3: 1, 4: [2, FAR_OTHER] }, { 1: [0, FAR_OTHER] }, false],
    ['a record of both between', { 1: 0, 3: [2, FAR_OTHER], 4: [3, FAR_OTHER] }, { 2: [1, FAR_OTHER] }, true],
  ])('a broken group takes in %s', (_what, group, part, isMended) => {
    const [whole, absorbed] = [groupOfRecords(group, 4), groupOfRecords(part, 4)];
    expect(mend(whole, absorbed, 4)).toBe(isMended);
    expect(absorbed.isAbsorbed).toBe(isMended);
    const lines = Object.keys(isMended ? { ...group, ...part } : group).map(Number);
    expect(whole.entries.map(({ line }) => line)).toEqual(lines);
  });

  test('the group has the records of both in the order of lines, and the end of either', () => {
    const group = groupOfRecords({ 1: 0, 3: 2 }, 4);
    const part = groupOfRecords({ 2: 1, 4: 3, 5: 4 }, 4);
    const { ending } = part;
    expect(mend(group, part, 4)).toBe(true);
    expect(group.failures.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
    expect(group).toMatchObject({ isBroken: true, state: 'ended', faults: 0 });
    expect(group.ending).toBe(ending);
    expect(ending?.group).toBe(group);
  });

  test.each([
    [7, true],
    [8, false],
  ])('a group of one plugin with %d records of it takes in an end: %p. Four times its records are enough', (count, isMended) => {
    const records = Object.fromEntries(Array.from({ length: count }, (_, index) => [index + 1, 0]));
    expect(mend(groupOfRecords(records, 1), groupOfRecords({ 20: 1 }, 1), 1)).toBe(isMended);
  });

  test('further parts are held against the group as it is by then', () => {
    const group = groupOfRecords({ 1: 0 }, 2);
    expect(mend(group, groupOfRecords({ 3: 2 }, 2), 2)).toBe(true);
    expect(mend(group, groupOfRecords({ 2: 1 }, 2), 2)).toBe(true);
    expect(mend(group, groupOfRecords({ 4: 1 }, 2), 2)).toBe(false);
  });
});

describe('entries', () => {
  test('the place of a record is that of its plugin in the list, or behind the list', () => {
    const placeOf = placesIn(['/p0', '/p1']);
    expect(placeOf(failureAt(1, 0).record)).toBe(0);
    expect(placeOf(failureAt(1, 1).record)).toBe(1);
    expect(placeOf(failureAt(1, 2).record)).toBe(UNKNOWN);
    expect(placeOf(deprecationAt(1, 2).record)).toBe(2);
  });

  const before = failureAt(4, 1);
  test.each([
    ['the same record', failureAt(5, 1), before, true],
    ['the same record further on', failureAt(6, 1), before, false],
    ['the same record, nothing before it', failureAt(5, 1), undefined, false],
    ['a record of another plugin', failureAt(5, 2), before, false],
    ['a record of another second', failureAt(5, 1, { second: 1 }), before, false],
    ['a record of another method', failureAt(5, 1, { method: 'POST' }), before, false],
    ['a record of another target', failureAt(5, 1, { target: '/a' }), before, false],
    ['a deprecation record', deprecationAt(5, 2), deprecationAt(4, 2), false],
  ])('%s repeats the record of line 4: %#', (_what, entry, entryBefore, isRepeated) => {
    expect(repeats(entry, entryBefore)).toBe(isRepeated);
  });
});

describe('Recency', () => {
  /** A group of one plugin that has ended. @param gap how many lines of other groups stand within it */
  function ended(line: number, second: number, gap = 0): OpenGroup {
    return groupOfRecords({ [line]: [0, { second }], [line + 1 + gap]: [1, { second }] }, 1);
  }

  const open = (line: number, second: number): OpenGroup => groupOf([failureAt(line, 0, { second })]);

  test.each([
    ['no group has ended', [], 1, 9, false],
    ['a later one', [[10, 3]], 1, 0, true],
    ['a later one of an earlier time', [[10, -3]], 1, 0, true],
    ['a later one near it', [[10, 2]], 1, 0, false],
    ['an earlier one', [[1, 3]], 10, 0, false],
    [
      'a later one, and then one near it',
      [
        [10, 3],
        [12, 2],
      ],
      1,
      0,
      false,
    ],
  ])(
    'a group is far behind if the one that ended last began later and is far in time: %s',
    (_what, notes, line, second, isFar) => {
      const recency = new Recency();
      for (const [at = 0, of = 0] of notes) recency.note(ended(at, of));
      expect(recency.isFarBehind(open(line, second))).toBe(isFar);
    },
  );

  test.each([
    ['one at the same time, one near that', [0, 2], 2, false],
    ['by way of the earliest', [0, 2], -2, false],
    ['too early', [0, 2], -3, true],
    ['by way of the latest', [0, 2, 0], 4, false],
    ['too late', [0, 2, 0], 5, true],
    ['a chain that is interrupted', [-2, 0, 3], 0, true],
    ['a chain backwards', [4, 2, 0], 6, false],
    ['a chain backwards that is interrupted', [4, 1], 6, true],
    ['by way of many', [0, 2, 4, 6], 0, false],
  ])(
    'a group is out of reach if those that ended do not lead to its time in steps of 2 s: %s',
    (_what, seconds, second, isOut) => {
      const recency = new Recency();
      for (const [index, of] of seconds.entries()) recency.note(ended(10 + 10 * index, of));
      const group = open(1, second);
      expect(recency.isOutOfReach(group)).toBe(isOut && recency.isFarBehind(group));
      expect(recency.isFarBehind(group) || !isOut).toBe(true);
    },
  );

  test.each([
    ['63 groups without a gap', 63, [], false],
    ['64 groups without a gap', 64, [], true],
    ['64 groups, a line between the records of the first', 64, [0], false],
    ['65 groups, a line between the records of the first', 65, [0], true],
    ['64 groups, a line between the records of the last', 64, [63], false],
  ])(
    'a group is out of reach when the latest 64 stand one behind the other: %s',
    (_what, count, gaps: readonly number[], isOut) => {
      const recency = new Recency();
      for (let index = 0; index < count; index += 1)
        recency.note(ended(10 + 3 * index, Math.min(index, 9), gaps.includes(index) ? 1 : 0));
      expect(recency.isFarBehind(open(1, 0))).toBe(true);
      expect(recency.isOutOfReach(open(1, 0))).toBe(isOut);
    },
  );

  test('groups before a rest are forgotten', () => {
    const recency = new Recency();
    for (let index = 0; index < 64; index += 1) recency.note(ended(10 + 3 * index, 0));
    recency.clear();
    expect(recency.isFarBehind(open(1, 9))).toBe(false);
    recency.note(ended(300, 1));
    expect(recency.isOutOfReach(open(1, -2))).toBe(true);
    recency.note(ended(310, 3));
    recency.note(ended(320, 5));
    expect(recency.isOutOfReach(open(1, 1))).toBe(false);
  });
});

describe('Prelude', () => {
  const record = { record: failureAt(1, 0).record, line: 1, text: 'r' };
  const foreign = { line: 2, text: 'f' };

  test('is full with 512 records; foreign lines do not count', () => {
    const prelude = new Prelude();
    for (let count = 0; count < 511; count += 1) prelude.add(record);
    for (let count = 0; count < 511; count += 1) prelude.add(foreign);
    expect(prelude.isFull).toBe(false);
    prelude.add(record);
    expect(prelude.isFull).toBe(true);
  });

  test('is full with more than 16 MiB of lines, each counted with 16 bytes beside its text', () => {
    const prelude = new Prelude();
    prelude.add({ line: 1, text: 'x'.repeat((16 << 20) - 16) });
    expect(prelude.isFull).toBe(false);
    prelude.add(foreign);
    expect(prelude.isFull).toBe(true);
  });

  test('gives its lines once, and is empty then', () => {
    const prelude = new Prelude();
    expect(prelude.hasRecords).toBe(false);
    prelude.add(foreign);
    expect(prelude.hasRecords).toBe(false);
    for (let count = 0; count < 512; count += 1) prelude.add(record);
    prelude.add({ line: 3, text: 'x'.repeat(17 << 20) });
    expect(prelude.hasRecords).toBe(true);
    expect(prelude.records).toHaveLength(512);
    expect(prelude.take()).toHaveLength(514);
    expect(prelude.take()).toEqual([]);
    expect([prelude.hasRecords, prelude.isFull]).toEqual([false, false]);
  });
});
