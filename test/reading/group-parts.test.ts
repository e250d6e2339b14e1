import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CompleteGroups } from '../../src/reading/complete-groups.js';
import { FailingGroups } from '../../src/reading/failing-groups.js';
import { GroupQueue } from '../../src/reading/group-queue.js';
import type { OpenGroup, PendingDeprecation } from '../../src/reading/open-group.js';
import { rearrangeEndings } from '../../src/reading/rearrange-endings.js';
import { UnfinishedGroups } from '../../src/reading/unfinished-groups.js';
import { WaitingGroups } from '../../src/reading/waiting-groups.js';
import { failureAt, groupOf, pendingAt, type Varied } from '../support/entries.js';

/** A group of so many records of plugins 0, 1, …, on the lines from one on. */
function begun(line: number, varied: Varied = {}, records = 1): OpenGroup {
  return groupOf(Array.from({ length: records }, (_, place) => failureAt(line + place, place, varied)));
}

/** A group of one plugin that has all its failures, so many seconds after the epoch. */
const complete = (line: number, second: number): OpenGroup => begun(line, { second });

describe('OpenGroup', () => {
  test('has its records in the order of lines, also where its end stands between them', () => {
    const group = groupOf([failureAt(1, 0), failureAt(2, 1), failureAt(5, 2)]);
    expect(group.entries.map(({ line }) => line)).toEqual([1, 2, 5]);
    pendingAt(3, 3).end(group);
    expect(group.entries.map(({ line }) => line)).toEqual([1, 2, 3, 5]);
    expect([group.lastLine, group.lastFailureLine]).toEqual([5, 5]);
    pendingAt(9, 3).end(group);
    expect(group.entries.map(({ line }) => line)).toEqual([1, 2, 5, 9]);
    expect([group.lastLine, group.lastFailureLine]).toEqual([9, 5]);
  });

  test('a record counts with its target and 64 bytes', () => {
    expect(begun(1, { target: '/four' }).heldBytes).toBe(69);
  });

  test.each([
    [{ second: 2 }, true],
    [{ second: -2 }, true],
    [{ second: 3 }, false],
    [{ second: -3 }, false],
    // By the clock, across a wrong offset.
    [{ second: 3600, offset: 3600 }, true],
    [{ second: 3603, offset: 3600 }, false],
    [{ second: 2, offset: 0 }, true],
  ])('the record of %j is near a group of second 0: %p', (varied, isNear) => {
    expect(begun(1).isNear(failureAt(2, 1, varied).record)).toBe(isNear);
  });

  test.each([10, 1024, 2000])('takes records of another target of %d bytes as they are', (length) => {
    const [target, other] = ['/a'.padEnd(length, 'x'), '/b'.padEnd(length, 'x')];
    const failures = [failureAt(1, 0, { target }), failureAt(2, 1, { target: other }), failureAt(3, 2, { target })];
    const group = groupOf(failures);
    expect(group.failures).toEqual(failures);
    expect(group.next).toBe(3);
  });

  test('is whole if it has ended and nothing about it is broken', () => {
    const [group, broken] = [begun(1), groupOf([failureAt(1, 0)], { isBroken: true })];
    expect(group.isWhole).toBe(false);
    pendingAt(2, 1).end(group);
    pendingAt(2, 1).end(broken);
    expect([group.isWhole, broken.isWhole]).toEqual([true, false]);
    group.state = 'given-up';
    expect(group.isWhole).toBe(false);
  });

  test.each([
    [3, 0, true],
    [3, 2, true],
    [3, -2, true],
    [3, 3, false],
    [2, 0, false],
    [1, 0, false],
  ])('a deprecation record on line %d of second %d can end a group up to line 2: %p', (line, second, canEnd) => {
    expect(pendingAt(line, 2, second).canEnd(begun(1, {}, 2))).toBe(canEnd);
  });
});

