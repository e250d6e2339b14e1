import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Assembler } from '../../src/reading/assembler.js';
import { placesIn, type Entry } from '../../src/reading/entry.js';
import { groupOf } from '../../src/reading/group.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { parseRecord, type LoadFailure } from '../../src/log/line.js';
import { interleave, picks } from '../support/concurrent.js';
import { deprecationAt, failureAt } from '../support/entries.js';

const SECOND = 1_747_562_400;
const SITE = createDeployment();
const PATHS = SITE.plugins.map((plugin) => `/var/www/roundcube/plugins/${plugin}/${plugin}.php`);

/** The eight records of a group, without their LFs. */
function recordsOf(second: number, target = '/mail/'): string[] {
  return formatGroup({ millisecond: second * 1000, method: 'GET', target }, SITE)
    .split('\n')
    .slice(0, -1);
}

/** The requests that come out (second after SECOND, target, line), and the lines of broken groups. */
function assemble(lines: readonly string[]): { whole: [number, string, number][]; incomplete: readonly number[]; count: number } {
  const incomplete: number[] = [];
  const whole: [number, string, number][] = [];
  const assembler = new Assembler(PATHS.length);
  for (const entry of entriesOf(lines)) assembler.add(entry);
  assembler.end();
  expect(assembler.isIdle).toBe(true);
  for (const found of assembler.drain()) {
    const group = groupOf(found);
    if (group === undefined) {
      incomplete.push(found.firstLine);
      continue;
    }
    expect(group.failures.map(({ pluginFilePath }) => pluginFilePath)).toEqual(PATHS);
    whole.push([(group.failures[0]?.second ?? 0) - SECOND, group.failures[0]?.requestTarget ?? '', group.line]);
  }
  return { whole, incomplete, count: incomplete.length };
}

function entriesOf(lines: readonly string[], paths = PATHS): Entry[] {
  const placeOf = placesIn(paths);
  return lines.flatMap((line, index) => {
    const record = parseRecord(line);
    return record === undefined ? [] : [{ record, line: index + 1, place: placeOf(record) }];
  });
}

const A = recordsOf(SECOND, '/a');
const B = recordsOf(SECOND, '/b');
const LATER = recordsOf(SECOND + 10, '/later');
/** A load failure of a plugin that the log does not have, in the group of A. */
const OTHER = (A[1] ?? '').replaceAll('carddav', 'other');
const from = (records: readonly string[], start: number, end?: number): string[] => records.slice(start, end);

