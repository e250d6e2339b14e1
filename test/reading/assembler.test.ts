import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Assembler } from '../../src/reading/assembler.js';
import { placesIn, type Entry } from '../../src/reading/entry.js';
import { groupOf } from '../../src/reading/group.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { parseRecord, type LoadFailure } from '../../src/log/line.js';
import { Tally } from '../../src/reading/tally.js';
import { interleave, picks } from '../support/concurrent.js';

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
const C = recordsOf(SECOND + 100, '/c');
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
    ['a group across three seconds is two halves', [...from(A, 0, 4), ...from(recordsOf(SECOND + 3, '/a'), 4)], [], [1, 5]],
    ['the log begins within a group', [...from(A, 3), ...B], [[0, '/b', 6]], [1]],
    ['the log begins with the end of a group', [...from(A, 7), ...B], [[0, '/b', 2]], [1]],
    ['the log begins within a group, another one begun', [...from(B, 0, 2), ...from(A, 4), ...from(B, 2)], [[0, '/b', 1]], [3]],
    [
      'the log begins within a group of the same descriptor',
      [...from(A, 0, 2), ...from(A, 4), ...from(A, 2)],
      [[0, '/a', 1]],
      [3],
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
      'an end before the last failure of a group is not that of the group, whatever ends there are',
      [...from(A, 0, 6), ...recordsOf(SECOND + 1, '/b'), ...from(A, 6, 7), ...from(recordsOf(SECOND + 3), 7)],
      [[1, '/b', 7]],
      [1, 16],
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
    ['of two that wait for their end, the older', [...from(A, 0, 7), ...from(B, 0, 7), ...from(A, 7)], [[0, '/a', 1]], [8]],
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
    ['rests far apart', [...from(A, 3, 4), ...from(recordsOf(SECOND + 10, '/a'), 4, 5)], [], [1, 2]],
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
            .sort(([one], [other]) => one - other)
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
    const assembler = new Assembler(PATHS, new Tally());
    for (const [index, line] of [...from(A, 0, 3), ...LATER].entries()) {
      const record = parseRecord(line);
      if (record !== undefined) assembler.add(record, index + 1);
    }
    expect(assembler.takeWhole().map(({ line }) => line)).toEqual([4]);
  });

  test.each([
    [4096, 'is whole', 0],
    [4097, 'is given up', 1],
  ])('a group whose last record is the %ith after its first %s', (since, _what, incomplete) => {
    const between = since - 7;
    const others = Array.from({ length: 511 }, () => B).flat();
    const log = [...from(A, 0, 3), ...others, ...Array<string>(between - others.length).fill(C[7] ?? ''), ...from(A, 3)];
    expect(log).toHaveLength(since + 1);
    const { whole } = assemble(log);
    expect(whole.filter(([, target]) => target === '/a')).toHaveLength(1 - incomplete);
  });

  /** The first record of a group whose target is of so many bytes. */
  function begin(bytes: number, name: number): LoadFailure {
    const record = parseRecord(A[0] ?? '');
    if (record?.kind !== 'load_failure') throw new Error('no load failure');
    return { ...record, requestTarget: `/${String(name)}`.padEnd(bytes, 'x') };
  }

  test('256 rests of groups are remembered, and no more', () => {
    for (const [rests, count] of [
      [256, 256],
      [257, 258],
    ] as const) {
      const targets = Array.from({ length: rests }, (_, index) => `/${String(index)}`);
      const log = [...targets.flatMap((target) => from(recordsOf(SECOND, target), 3, 4)), ...from(recordsOf(SECOND, '/0'), 4, 5)];
      expect(assemble(log).count).toBe(count);
    }
  });

  test('a group of one plugin', () => {
    const incomplete = new Tally();
    const assembler = new Assembler(PATHS.slice(0, 1), incomplete);
    const log = [...from(A, 0, 1), ...from(B, 0, 1), ...from(B, 0, 1), ...from(A, 7), ...from(A, 7)];
    for (const [index, line] of log.entries()) {
      const record = parseRecord(line);
      if (record !== undefined) assembler.add(record, index + 1);
    }
    expect(assembler.isIdle).toBe(false);
    assembler.end();
    expect(assembler.takeWhole().map(({ line, failures }) => [line, failures.length])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(incomplete.lines).toEqual([3]);
  });

  test('open groups hold 16 MiB of targets; beyond that the oldest is given up', () => {
    const incomplete = new Tally();
    const assembler = new Assembler(PATHS, incomplete);
    const counts = Array.from({ length: 20 }, (_, index) => {
      assembler.add(begin(1 << 20, index), index + 1);
      return incomplete.count;
    });
    // What is too much is given up when the next record comes.
    expect(counts).toEqual([...Array<number>(17).fill(0), 1, 2, 3]);
    expect(incomplete.lines).toEqual([1, 2, 3]);
  });

  test('a group with a target of more than that is kept while it is the only one', () => {
    const incomplete = new Tally();
    const assembler = new Assembler(PATHS, incomplete);
    const first = begin(17 << 20, 0);
    const group = assembler.add(first, 1);
    assembler.add({ ...first, pluginFilePath: PATHS[1] ?? '' }, 2);
    expect([incomplete.count, group?.group?.state]).toEqual([0, 'open']);
    assembler.add(begin(10, 1), 3);
    assembler.add(begin(10, 2), 4);
    expect([incomplete.count, group?.group?.state]).toEqual([1, 'given-up']);
  });

  test('the records of a group show the same target, however long', () => {
    for (const length of [10, 2000]) {
      const assembler = new Assembler(PATHS, new Tally());
      const failures = PATHS.map((pluginFilePath) => ({ ...begin(length, 0), pluginFilePath }));
      const groups = failures.map((failure, index) => assembler.add(failure, index + 1));
      expect(groups[0]?.group?.failures).toEqual(failures);
    }
  });

  test('gives each whole group once, with the record that ends it', () => {
    const assembler = new Assembler(PATHS, new Tally());
    expect(assembler.isIdle).toBe(true);
    const groups = A.map((line, index) => {
      const record = parseRecord(line);
      return record && assembler.add(record, index + 1)?.group;
    });
    const [group] = groups;
    expect(groups.every((one) => one === group)).toBe(true);
    expect(group).toMatchObject({ line: 1, state: 'whole', deprecation: parseRecord(A[7] ?? '') });
    expect(assembler.takeWhole()).toEqual([group]);
    expect(assembler.takeWhole()).toEqual([]);
  });

  test.each([
    ['first records alone', (index: number) => A[0]?.replace('/a)', `/${String(index % 50)})`)],
    ['ends alone', () => A[7]],
    ['times that jump to and fro', (index: number) => recordsOf(SECOND + (index % 2) * 1000 - index, '/a')[index % 8]],
    ['failures without ends', (index: number) => A[index % 7]],
  ])('goes on in bounded memory and time: %s', (_what, line) => {
    const assembler = new Assembler(PATHS, new Tally());
    const groups = new Set<Group>();
    // More than twice as many as a group may wait for.
    for (let index = 0; index < 10_000; index += 1) {
      const record = parseRecord(line(index) ?? '');
      if (record === undefined) throw new Error('not a record');
      const group = assembler.add(record, index + 1)?.group;
      if (group !== undefined) groups.add(group);
    }
    expect(Array.from(groups).filter(({ state }) => state === 'open').length).toBeLessThanOrEqual(4097);
    assembler.end();
    expect(assembler.isIdle).toBe(true);
  });
});

test('fragments of long targets are remembered up to 16 MiB: what comes to one that was forgotten counts as another', () => {
  const LONG = 'x'.repeat(1 << 20);
  const second = (n: number): string[] => from(recordsOf(SECOND, `/${String(n)}${LONG}`), 1, 2);
  const third = (n: number): string[] => from(recordsOf(SECOND, `/${String(n)}${LONG}`), 2, 3);
  const numbers = Array.from({ length: 20 }, (_, n) => n);
  expect(assemble([...numbers.flatMap(second), ...third(19)]).count).toBe(20);
  expect(assemble([...numbers.flatMap(second), ...third(0)]).count).toBe(21);
});