describe('WaitingGroups', () => {
  test('is a map of lists in the order of first lines', () => {
    const step = fc.record({ key: fc.nat(2), index: fc.nat(11), isAdded: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 60, maxLength: 120 }), (steps) => {
        const groups = Array.from({ length: 12 }, (_, index) => begun(index + 1));
        const waiting = new WaitingGroups();
        const lists = new Map<number, OpenGroup[]>();
        for (const { key, index, isAdded } of steps) {
          const list = lists.get(key) ?? [];
          const group = groups[index] ?? begun(0);
          if (isAdded && list.includes(group)) continue;
          if (isAdded) waiting.add(key, group);
          else waiting.remove(key, group);
          const others = list.filter((other) => other !== group);
          const changed = (isAdded ? [...others, group] : others).sort((one, other) => one.firstLine - other.firstLine);
          if (changed.length > 0) lists.set(key, changed);
          else lists.delete(key);
          expect([0, 1, 2].map((other) => waiting.oldest(other)?.firstLine)).toEqual(
            [0, 1, 2].map((other) => lists.get(other)?.[0]?.firstLine),
          );
          expect(Array.from(waiting.groups(), ({ firstLine }) => firstLine)).toEqual(
            [...lists.values()].flat().map(({ firstLine }) => firstLine),
          );
          expect(waiting.isEmpty).toBe(lists.size === 0);
        }
      }),
    );
  });

  test('a list that was emptied serves another number', () => {
    const waiting = new WaitingGroups();
    const [one, other, third] = [begun(1), begun(2), begun(3)];
    waiting.add(1, one);
    waiting.add(2, other);
    waiting.remove(1, one);
    waiting.add(3, one);
    waiting.add(4, third);
    expect([1, 2, 3, 4].map((key) => waiting.oldest(key))).toEqual([undefined, other, one, third]);
  });
});

describe('FailingGroups', () => {
  test.each<[string, Varied, number, boolean]>([
    ['2 s later', { second: 2 }, 1, true],
    ['2 s earlier', { second: -2 }, 1, true],
    ['3 s later', { second: 3 }, 1, false],
    ['3 s earlier', { second: -3 }, 1, false],
    ['an hour later, by its clock 2 s', { second: 3602, offset: 3600 }, 1, true],
    ['an hour later, by its clock 3 s', { second: 3603, offset: 3600 }, 1, false],
    ['of another plugin', {}, 2, false],
    ['of another target', { target: '/other' }, 1, false],
    ['1024 s later, of the plugin before', { second: 1024 }, 0, false],
  ])('a group waits for a load failure %s: %#', (_what, varied, place, isFound) => {
    const groups = new FailingGroups();
    const group = begun(1);
    groups.add(group);
    const { record } = failureAt(2, place, varied);
    const find = (): OpenGroup | undefined => groups.findNext(record, `${record.httpMethod} ${record.requestTarget}`, place);
    expect(find()).toBe(isFound ? group : undefined);
    groups.remove(group);
    expect(find()).toBe(undefined);
  });

  test('the group of the earliest second goes first, and one by its offset before one by its clock', () => {
    const groups = new FailingGroups();
    const [later, earlier] = [complete(1, 1), complete(2, 0)];
    const byClock = begun(3, { second: 3600, offset: 3600 });
    for (const group of [later, earlier, byClock]) groups.add(group);
    const find = (): OpenGroup | undefined => groups.findNext(failureAt(4, 1, { second: 2 }).record, 'GET /', 1);
    for (const group of [earlier, later, byClock]) {
      expect(find()).toBe(group);
      groups.remove(group);
    }
    expect(find()).toBe(undefined);
  });

  test('groups of one descriptor stay when those of another are taken out', () => {
    const groups = new FailingGroups();
    const [one, other] = [begun(1), begun(2, { target: '/other' })];
    const find = (): OpenGroup | undefined => groups.findNext(failureAt(3, 1).record, 'GET /', 1);
    for (let count = 0; count < 3; count += 1) {
      groups.add(one);
      groups.add(other);
      groups.remove(other);
      expect(find()).toBe(one);
      groups.remove(one);
      expect(find()).toBe(undefined);
    }
  });

  test('a group that does not wait is not taken out', () => {
    const groups = new FailingGroups();
    const group = begun(1);
    groups.remove(group);
    groups.add(group);
    groups.remove(begun(2));
    expect(groups.findNext(failureAt(3, 1).record, 'GET /', 1)).toBe(group);
  });
});

