import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Assembler } from '../../src/log/assemble.js';
import type { Group } from '../../src/log/open-group.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { parseRecord } from '../../src/log/line.js';
import { Tally } from '../../src/log/tally.js';
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

/** The requests that come out (second after SECOND, target, line), and the lines of incomplete groups. */
function assemble(lines: readonly string[]): { whole: [number, string, number][]; incomplete: readonly number[]; count: number } {
  const incomplete = new Tally();
  const assembler = new Assembler(PATHS, incomplete);
  for (const [index, line] of lines.entries()) {
    const record = parseRecord(line);
    if (record !== undefined) assembler.add(record, index + 1);
  }
  assembler.end();
  expect(assembler.isIdle).toBe(true);
  const whole = assembler.takeWhole().map(({ failures, line }): [number, string, number] => {
    expect(failures.map(({ pluginFilePath }) => pluginFilePath)).toEqual(PATHS);
    return [(failures[0]?.second ?? 0) - SECOND, failures[0]?.requestTarget ?? '', line];
  });
  return { whole, incomplete: incomplete.lines, count: incomplete.count };
}

const A = recordsOf(SECOND, '/a');
const B = recordsOf(SECOND, '/b');
const LATER = recordsOf(SECOND + 10, '/later');
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
    ['failures alone', from(A, 0, 7), [], [1]],
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
