import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { compare, countsOf } from '../support/compared.js';

const SITE = createDeployment();

/** Operations are so far apart that each one can be told from the next. */
const DISTANCE = 4;

/** The lines of a log: a group a second with a mark of its own, or several groups a second for few targets. */
function linesOf(groups: number, groupsPerSecond: number, targets: number): string[] {
  return Array.from({ length: groups }, (_, index) => {
    const millisecond = Date.UTC(2025, 4, 18) + Math.floor(index / groupsPerSecond) * 1000;
    return formatGroup({ millisecond, method: 'GET', target: `/mail/?r=${String(index % targets)}` }, SITE).split(/(?<=\n)/);
  }).flat();
}

const OPERATIONS = ['drop', 'double', 'cut', 'alter', 'insert', 'move'] as const;

interface Change {
  readonly operation: (typeof OPERATIONS)[number];
  /** Places as shares of the log. */
  readonly at: number;
  readonly to: number;
}

const share = fc.double({ min: 0, max: 1, noNaN: true });
const changes = (operations: readonly (typeof OPERATIONS)[number][]): fc.Arbitrary<Change[]> =>
  fc.array(fc.record({ operation: fc.constantFrom(...operations), at: share, to: share }), { maxLength: 40 });

/** What becomes of a log, and which findings that is. */
interface Changed {
  readonly came: string[];
  readonly counts: Record<string, number>;
  /** The number of expected lines that do not come unchanged. */
  readonly lost: number;
}

/** Makes those of the changes that are far enough apart. */
function change(sent: readonly string[], list: readonly Change[]): Changed {
  const taken = new Set<number>();
  const isFree = (place: number): boolean => !Array.from(taken).some((other) => Math.abs(other - place) < DISTANCE);
  const behind = new Map<number, string[]>();
  const instead = new Map<number, string[]>();
  const counts: Record<string, number> = {};
  let lost = 0;
  const count = (kind: string): void => void (counts[kind] = (counts[kind] ?? 0) + 1);
  for (const { operation, at, to } of list) {
    const place = Math.floor(at * (sent.length - 1));
    const line = sent[place] ?? '';
    if (!isFree(place)) continue;
    if (operation === 'move') {
      const target = Math.floor(to * (sent.length - 1));
      if (Math.abs(target - place) < DISTANCE || !isFree(target)) continue;
      taken.add(target);
      behind.set(target, [line]);
      instead.set(place, []);
      count('reordered');
    } else if (operation === 'double') {
      behind.set(place, [line]);
      count('duplicated');
    } else if (operation === 'insert') {
      behind.set(place, [`something else ${String(place)}\n`]);
      count('foreign');
    } else {
      lost += 1;
      count(operation === 'drop' ? 'missing' : 'altered');
      const altered = line.replace(/on line \d+/, 'on line 7');
      const cut = `${line.slice(0, 8 + Math.floor(to * (line.length - 10)))}\n`;
      instead.set(place, operation === 'drop' ? [] : [operation === 'cut' ? cut : altered]);
    }
    taken.add(place);
  }
  const came = sent.flatMap((line, place) => [...(instead.get(place) ?? [line]), ...(behind.get(place) ?? [])]);
  return { came, counts, lost };
}

describe('what is found is what was done', () => {
  test('in a log without equal records: kind by kind', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        changes(OPERATIONS),
        fc.array(fc.nat(60_000), { maxLength: 8 }),
        fc.boolean(),
        async (groups, list, cuts, isPipe) => {
          const sent = linesOf(groups, 1, groups);
          const { came, counts, lost } = change(sent, list);
          const compared = await compare(sent.join(''), came.join(''), { cuts, isPipe });
          expect(countsOf(compared)).toEqual(counts);
          expect(compared.summary).toMatchObject({
            recordsSent: sent.length,
            recordsDelivered: sent.length - lost,
          });
        },
      ),
      { numRuns: 12 },
    );
  });

  test.each([
    { operations: ['drop'] as const, kind: 'missing' },
    { operations: ['double'] as const, kind: 'duplicated' },
    { operations: ['insert'] as const, kind: 'foreign' },
    { operations: ['drop', 'insert'] as const, kind: 'missing' },
  ])('in a log with equal records nothing is moved by $operations', async ({ operations }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 3 }),
        changes(operations),
        async (groups, groupsPerSecond, targets, list) => {
          const sent = linesOf(groups, groupsPerSecond, targets);
          const { came, counts } = change(sent, list);
          expect(countsOf(await compare(sent.join(''), came.join('')))).toEqual(counts);
        },
      ),
      { numRuns: 10 },
    );
  });
});