describe('UnfinishedGroups', () => {
  const brokenAt = (line: number, place: number): OpenGroup => groupOf([failureAt(line, place)], { isBroken: true });
  const repeatAt = (line: number, second = 0): OpenGroup => groupOf([failureAt(line, 0, { second })], { isRepeat: true });
  const farAt = (line: number): OpenGroup => begun(line, { second: 90 });

  /** The groups that wait, the latest one, the record that comes, and the index of the group that it joins. */
  test.each<[string, OpenGroup[], OpenGroup | undefined, [number, number, Varied?], number | undefined]>([
    ['the oldest that waits for it', [begun(1), begun(2)], undefined, [3, 1], 0],
    ['none that waits for a later one', [begun(1, {}, 2)], undefined, [3, 1], undefined],
    ['a sound one before a broken one', [brokenAt(1, 0), begun(2)], undefined, [3, 1], 1],
    ['a broken one', [brokenAt(1, 0)], undefined, [3, 1], 0],
    ['that before one that waits for an earlier record', [begun(1), brokenAt(2, 1)], undefined, [3, 2], 1],
    ['one that waits for an earlier record', [begun(1)], undefined, [3, 3], 0],
    ['that which waits for the latest of them', [begun(1), begun(2, {}, 2)], undefined, [4, 4], 1],
    ['that, be it broken', [begun(1), brokenAt(2, 1)], undefined, [4, 4], 1],
    ['one that is missing 16 records', [begun(1)], undefined, [3, 17], 0],
    ['none that is missing 17', [begun(1)], undefined, [3, 18], undefined],
    ['none of an unknown plugin', [brokenAt(1, -1)], undefined, [3, 3], undefined],
    ['none of another descriptor', [begun(1, { target: '/a' })], undefined, [3, 3], undefined],
    ['none far in time', [farAt(1)], undefined, [3, 1], undefined],
  ])('a load failure joins %s', (_what, groups, latest, [line, place, varied], index) => {
    const unfinished = new UnfinishedGroups();
    for (const group of groups) unfinished.add(group);
    const entry = failureAt(line, place, varied);
    const found = unfinished.find(entry, entry.record, latest, false);
    expect(found === undefined ? undefined : groups.indexOf(found)).toBe(index);
    for (const group of groups) unfinished.remove(group);
    expect(unfinished.find(entry, entry.record, undefined, false)).toBe(undefined);
  });

  test('a record that stands on the line before, too, joins none that waits for an earlier one', () => {
    const unfinished = new UnfinishedGroups();
    const group = begun(1);
    unfinished.add(group);
    const [gap, next] = [failureAt(3, 2), failureAt(3, 1)];
    expect(unfinished.find(gap, gap.record, undefined, true)).toBe(undefined);
    expect(unfinished.find(next, next.record, undefined, true)).toBe(group);
  });

  test.each<[string, OpenGroup, number, [number, number, Varied?], boolean]>([
    ['of the line before', farAt(4), 0, [5, 1], true],
    ['further up', farAt(3), 0, [5, 1], false],
    ['that waits for another one', farAt(4), 0, [5, 2], false],
    ['of another descriptor', farAt(4), 0, [5, 1, { target: '/a' }], false],
  ])('a load failure of another time joins the group %s: %#', (_what, latest, _index, [line, place, varied], isFound) => {
    const entry = failureAt(line, place, varied);
    expect(new UnfinishedGroups().find(entry, entry.record, latest, false)).toBe(isFound ? latest : undefined);
  });

  test('a group that is no longer open takes no load failure, nor does one without a load failure', () => {
    const entry = failureAt(5, 1);
    const latest = farAt(4);
    latest.state = 'given-up';
    expect(new UnfinishedGroups().find(entry, entry.record, latest, false)).toBe(undefined);
  });

  test('of the line before, a sound group goes first, and it goes before a broken one', () => {
    const entry = failureAt(5, 1);
    const unfinished = new UnfinishedGroups();
    const [latest, broken, sound] = [farAt(4), brokenAt(1, 0), begun(2)];
    unfinished.add(broken);
    expect(unfinished.find(entry, entry.record, latest, false)).toBe(latest);
    unfinished.add(sound);
    expect(unfinished.find(entry, entry.record, latest, false)).toBe(sound);
  });

  test.each<[string, OpenGroup, OpenGroup | undefined, number, number]>([
    ['one alone', repeatAt(1), undefined, 0, 0],
    ['a group is there', repeatAt(1), begun(2), 0, 1],
    ['a group is there, the deadline near', repeatAt(1), complete(2, 1), 2, 0],
    ['a group is there, a second left', repeatAt(1), complete(2, 1), 1, 1],
    ['a group of the line before is there, the deadline near', repeatAt(1), complete(4, 1), 2, 1],
    ['two records have come', groupOf([failureAt(1, 0), failureAt(2, 0)], { isRepeat: true }), begun(3), 0, 0],
  ])('a group of a repeated record comes last, unless it would miss its deadline: %s', (_what, repeat, group, second, index) => {
    const unfinished = new UnfinishedGroups();
    unfinished.add(repeat);
    if (group !== undefined) unfinished.add(group);
    const entry = failureAt(5, 1, { second });
    expect(unfinished.find(entry, entry.record, undefined, false)).toBe([repeat, group][index]);
  });
});

