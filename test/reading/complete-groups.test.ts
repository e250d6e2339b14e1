import { describe, expect, test } from '@jest/globals';
import { CompleteGroups } from '../../src/reading/complete-groups.js';
import type { Entry } from '../../src/reading/entry.js';
import type { OpenGroup, PendingDeprecation } from '../../src/reading/open-group.js';
import { rearrangeEndings } from '../../src/reading/rearrange-endings.js';
import { begun, failureAt, groupOf, pendingAt } from '../support/entries.js';

/** A group of one plugin that has all its failures, so many seconds after the epoch. */
const complete = (line: number, second: number): OpenGroup => begun(line, { second });

describe('CompleteGroups', () => {
  /** Complete groups that wait. */
  function waiting(...groups: readonly OpenGroup[]): CompleteGroups<Entry> {
    const all = new CompleteGroups();
    for (const group of groups) all.add(group);
    return all;
  }

  /** A group of two records that is missing one. */
  const brokenAt = (line: number, second: number): OpenGroup =>
    groupOf([failureAt(line, 0, { second }), failureAt(line + 1, 2, { second })], { isBroken: true });

  test.each<[string, OpenGroup[], number, number | undefined]>([
    ['the oldest of its own second', [complete(3, 0), complete(1, 0), complete(2, 0)], 0, 1],
    ['its own second before an older group', [complete(1, -1), complete(2, 0)], 0, 1],
    ['the earliest near it', [complete(1, 2), complete(2, 1)], 3, 1],
    ['2 s before it', [complete(1, 0)], 2, 0],
    ['2 s after it', [complete(1, 2)], 0, 0],
    ['2 s after it, though not by its clock', [begun(1, { second: 2, offset: 0 })], 0, 0],
    ['none 3 s before it', [complete(1, 0)], 3, undefined],
    ['none 3 s after it', [complete(1, 3)], 0, undefined],
    ['a group by its clock', [begun(1, { second: 3600, offset: 3602 })], 0, 0],
    ['none far by its clock', [begun(1, { second: 3600, offset: 3597 })], 0, undefined],
    ['a broken one of its own second before another', [complete(1, 1), brokenAt(2, 0)], 0, 1],
    ['a sound one near it before a broken one near it', [brokenAt(1, 1), complete(3, 1)], 0, 1],
    ['no broken one near it', [brokenAt(1, 1)], 0, undefined],
    ['no broken one of a single record', [groupOf([failureAt(1, 0)], { isBroken: true })], 0, undefined],
  ])('a deprecation record ends %s', (_what, groups, second, index) => {
    const all = waiting(...groups);
    const pending = pendingAt(20, 1, second);
    const group = all.end(pending, undefined);
    expect(group === undefined ? undefined : groups.indexOf(group)).toBe(index);
    expect(group?.ending).toBe(group && pending);
    expect(pending.group).toBe(group);
  });

  test('findBroken gives the broken group of its second, else the earliest near it', () => {
    const [later, early, late] = [brokenAt(1, 1), brokenAt(3, -2), brokenAt(5, 2)];
    const all = waiting(late, early, later);
    expect(all.findBroken(pendingAt(9, 3, 1))).toBe(later);
    expect(all.findBroken(pendingAt(9, 3, 0))).toBe(early);
    expect(all.findBroken(pendingAt(9, 3, 4))).toBe(late);
    expect(all.findBroken(pendingAt(9, 3, 5))).toBe(undefined);
    all.remove(early);
    expect(all.findBroken(pendingAt(9, 3, 0))).toBe(later);
  });

  test('a group that has ended waits no more', () => {
    const group = complete(1, 0);
    const all = waiting(group);
    expect(all.end(pendingAt(5, 1), undefined)).toBe(group);
    expect(all.end(pendingAt(6, 1), undefined)).toBe(undefined);
    const broken = brokenAt(1, 0);
    const others = waiting(broken);
    expect(others.end(pendingAt(5, 3), undefined)).toBe(broken);
    expect(others.end(pendingAt(6, 3), undefined)).toBe(undefined);
  });

  test('a deprecation record behind a group is its, and an older group gets the earlier of two', () => {
    const [older, younger] = [complete(1, 0), complete(2, 0)];
    const all = waiting(older, younger);
    const [first, second] = [pendingAt(3, 1), pendingAt(5, 1)];
    expect(all.end(first, younger)).toBe(younger);
    expect([older.ending, younger.ending]).toEqual([undefined, first]);
    expect(all.end(second, undefined)).toBe(older);
    expect(older.ending).toBe(first);
    expect(younger.ending).toBe(second);
  });

  test.each<[string, OpenGroup, OpenGroup, number, boolean]>([
    ['of another second', complete(1, -1), complete(2, 0), 0, false],
    ['that was not complete then', groupOf([failureAt(1, 0), failureAt(4, 1)]), complete(2, 0), 0, false],
    ['that is younger', complete(3, 0), complete(2, 0), 0, false],
    ['by a record of the next second', complete(1, 0), complete(2, 0), 1, false],
    ['of its second', complete(1, 0), complete(2, 0), 0, true],
  ])('records are not exchanged with a group %s: %#', (_what, older, preferred, second, isExchanged) => {
    const other = complete(0, 0);
    const all = waiting(other, preferred);
    const first = pendingAt(3, 1);
    expect(all.end(first, preferred)).toBe(preferred);
    all.remove(other);
    all.add(older);
    const own = pendingAt(6, 1, second);
    expect(all.end(own, undefined)).toBe(older);
    expect(older.ending).toBe(isExchanged ? first : own);
  });

  test('a group that is given out keeps its record', () => {
    const [older, younger] = [complete(1, 0), complete(2, 0)];
    const all = waiting(older, younger);
    const [first, second] = [pendingAt(3, 1), pendingAt(5, 1)];
    all.end(first, younger);
    younger.isSettled = true;
    all.end(second, undefined);
    expect([older.ending, younger.ending]).toEqual([second, first]);
  });

  test('a record behind a group of another second is that of a group of its own second', () => {
    const [own, behind] = [complete(1, 1), complete(2, 0)];
    expect(waiting(own, behind).end(pendingAt(3, 1, 1), behind)).toBe(own);
  });

  test('a preferred group that has passed its record on exchanges none', () => {
    const [starved, preferred, oldest] = [complete(1, 0), complete(2, 0), complete(0, 0)];
    const all = waiting(starved, preferred);
    all.end(pendingAt(3, 1), preferred);
    expect(all.passOn(starved)).toBe(true);
    all.add(oldest);
    const own = pendingAt(5, 1);
    expect(all.end(own, undefined)).toBe(oldest);
    expect(oldest.ending).toBe(own);
  });

  test('a broken group passes no record on', () => {
    const all = waiting(brokenAt(5, 0));
    all.end(pendingAt(9, 1), undefined);
    expect(all.passOn(complete(1, 0))).toBe(false);
  });

  describe('giveBack', () => {
    /** A group of a second whose record is of another. */
    function endedAt(all: CompleteGroups<Entry>, line: number, second: number, of: number): OpenGroup {
      const group = complete(line, second);
      all.add(group);
      expect(all.end(pendingAt(1000 + line, 1, of), undefined)).toBe(group);
      return group;
    }

    /** The second of the older group, that of its record, and that of the group that starves. */
    test.each([
      [0, 1, 1, true],
      [0, 2, 2, true],
      [0, 2, 1, true],
      [0, 1, 2, false],
      [0, 0, 1, false],
      [1, 0, 0, false],
      [-1, 1, 2, false],
    ])(
      'a group of second %d with a record of second %d gives it back to one of second %d: %p',
      (second, of, starving, isGiven) => {
        const all = waiting();
        const older = endedAt(all, 1, second, of);
        const { ending } = older;
        const starved = complete(2, starving);
        expect(all.giveBack(starved)).toBe(isGiven ? older : starved);
        expect(starved.ending).toBe(isGiven ? ending : undefined);
        expect(older.ending).toBe(isGiven ? undefined : ending);
      },
    );

    test('of a chain of groups, the first has none in the end', () => {
      const all = waiting();
      const [first, second] = [endedAt(all, 1, 0, 1), endedAt(all, 2, 1, 2)];
      const [one, two] = [first.ending, second.ending];
      const starved = complete(3, 2);
      expect(all.giveBack(starved)).toBe(first);
      expect([first.ending, second.ending, starved.ending]).toEqual([undefined, one, two]);
      // What was given may be given on, and what has nothing gives nothing.
      expect(all.giveBack(complete(4, 1))).toMatchObject({ firstLine: 4 });
    });

    test('what was given to a group may be given on', () => {
      const all = waiting();
      const first = endedAt(all, 1, 0, 2);
      const middle = complete(2, 1);
      expect(all.giveBack(middle)).toBe(first);
      const last = complete(3, 2);
      expect(all.giveBack(last)).toBe(middle);
    });

    test('a record that stands before the last load failure is not given back', () => {
      const all = waiting();
      endedAt(all, 1, 0, 1);
      const starved = complete(1001, 1);
      expect(all.giveBack(starved)).toBe(starved);
    });

    test.each([
      [127, true],
      [128, false],
    ])('of %d groups that cannot give theirs and one that can, it is found: %p', (count, isFound) => {
      const all = waiting();
      for (let index = 0; index < count; index += 1) endedAt(all, index + 1, 0, 0);
      const older = endedAt(all, 500, 0, 1);
      const starved = complete(501, 1);
      expect(all.giveBack(starved)).toBe(isFound ? older : starved);
    });
  });

  describe('passOn', () => {
    /** A group that starves, and a younger one that has a record. */
    test.each<[string, number, OpenGroup, number, boolean]>([
      ['of its second', 0, complete(2, 0), 0, true],
      ['2 s later', 0, complete(2, 2), 2, true],
      ['3 s later', 0, complete(2, 3), 2, false],
      ['of an earlier second', 0, complete(2, -1), 0, false],
      ['that began earlier', 0, complete(0, 0), 0, false],
      ['whose record is too late', 0, complete(2, 2), 3, false],
    ])('a group that starves gets the record of one %s: %#', (_what, starving, younger, of, isPassed) => {
      const all = waiting(younger);
      const pending = pendingAt(9, 1, of);
      all.end(pending, undefined);
      const starved = complete(1, starving);
      all.add(starved);
      expect(all.passOn(starved)).toBe(isPassed);
      expect(pending.group).toBe(isPassed ? starved : younger);
      expect(starved.state).toBe(isPassed ? 'ended' : 'open');
      if (!isPassed) return;
      // The younger one waits now, and the other does not.
      expect([younger.ending, younger.state]).toEqual([undefined, 'open']);
      expect(all.end(pendingAt(10, 1, of), undefined)).toBe(younger);
      expect(all.end(pendingAt(11, 1, of), undefined)).toBe(undefined);
    });

    test('the latest second comes first', () => {
      const [near, far] = [complete(2, 0), complete(3, 1)];
      const all = waiting(near, far);
      all.end(pendingAt(9, 1, 0), undefined);
      all.end(pendingAt(10, 1, 1), undefined);
      const starved = complete(1, 0);
      all.add(starved);
      expect(all.passOn(starved)).toBe(true);
      expect([near.state, far.state]).toEqual(['ended', 'open']);
    });

    test('a group that was given out gives nothing', () => {
      const younger = complete(2, 0);
      const all = waiting(younger);
      all.end(pendingAt(9, 1), undefined);
      all.forget(younger);
      all.forget(younger);
      expect(all.passOn(complete(1, 0))).toBe(false);
    });

    test('another group of that second still passes its record on', () => {
      const [given, younger] = [complete(2, 0), complete(3, 0)];
      const all = waiting(given, younger);
      all.end(pendingAt(9, 1), undefined);
      all.end(pendingAt(10, 1), undefined);
      all.forget(given);
      const starved = complete(1, 0);
      all.add(starved);
      expect(all.passOn(starved)).toBe(true);
      expect(younger.ending).toBe(undefined);
    });

    test.each([
      [127, true],
      [128, false],
    ])('of %d groups that began earlier and a younger one, that is found: %p', (count, isFound) => {
      const all = waiting();
      const younger = complete(500, 0);
      for (const group of [...Array.from({ length: count }, (_, index) => complete(index, 0)), younger]) {
        all.add(group);
        all.end(pendingAt(1000 + group.firstLine, 1), group);
      }
      const starved = complete(400, 0);
      all.add(starved);
      expect(all.passOn(starved)).toBe(isFound);
    });
  });

  test('a record that no group waits for makes others exchange theirs', () => {
    const [older, younger] = [complete(1, 0), complete(2, 2)];
    const all = waiting(older, younger);
    const [first, second] = [pendingAt(5, 1, 2), pendingAt(6, 1, 4)];
    expect(all.end(first, undefined)).toBe(younger);
    expect(all.end(second, undefined)).toBe(older);
    expect([older.ending, younger.ending]).toEqual([first, second]);
    // It waits no more, and may exchange its record from now on.
    expect(all.end(pendingAt(7, 1, 0), undefined)).toBe(undefined);
    const starved = complete(0, 0);
    all.add(starved);
    expect(all.passOn(starved)).toBe(true);
    expect(starved.ending).toBe(first);
  });
});

