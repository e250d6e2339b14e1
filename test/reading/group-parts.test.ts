import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Entry } from '../../src/reading/entry.js';
import { FailingGroups } from '../../src/reading/failing-groups.js';
import { GroupQueue } from '../../src/reading/group-queue.js';
import { OpenGroup } from '../../src/reading/open-group.js';
import { UnfinishedGroups } from '../../src/reading/unfinished-groups.js';
import { WaitingGroups } from '../../src/reading/waiting-groups.js';
import { begun, failureAt, groupOf, pendingAt, type Varied } from '../support/entries.js';

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
    [{ second: 3602, offset: 3600 }, true],
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

  test('a record of a long target is kept with the target of the first, and the record that was read is let go', () => {
    const records = (length: number): ReturnType<typeof failureAt>[] =>
      [0, 1].map((place) => failureAt(place + 1, place, { target: '/'.padEnd(length, 'x') }));
    const [short, long] = [records(1023), records(1024)];
    expect(groupOf(short).failures[1]).toBe(short[1]);
    expect(groupOf(long).failures[1]).not.toBe(long[1]);
    expect(groupOf(long).failures).toEqual(long);
  });

  test('a deprecation record may begin a group: it has no descriptor and no load failure', () => {
    const pending = pendingAt(4, 3);
    const group = new OpenGroup(pending.entry, 0);
    expect(group).toMatchObject({ isRepeat: false, isBroken: false, heldBytes: 64, lastLine: 0, lastFailureLine: 0 });
    expect([group.descriptor, group.firstFailure]).toEqual([undefined, undefined]);
    pending.end(group);
    expect([group.lastLine, group.entries]).toEqual([4, [pending.entry]]);
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
        const states: string[] = [];
        const expected: string[] = [];
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
          const oldest = [0, 1, 2].map((other) => waiting.oldest(other)?.firstLine);
          const all = Array.from(waiting.groups(), ({ firstLine }) => firstLine);
          states.push([oldest, all, waiting.isEmpty].join(' '));
          const expectedOldest = [0, 1, 2].map((other) => lists.get(other)?.[0]?.firstLine);
          const expectedAll = [...lists.values()].flat().map(({ firstLine }) => firstLine);
          expected.push([expectedOldest, expectedAll, lists.size === 0].join(' '));
        }
        // Once a run: a call of expect for each step takes most of the time.
        expect(states).toEqual(expected);
      }),
    );
  });

  test('is empty when the last group has been taken out', () => {
    const waiting = new WaitingGroups();
    const group = begun(1);
    expect(waiting.isEmpty).toBe(true);
    for (const key of [1, 2, 1]) {
      waiting.add(key, group);
      expect(waiting.isEmpty).toBe(false);
      waiting.remove(key, group);
      expect([waiting.isEmpty, waiting.oldest(key), [...waiting.groups()]]).toEqual([true, undefined, []]);
    }
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

  test.each<[string, OpenGroup, [number, number, Varied?], boolean]>([
    ['of the line before', farAt(4), [5, 1], true],
    ['further up', farAt(3), [5, 1], false],
    ['that waits for another one', farAt(4), [5, 2], false],
    ['of another descriptor', farAt(4), [5, 1, { target: '/a' }], false],
  ])('a load failure of another time joins the group %s: %#', (_what, latest, [line, place, varied], isFound) => {
    const entry = failureAt(line, place, varied);
    expect(new UnfinishedGroups().find(entry, entry.record, latest, false)).toBe(isFound ? latest : undefined);
  });

  test('a group that is no longer open takes no load failure', () => {
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

describe('GroupQueue', () => {
  /** A whole group of one plugin. */
  function whole(line: number): OpenGroup {
    const group = begun(line);
    pendingAt(line + 1, 1).end(group);
    return group;
  }

  /** A broken group of two plugins that has one record. */
  const part = (line: number, place: number): OpenGroup => groupOf([failureAt(line, place)], { isBroken: true });

  function queueOf(plugins: number, ...groups: readonly OpenGroup[]): GroupQueue<Entry> {
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