describe('Assembler', () => {
  test.each<[string, string[], [number, string, number][], number[]]>([
    [
      'one after the other',
      [...A, ...B],
      [
        [0, '/a', 1],
        [0, '/b', 9],
      ],
      [],
    ],
    [
      'seven failures of each, then both ends',
      [...from(A, 0, 7), ...from(B, 0, 7), ...from(A, 7), ...from(B, 7)],
      [
        [0, '/a', 1],
        [0, '/b', 8],
      ],
      [],
    ],
    [
      'one inside the other: in the order of first records',
      [...from(A, 0, 2), ...B, ...from(A, 2)],
      [
        [0, '/a', 1],
        [0, '/b', 3],
      ],
      [],
    ],
    [
      'two of one descriptor, mixed',
      [...from(A, 0, 3), ...from(A, 0, 5), ...from(A, 3), ...from(A, 5)],
      [
        [0, '/a', 1],
        [0, '/a', 4],
      ],
      [],
    ],
    ['a group across two seconds', [...from(A, 0, 4), ...from(recordsOf(SECOND + 1, '/a'), 4)], [[0, '/a', 1]], []],
    [
      'a group across two seconds, the clock set back',
      [...from(A, 0, 4), ...from(recordsOf(SECOND - 1, '/a'), 4)],
      [[0, '/a', 1]],
      [],
    ],
    ['a group across three seconds is one broken group', [...from(A, 0, 4), ...from(recordsOf(SECOND + 3, '/a'), 4)], [], [1]],
    ['the log begins within a group', [...from(A, 3), ...B], [[0, '/b', 6]], [1]],
    ['the log begins with the end of a group', [...from(A, 7), ...B], [[0, '/b', 2]], [1]],
    ['the log begins within a group, another one begun', [...from(B, 0, 2), ...from(A, 4), ...from(B, 2)], [[0, '/b', 1]], [3]],
    [
      'the log begins within a group of the same descriptor: it is taken for the rest of the group above it',
      [...from(A, 0, 2), ...from(A, 4), ...from(A, 2)],
      [],
      [1, 7],
    ],
    ['the log ends within a group', [...A, ...from(B, 0, 6)], [[0, '/a', 1]], [9]],
    ['the log ends before the end of a group', [...A, ...from(B, 0, 7)], [[0, '/a', 1]], [9]],
    ['the first record lacks', [...from(A, 1), ...LATER], [[10, '/later', 8]], [1]],
    ['a record lacks in the middle: counted once', [...from(A, 0, 3), ...from(A, 4), ...LATER], [[10, '/later', 8]], [1]],
    ['the last failure lacks: counted once', [...from(A, 0, 6), ...from(A, 7), ...LATER], [[10, '/later', 8]], [1]],
    ['the end lacks: counted once', [...from(A, 0, 7), ...LATER], [[10, '/later', 8]], [1]],
    [
      'a failure stands there twice',
      [...from(A, 0, 3), ...from(A, 2), ...LATER],
      [
        [0, '/a', 1],
        [10, '/later', 10],
      ],
      [4],
    ],
    [
      'a whole group twice is two requests',
      [...A, ...A],
      [
        [0, '/a', 1],
        [0, '/a', 9],
      ],
      [],
    ],
    [
      'groups far apart, mixed',
      [...from(A, 0, 3), ...from(LATER, 0, 5), ...from(A, 3), ...from(LATER, 5)],
      [
        [0, '/a', 1],
        [10, '/later', 4],
      ],
      [],
    ],
    [
      'each ends in the next second, when another one waits there already',
      [0, 1, 2, 3].flatMap((n) => [
        ...from(recordsOf(SECOND + n, `/${String(n)}`), 0, 7),
        ...(n === 0 ? [] : from(recordsOf(SECOND + n), 7)),
        ...(n === 3 ? from(recordsOf(SECOND + 4), 7) : []),
      ]),
      [
        [0, '/0', 1],
        [1, '/1', 8],
        [2, '/2', 16],
        [3, '/3', 24],
      ],
      [],
    ],
    [
      'the end lacks, and others follow second by second: it lacks to its own group',
      [...from(A, 0, 7), ...[1, 2, 3].flatMap((n) => recordsOf(SECOND + n, '/b'))],
      [
        [1, '/b', 8],
        [2, '/b', 16],
        [3, '/b', 24],
      ],
      [1],
    ],
    [
      'an end before the last failure of a group is not that of the group; one behind it, though late, is',
      [...from(A, 0, 6), ...recordsOf(SECOND + 1, '/b'), ...from(A, 6, 7), ...from(recordsOf(SECOND + 3), 7)],
      [[1, '/b', 7]],
      [1],
    ],
    [
      'an end more than 2 s away from all groups is that of none',
      [...from(A, 0, 7), ...recordsOf(SECOND + 1, '/b'), ...from(recordsOf(SECOND + 4), 7)],
      [[1, '/b', 8]],
      [1, 16],
    ],
    ['failures alone', from(A, 0, 7), [], [1]],
    ['a group that is never ended, a whole one behind it', [...from(A, 0, 3), ...B], [[0, '/b', 4]], [1]],
    ['a group across two seconds and two more', [...from(A, 0, 4), ...from(recordsOf(SECOND + 2, '/a'), 4)], [[0, '/a', 1]], []],
    [
      'of two that wait for their end, the one that it stands behind',
      [...from(A, 0, 7), ...from(B, 0, 7), ...from(A, 7)],
      [[0, '/b', 8]],
      [1],
    ],
    [
      'of three that wait for their end, the older ones, if the record stands behind none',
      [...from(A, 0, 7), ...from(B, 0, 7), ...from(A, 0, 1), ...from(A, 7), ...from(B, 7)],
      [
        [0, '/a', 1],
        [0, '/b', 8],
      ],
      [15],
    ],
    [
      'of two that wait for their end, the one that began first, though complete later',
      [...from(A, 0, 3), ...from(B, 0, 7), ...from(A, 3)],
      [[0, '/a', 1]],
      [4],
    ],
    [
      'of two as far from the end, the older',
      [...from(A, 0, 7), ...from(B, 0, 7), ...from(recordsOf(SECOND + 1), 7)],
      [[0, '/a', 1]],
      [8],
    ],
    [
      'of two that wait for their end, the nearer',
      [...from(A, 0, 7), ...from(recordsOf(SECOND + 1, '/b'), 0, 7), ...from(recordsOf(SECOND + 2), 7)],
      [[1, '/b', 8]],
      [1],
    ],
    [
      'a whole group that stands behind a stale one',
      [...from(B, 0, 3), ...A, ...LATER],
      [
        [0, '/a', 4],
        [10, '/later', 12],
      ],
      [1],
    ],
    ['what is given up takes no more failures', [...from(A, 0, 3), ...LATER, ...from(A, 3)], [[10, '/later', 4]], [1, 12]],
    ['what is given up takes no end', [...from(A, 0, 7), ...LATER, ...from(A, 7)], [[10, '/later', 8]], [1, 16]],
    ['a plugin that is not among them', [...from(A, 0, 1), OTHER, OTHER, ...from(A, 1)], [[0, '/a', 1]], [2]],
    // Rests of groups: what goes on is counted once, what steps back in the order of plugins is another.
    ['the rests of two groups', [...from(A, 3, 7), ...from(A, 3, 7), ...from(A, 7), ...from(A, 7)], [], [1, 5]],
    ['a rest with a failure twice', [...from(A, 3, 4), ...from(A, 3, 4)], [], [1, 2]],
    ['the rests of two groups, mixed', [...from(A, 3, 4), ...from(B, 3, 4), ...from(A, 4, 5), ...from(B, 4, 5)], [], [1, 2]],
    ['rests of two descriptors', [...from(A, 3, 4), ...from(B, 4, 5)], [], [1, 2]],
    ['a rest whose next record is of another time', [...from(A, 3, 4), ...from(recordsOf(SECOND + 10, '/a'), 4, 5)], [], [1]],
    ['a rest with another plugin in it', [...from(A, 5, 6), OTHER, ...from(A, 4, 5)], [], [1, 3]],
    ['an end two seconds after a rest', [...from(A, 3, 4), ...from(recordsOf(SECOND + 2), 7)], [], [1]],
    ['an end far from a rest', [...from(A, 3, 4), ...from(LATER, 7)], [], [1, 2]],
    [
      'an end after two rests: that of the one that waits for it',
      [...from(A, 3, 4), ...from(B, 5), ...from(A, 4, 5)],
      [],
      [1, 2],
    ],
    // What may be the rest of a group that is given up is counted with it.
    ['two groups with their rests', [...from(A, 0, 2), ...from(A, 0, 2), ...from(A, 3, 4), ...from(A, 3, 4)], [], [1, 3]],
    ['a failure again, the group never ended', [...from(A, 0, 4), ...from(A, 2, 3)], [], [1, 5]],
    ['a failure far from its group', [...from(A, 0, 2), ...from(recordsOf(SECOND + 10, '/a'), 3, 4)], [], [1, 3]],
    ['an end far from an open group', [...from(A, 0, 3), ...from(LATER, 7)], [], [1, 4]],
    ['two groups with their ends', [...from(A, 0, 2), ...from(B, 0, 2), ...from(A, 7), ...from(B, 7)], [], [1, 3]],
    [
      'two groups with their ends, a whole one between',
      [...from(A, 0, 3), ...B, ...from(A, 0, 3), ...from(A, 7), ...from(A, 7)],
      [[0, '/b', 4]],
      [1, 12],
    ],
    ['ends alone', [...from(A, 7), ...from(A, 7)], [], [1, 2]],
    // Records that stand among those of a group that is missing one.
    ['a plugin that is not among them, in the place of another', [...from(A, 0, 1), OTHER, ...from(A, 2)], [], [1]],
    ['a record of another request in the place of one', [...from(A, 0, 2), ...from(B, 2, 3), ...from(A, 3)], [], [1]],
    [
      'a record of another request in the place of one, behind many groups',
      [...from(A, 0, 2), ...Array<string[]>(9).fill(B).flat(), ...from(B, 2, 3), ...from(A, 3)],
      Array.from({ length: 9 }, (_, index): [number, string, number] => [0, '/b', 3 + 8 * index]),
      [1],
    ],
    // A record that comes too late for its group, which has ended.
    ['the last failure, on the line behind its end', [...from(A, 0, 6), ...from(A, 7), ...from(A, 6, 7)], [], [1]],
    ['the last failure, further on', [...from(A, 0, 6), ...from(A, 7), 'foreign', ...from(A, 6, 7)], [], [1, 9]],
    ['the record of another request on the next line', [...from(A, 0, 2), ...from(A, 3), ...from(B, 2, 3)], [], [1, 8]],
    [
      'of two that wait for their end, the older one if a foreign line stands before the record',
      [...from(A, 0, 7), ...from(B, 0, 7), 'foreign', ...from(A, 7)],
      [[0, '/a', 1]],
      [8],
    ],
    [
      'of two that wait for their end, the one that it stands behind, though its first record stands twice',
      [...from(A, 0, 1), ...from(A, 0, 7), ...from(A, 1, 7), ...from(A, 7)],
      [[0, '/a', 2]],
      [1],
    ],
  ])('%s', (_what, lines, whole, incomplete) => {
    expect(assemble(lines)).toEqual({ whole, incomplete, count: incomplete.length });
  });

  test('finds every request of concurrent clients and invents none, in the order of first records', () => {
    const targets = fc.constantFrom('/mail/', '/poczta/', '/x');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(1), targets), { maxLength: 50 }),
        fc.integer({ min: 1, max: 16 }),
        picks,
        (list, clients, order) => {
          const groups = list
            .toSorted(([one], [other]) => one - other)
            .map(([second, target]) => `${recordsOf(SECOND + second, target).join('\n')}\n`);
          const { log, begun } = interleave(groups, clients, order);
          const { whole, count } = assemble(log.split('\n'));
          expect(whole.map(([second, target]) => `${recordsOf(SECOND + second, target).join('\n')}\n`)).toEqual(begun);
          expect(count).toBe(0);
        },
      ),
    );
  });

  test('finds every request where the last record comes up to 2 s after the others', () => {
    const gapAndLag = fc.tuple(fc.nat(900), fc.nat(1999));
    fc.assert(
      fc.property(fc.array(gapAndLag, { maxLength: 40 }), (list) => {
        let at = 0;
        const events = list.flatMap(([gap, lag], n) => {
          at += gap;
          const records = (millisecond: number): string[] => recordsOf(SECOND + Math.floor(millisecond / 1000), `/${String(n)}`);
          return [
            { at, lines: from(records(at), 0, 7) },
            { at: at + lag, lines: from(records(at + lag), 7) },
          ];
        });
        const lines = events.sort((one, other) => one.at - other.at).flatMap((event) => event.lines);
        const { whole, count } = assemble(lines);
        expect(whole.map(([, target]) => target)).toEqual(list.map((_, n) => `/${String(n)}`));
        expect(count).toBe(0);
      }),
    );
  });

  test('a group across the change of clocks in autumn and in spring', () => {
    for (const change of [Date.UTC(2025, 9, 26, 1) / 1000, Date.UTC(2025, 2, 30, 1) / 1000]) {
      const whole = [...from(recordsOf(change - 1), 0, 5), ...from(recordsOf(change), 5)];
      expect(assemble(whole).whole).toEqual([[change - 1 - SECOND, '/mail/', 1]]);
    }
  });

  test('gives a whole group at once when only stale ones stand before it', () => {
    const assembler = new Assembler(PATHS.length);
    for (const entry of entriesOf([...from(A, 0, 3), ...LATER])) assembler.add(entry);
    expect(assembler.drain().map(({ firstLine, isWhole }) => [firstLine, isWhole])).toEqual([
      [1, false],
      [4, true],
    ]);
  });

  test('a group is whole however many records stand between its own', () => {
    const others = Array.from({ length: 2000 }, () => B).flat();
    const { whole } = assemble([...from(A, 0, 3), ...others, ...from(A, 3)]);
    expect(whole.filter(([, target]) => target === '/a')).toHaveLength(1);
    expect(whole).toHaveLength(2001);
  });

  /** The first record of a group whose target is of so many bytes. */
  function begin(bytes: number, name: number): LoadFailure {
    const record = parseRecord(A[0] ?? '');
    if (record?.kind !== 'load_failure') throw new Error('no load failure');
    return { ...record, requestTarget: `/${String(name)}`.padEnd(bytes, 'x') };
  }

  test('a group of one plugin', () => {
    const assembler = new Assembler(1);
    const log = [...from(A, 0, 1), ...from(B, 0, 1), ...from(B, 0, 1), ...from(A, 7), ...from(A, 7)];
    for (const entry of entriesOf(log, PATHS.slice(0, 1))) assembler.add(entry);
    expect(assembler.isIdle).toBe(false);
    assembler.end();
    const groups = assembler.drain();
    expect(groups.map(({ firstLine, isWhole }) => [firstLine, isWhole])).toEqual([
      [1, true],
      [2, true],
      [3, false],
    ]);
  });

  test('the line of the first group that is not given out, and Infinity if there is none', () => {
    const assembler = new Assembler(PATHS.length);
    const lines = entriesOf([...A, ...B]).map((entry) => {
      assembler.add(entry);
      return assembler.firstOpenLine;
    });
    expect(new Assembler(PATHS.length).firstOpenLine).toBe(Infinity);
    expect(lines).toEqual([...Array<number>(7).fill(1), Infinity, ...Array<number>(7).fill(9), Infinity]);
  });

  test('of two groups of one plugin that wait, a deprecation record is that of the one before it', () => {
    const assembler = new Assembler(1);
    for (const entry of entriesOf([...from(A, 0, 1), ...from(B, 0, 1), ...from(A, 7)], PATHS.slice(0, 1))) assembler.add(entry);
    assembler.end();
    expect(assembler.drain().map(({ isWhole }) => isWhole)).toEqual([false, true]);
  });

  test.each<[string, string[], number]>([
    ['the only open one', from(A, 0, 2), 1],
    ['the only open one, 2 s ago', from(recordsOf(SECOND - 2), 0, 2), 1],
    ['none, 3 s after it', from(recordsOf(SECOND - 3), 0, 2), 3],
    ['none while another one is open', [...from(B, 0, 1), ...from(A, 0, 2)], 4],
    ['a broken one while another one is open', [...from(B, 0, 1), ...from(A, 1, 2)], 2],
    [
      'of two broken ones that wait for it, the one before',
      [...from(A, 0, 1), ...from(A, 2, 7), ...from(B, 0, 1), ...from(B, 2, 7)],
      7,
    ],
    ['a broken one that waits for it', [...from(A, 0, 1), ...from(A, 2, 7), ...from(B, 0, 1)], 1],
  ])('a deprecation record that no sound group waits for ends %s', (_what, lines, firstLine) => {
    const assembler = new Assembler(PATHS.length);
    const groups = entriesOf([...lines, ...from(A, 7)]).map((entry) => assembler.add(entry).group);
    expect(groups.at(-1)?.firstLine).toBe(firstLine);
  });

  test('a deprecation record alone begins a group of the instant that it means', () => {
    const groups = entriesOf(from(A, 7)).map((entry) => new Assembler(PATHS.length).add(entry).group);
    expect(groups).toMatchObject([{ second: SECOND, state: 'ended', isBroken: true }]);
  });

  test('the record of an unknown plugin is given up at once, and a group when no record can come for it', () => {
    const assembler = new Assembler(PATHS.length);
    const [begun, unknown] = entriesOf([...from(A, 0, 1), OTHER, ...LATER]).map((entry) => assembler.add(entry).group);
    expect([begun, unknown]).toMatchObject([
      { state: 'given-up', isBroken: true },
      { state: 'given-up', isBroken: true },
    ]);
    const open = new Assembler(PATHS.length);
    expect(entriesOf([...from(A, 0, 1), OTHER, OTHER]).map((entry) => open.add(entry).group?.state)).toEqual([
      'open',
      'given-up',
      'given-up',
    ]);
  });

  test('a group that starves is held behind 1024 groups at most; then it gets the record of a younger one', () => {
    const assembler = new Assembler(1);
    let line = 0;
    const drained: (readonly [number, boolean])[] = [];
    const add = (place: number, second: number): void => {
      line += 1;
      assembler.add(place === 0 ? failureAt(line, 0, { second: SECOND + second }) : deprecationAt(line, 1, SECOND + second));
      drained.push(...assembler.drain().map(({ firstLine, isWhole }) => [firstLine, isWhole] as const));
    };
    add(0, 0);
    // Pairs of groups that overlap, second by second: records may be exchanged all along.
    for (let second = 1; line < 1 + 4 * 511; second += 1) for (const place of [0, 0, 1, 1]) add(place, second);
    add(0, 512);
    expect(drained).toEqual([]);
    for (const place of [0, 1, 1]) add(place, 512);
    for (let second = 513; second < 515; second += 1) for (const place of [0, 0, 1, 1]) add(place, second);
    expect(drained[0]).toEqual([1, true]);
    assembler.end();
    drained.push(...assembler.drain().map(({ firstLine, isWhole }) => [firstLine, isWhole] as const));
    expect(drained).toHaveLength(1 + 2 * 514);
    expect(drained.filter(([, isWhole]) => !isWhole)).toHaveLength(1);
  });

  /** Entries of first records whose targets are of so many bytes. */
  function beginnings(count: number, bytes: number): Entry[] {
    return Array.from({ length: count }, (_, index) => ({ record: begin(bytes, index), line: index + 1, place: 0 }));
  }

  test('open groups hold 16 MiB of targets; beyond that the oldest is given up', () => {
    const assembler = new Assembler(PATHS.length);
    const counts = beginnings(20, 1 << 20).map((entry) => {
      assembler.add(entry);
      return assembler.drain().length;
    });
    // Excess is given up when the next record comes.
    expect(counts).toEqual([...Array<number>(16).fill(0), 1, 1, 1, 1]);
  });

  test('a group with a target of more than that is kept while it is the only one', () => {
    const assembler = new Assembler(PATHS.length);
    const first = begin(17 << 20, 0);
    const { group } = assembler.add({ record: first, line: 1, place: 0 });
    assembler.add({ record: { ...first, pluginFilePath: PATHS[1] ?? '' }, line: 2, place: 1 });
    expect(group?.state).toBe('open');
    assembler.add({ record: begin(10, 1), line: 3, place: 0 });
    assembler.add({ record: begin(10, 2), line: 4, place: 0 });
    expect([group?.state, group?.isSettled]).toEqual(['given-up', true]);
  });

  test('the bytes of groups that were put together or given out count no more', () => {
    const assembler = new Assembler(PATHS.length);
    // Broken groups of 1 MiB: each loses a record, and its fragments are put together.
    for (let n = 0; n < 40; n += 1) {
      const long = recordsOf(SECOND + 10 * n, `/${String(n)}`.padEnd(1 << 20, 'x'));
      const lines = [...from(long, 0, 3), ...from(long, 4, 5), ...from(long, 3, 4), ...from(long, 5)];
      for (const entry of entriesOf(lines)) assembler.add({ ...entry, line: n * 8 + entry.line });
    }
    const first = beginnings(2, 1 << 20).map((entry) => ({ ...entry, line: 1000 + entry.line }));
    const [group] = first.map((entry) => assembler.add(entry).group);
    expect(group?.state).toBe('open');
  });

  test('the records of a group show the same target, however long', () => {
    for (const length of [10, 2000]) {
      const assembler = new Assembler(PATHS.length);
      const failures = PATHS.map((pluginFilePath) => ({ ...begin(length, 0), pluginFilePath }));
      const groups = failures.map((record, index) => assembler.add({ record, line: index + 1, place: index }).group);
      expect(groups[0]?.failures.map(({ record }) => record)).toEqual(failures);
    }
  });

  test('gives each whole group once, with the record that ends it', () => {
    const assembler = new Assembler(PATHS.length);
    expect(assembler.isIdle).toBe(true);
    const groups = entriesOf(A)
      .map((entry) => assembler.add(entry))
      .map(({ group }) => group);
    const [group] = groups;
    expect(groups.every((other) => other === group)).toBe(true);
    expect(group).toMatchObject({ firstLine: 1, isWhole: true, isSettled: true });
    expect(group?.ending?.record).toEqual(parseRecord(A[7] ?? ''));
    expect(assembler.drain()).toEqual([group]);
    expect(assembler.drain()).toEqual([]);
  });

  test.each([
    ['first records alone', (index: number) => A[0]?.replace('/a)', `/${String(index % 50)})`)],
    ['ends alone', () => A[7]],
    ['times that jump to and fro', (index: number) => recordsOf(SECOND + (index % 2) * 1000 - index, '/a')[index % 8]],
    ['failures without ends', (index: number) => A[index % 7]],
  ])('goes on in time in proportion to the records, whatever they are: %s', (_what, line) => {
    const assembler = new Assembler(PATHS.length);
    const placeOf = placesIn(PATHS);
    for (let index = 0; index < 20_000; index += 1) {
      const record = parseRecord(line(index) ?? '');
      if (record === undefined) throw new Error('not a record');
      assembler.add({ record, line: index + 1, place: placeOf(record) });
    }
    assembler.end();
    expect(assembler.isIdle).toBe(true);
    expect(assembler.firstOpenLine).toBe(Infinity);
  });
});