describe('CompleteGroups', () => {
  /** Complete groups that wait. */
  function waiting(...groups: readonly OpenGroup[]): CompleteGroups<OpenGroup['failures'][number]> {
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

  describe('giveBack', () => {
    /** A group of a second whose record is of another. */
    function endedAt(all: CompleteGroups<OpenGroup['failures'][number]>, line: number, second: number, of: number): OpenGroup {
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

describe('GroupQueue', () => {
  /** A whole group of one plugin. */
  function whole(line: number): OpenGroup {
    const group = begun(line);
    pendingAt(line + 1, 1).end(group);
    return group;
  }

  /** A broken group of two plugins that has one record. */
  const part = (line: number, place: number): OpenGroup => groupOf([failureAt(line, place)], { isBroken: true });

  function queueOf(plugins: number, ...groups: readonly OpenGroup[]): GroupQueue<OpenGroup['failures'][number]> {
    const queue = new GroupQueue(plugins);
    for (const group of groups) queue.push(group);
    return queue;
  }

  test('gives the groups in their order', () => {
    const groups = [whole(1), whole(3), whole(5)];
    const queue = queueOf(1, ...groups);
    expect([...queue]).toEqual(groups);
    expect([queue.length, queue.at(0), queue.at(2), queue.at(3)]).toEqual([3, groups[0], groups[2], undefined]);
    expect(queue.take(2)).toEqual(groups.slice(0, 2));
    expect([...queue]).toEqual(groups.slice(2));
    expect(groups.map(({ isSettled }) => isSettled)).toEqual([true, true, false]);
  });

  test('is overfull above 16 MiB, each group counted with 64 bytes; the only group may hold any number', () => {
    const half = (line: number): OpenGroup => begun(line, { target: 'x'.repeat((8 << 20) - 64) });
    const queue = queueOf(1, half(1), half(2));
    expect(queue.isOverfull).toBe(false);
    queue.push(begun(3));
    expect(queue.isOverfull).toBe(true);
    queue.take(1);
    expect(queue.isOverfull).toBe(false);
    expect(queueOf(1, begun(1, { target: 'x'.repeat(17 << 20) })).isOverfull).toBe(false);
  });

  test.each([
    [7, true],
    [8, false],
  ])('a part %d groups behind a broken one is joined to it: %p', (between, isJoined) => {
    const [broken, rest] = [part(1, 0), part(100, 1)];
    const queue = queueOf(2, broken, ...Array.from({ length: between }, (_, index) => whole(10 + 2 * index)), rest);
    const taken = queue.take(20);
    expect(taken).toHaveLength(between + (isJoined ? 1 : 2));
    expect([taken.includes(rest), rest.isAbsorbed, rest.isSettled]).toEqual([!isJoined, isJoined, true]);
    expect(broken.entries).toHaveLength(isJoined ? 2 : 1);
  });

  test('a part is joined to one group, and a whole group to none', () => {
    const [first, second, rest] = [part(1, 0), part(2, 0), part(3, 1)];
    expect(queueOf(2, first, second, rest).take(3)).toEqual([first, second]);
    expect([first.entries.length, second.entries.length]).toEqual([2, 1]);
    const [group, other] = [whole(1), part(3, 1)];
    expect(queueOf(1, group, other).take(2)).toEqual([group, other]);
    expect(group.isBroken).toBe(false);
  });

  test('what stands behind the groups that are taken is no part of them', () => {
    const [first, rest] = [part(1, 0), part(3, 1)];
    const queue = queueOf(2, first, rest);
    expect(queue.take(1)).toEqual([first]);
    expect([...queue]).toEqual([rest]);
  });

  /** A broken group on lines 10 to 12, which is missing the record of plugin 1. */
  function brokenGroup(): OpenGroup {
    const group = groupOf([failureAt(10, 0)], { isBroken: true });
    pendingAt(13, 2).end(group);
    return group;
  }

  test.each<[string, (group: OpenGroup) => OpenGroup[], number[]]>([
    ['within it', (group) => [group, part(11, 1)], [11]],
    ['of two records', (group) => [group, groupOf([failureAt(11, 1), failureAt(12, 1)])], []],
    ['behind it', (group) => [group, part(14, 1)], []],
    ['that has ended', (group) => [group, whole(11)], []],
    ['within it, others behind', (group) => [group, part(11, 1), part(15, 0), whole(16)], [11]],
  ])('of strays, a record %s is joined: %#', (_what, listOf, lines) => {
    const group = brokenGroup();
    const groups = listOf(group);
    const queue = queueOf(2, ...groups);
    const strays = queue.takeStrays(group);
    expect(strays.map(({ firstLine }) => firstLine)).toEqual(lines);
    expect(strays.every(({ isSettled, isAbsorbed }) => isSettled && isAbsorbed)).toBe(true);
    expect([...queue]).toEqual(groups.filter((other) => !strays.includes(other)));
  });

  test.each([
    [9, [9]],
    [8, []],
  ])('a stray on line %d of a group that begins on line 10: %j', (line, lines) => {
    const group = groupOf([failureAt(10, 1)], { isBroken: true });
    pendingAt(11, 2).end(group);
    const queue = queueOf(2, part(line, 0), group);
    expect(queue.takeStrays(group).map(({ firstLine }) => firstLine)).toEqual(lines);
  });

  test.each([
    [1023, 1],
    [1024, 0],
  ])('a stray before %d others is found: %d', (count, found) => {
    const group = brokenGroup();
    const others = Array.from({ length: count }, (_, index) => whole(20 + 2 * index));
    expect(queueOf(2, group, part(11, 1), ...others).takeStrays(group)).toHaveLength(found);
  });

  test('the bytes of strays are no longer counted', () => {
    const group = brokenGroup();
    const target = 'x'.repeat((8 << 20) - 64);
    const stray = groupOf([failureAt(11, 1, { target })], { isBroken: true });
    const queue = queueOf(2, group, stray, begun(20, { target }));
    expect(queue.isOverfull).toBe(true);
    expect(queue.takeStrays(group)).toEqual([stray]);
    expect(queue.isOverfull).toBe(false);
  });
});