describe('rearrangeEndings', () => {
  /** Whole groups by their seconds: each has a record of so many seconds later. */
  function endedBySecond(groups: readonly (readonly [OpenGroup, PendingDeprecation])[]): Map<number, Set<OpenGroup>> {
    const ended = new Map<number, Set<OpenGroup>>();
    for (const [group, pending] of groups) {
      pending.end(group);
      ended.set(group.second, (ended.get(group.second) ?? new Set()).add(group));
    }
    return ended;
  }

  test('a record ends a group that waits near it', () => {
    const group = complete(1, 0);
    const pending = pendingAt(2, 1, 2);
    expect(rearrangeEndings(pending, [group], new Map())).toBe(group);
    expect(group.ending).toBe(pending);
  });

  test.each([1, 2, 5])('the record of a group is passed on over %d groups', (length) => {
    const groups = Array.from({ length }, (_, index) => complete(index + 2, 2 * index + 2));
    const pendings = groups.map(({ second }, index) => pendingAt(100 + index, 1, second));
    const ended = endedBySecond(groups.flatMap((group, index) => [[group, pendings[index] ?? pendingAt(0, 1)] as const]));
    const starved = complete(1, 0);
    const last = pendingAt(200, 1, 2 * length + 2);
    expect(rearrangeEndings(last, [starved], ended)).toBe(starved);
    expect([starved, ...groups].map(({ ending }) => ending)).toEqual([...pendings, last]);
  });

  test('without a path to the record all stays as it is', () => {
    const [group, pending] = [complete(2, 1), pendingAt(5, 1, 1)];
    const starved = complete(1, 0);
    expect(rearrangeEndings(pendingAt(9, 1, 4), [starved], endedBySecond([[group, pending]]))).toBe(undefined);
    expect([starved.ending, group.ending]).toEqual([undefined, pending]);
  });

  test.each([
    [-2, true],
    [-3, false],
  ])('a group %d s away gives its record up: %p', (second, isFound) => {
    const group = complete(2, second);
    // By its clock the record is near all of them.
    const ended = endedBySecond([[group, pendingAt(5, 1, -1)]]);
    const starved = complete(1, 0);
    expect(rearrangeEndings(pendingAt(9, 1, second - 2), [starved], ended)).toBe(isFound ? starved : undefined);
  });

  test('the youngest goes first, and a group whose record comes too early is passed over', () => {
    const [younger, older, early] = [complete(4, 2), complete(3, 1), complete(2, 2)];
    const starved = groupOf([failureAt(1, 0), failureAt(6, 1)]);
    const ended = endedBySecond([
      [older, pendingAt(8, 1, 1)],
      [early, pendingAt(5, 1, 2)],
      [younger, pendingAt(7, 1, 2)],
    ]);
    const { ending } = younger;
    expect(rearrangeEndings(pendingAt(9, 1, 3), [starved], ended)).toBe(starved);
    expect(starved.ending).toBe(ending);
  });

  test.each([
    [126, true],
    [127, true],
    [128, false],
  ])('%d groups are looked at for a way to the record: found is %p', (count, isFound) => {
    // Groups at the same time as the starved one, none of them near the record; then one that is.
    const others = Array.from({ length: count - 1 }, (_, index) => complete(index + 2, 2));
    const ended = endedBySecond([
      ...others.map((group) => [group, pendingAt(500, 1, 5)] as const),
      [complete(400, 2), pendingAt(501, 1, 2)] as const,
    ]);
    const starved = complete(1, 0);
    expect(rearrangeEndings(pendingAt(600, 1, 4), [starved], ended)).toBe(isFound ? starved : undefined);
  });

  test.each([
    [129, true],
    [130, false],
  ])('of %d groups that wait, the last is looked at: %p', (count, isFound) => {
    const waiting = Array.from({ length: count }, (_, index) => complete(index + 1, index === count - 1 ? 0 : 50));
    expect(rearrangeEndings(pendingAt(500, 1), waiting, new Map())).toBe(isFound ? waiting.at(-1) : undefined);
  });
});
