import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareLogs } from '../../src/compare/compare-logs.js';
import type { ComparedSource } from '../../src/compare/options.js';
import type { ComparisonFinding, ComparisonSummary, FormMismatch } from '../../src/compare/findings.js';
import type { ReadAt } from '../../src/compare/spilled-texts.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { briefly, compare, compareSources, countsOf, logOf, sourceOf } from '../support/compared.js';

const range = (length: number, from = 0): number[] => Array.from({ length }, (_, index) => from + index);
/** A log of one record for each character. */
const logOfLetters = (letters: string): string => logOf(Array.from(letters));

/** Different short records, of which none resembles another. */
const recordsOf = (numbers: readonly number[]): string[] => numbers.map((number) => number.toString(36).padStart(4, '0'));
const lines = (findings: readonly string[]): string => findings.join(' ').replaceAll('came.log:', '').replaceAll('sent.log:', '');

/** Puts values into an order that a seed decides. */
function shuffled<T>(values: readonly T[], seed: number): T[] {
  let state = seed;
  const keyed = values.map((value) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return { value, key: state >>> 8 };
  });
  return keyed.sort((one, other) => one.key - other.key).map(({ value }) => value);
}

/** The length of a longest increasing subsequence. */
function longestIncreasing(numbers: readonly number[]): number {
  const lasts: number[] = [];
  for (const number of numbers) {
    const at = lasts.findIndex((last) => last >= number);
    if (at === -1) lasts.push(number);
    else lasts[at] = number;
  }
  return lasts.length;
}

describe('records are matched', () => {
  test.each<[string, string, string]>([
    ['abcdefgh', 'abcdefgh', ''],
    ['abcdefgh', '', '1-8 missing'],
    ['', 'abc', '1-3 foreign'],
    ['', '', ''],
    ['abcdefgh', 'abdefgh', '3 missing'],
    ['abcdefgh', 'bcdefg', '1 missing 8 missing'],
    ['abcdefgh', 'abcXdefgh', '4 foreign'],
    ['abcdefgh', 'XabcdefghY', '1 foreign 10 foreign'],
    ['abcdefgh', 'abcXefgh', '4 missing 4 foreign'],
    ['abcdefgh', 'aabcdefgh', '2 duplicated'],
    ['abcdefgh', 'abcdefgha', '9 duplicated'],
    ['abcdefgh', 'abcdabcdefgh', '5-8 duplicated'],
    ['abcdefgh', 'abcddcefgh', '5-6 duplicated'],
    ['abcdefgh', 'abcdefgfh', '8 duplicated'],
    ['abcdefgh', 'acbdefgh', '3 reordered'],
    ['abcdefgh', 'bcdefgha', '8 reordered'],
    ['abcdefgh', 'habcdefg', '1 reordered'],
    ['abcdefgh', 'efghabcd', '5-8 reordered'],
    ['abcdefgh', 'efgXabc', '4 missing 8 missing 4 foreign 5-7 reordered'],
    ['xabcxd', 'acxd', '1 missing 3 missing'],
    ['xabcxdef', 'acdefx', '3 missing 5 missing 6 reordered'],
    ['abcdefgh', 'abYdcefZh', '3 foreign 5 reordered 7 missing 8 foreign'],
    ['aaaa', 'aa', '3-4 missing'],
    ['aa', 'aaaa', '3-4 duplicated'],
    ['abab', 'baba', '4 reordered'],
    ['aabb', 'bbaa', '3-4 reordered'],
    ['abcabc', 'abc', '4-6 missing'],
    ['abc', 'abcabc', '4-6 duplicated'],
  ])('%s as %s: %s', async (sent, came, findings) => {
    expect(lines(briefly(await compare(logOfLetters(sent), logOfLetters(came))))).toBe(findings);
  });
});

describe('the fewest records are out of order, and all are counted, where no records are equal', () => {
  test.each<[string, readonly number[], readonly number[]]>([
    ['a long stretch comes late', range(2800), [...range(400), ...range(1200, 1600), ...range(1200, 400)]],
    ['two long stretches change places', range(3300), [...range(1100, 2200), ...range(1100, 1100), ...range(1100)]],
    ['all are shuffled', range(1100), shuffled(range(1100), 1)],
    ['each hundred is shuffled', range(500), range(5).flatMap((block) => shuffled(range(100, 100 * block), block))],
    ['all come backwards', range(1100), range(1100).reverse()],
    [
      'each second one comes at the end',
      range(2200),
      [...range(1100).map((half) => 2 * half), ...range(1100).map((half) => 2 * half + 1)],
    ],
    ['none comes, and others do', range(1500), range(1600, 5000)],
    ['a stretch is left out', range(3000), [...range(700), ...range(1100, 1900)]],
    ['others come in the middle', range(2000), [...range(900), ...range(1200, 5000), ...range(1100, 900)]],
  ])('%s', async (_what, sent, came) => {
    const known = new Set(sent);
    const delivered = came.filter((number) => known.has(number));
    const expected = {
      missing: sent.length - delivered.length,
      reordered: delivered.length - longestIncreasing(delivered),
      foreign: came.length - delivered.length,
    };
    const counts = countsOf(await compare(logOf(recordsOf(sent)), logOf(recordsOf(came))));
    expect({ missing: 0, reordered: 0, foreign: 0, ...counts }).toEqual(expected);
  });

  test('whatever comes', async () => {
    const came = fc.uniqueArray(fc.nat(99), { maxLength: 90 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(99), { maxLength: 90 }),
        came,
        fc.array(fc.nat(500)),
        fc.boolean(),
        async (...given) => {
          const [sent, some, cuts, isPipe] = given;
          const place = new Map(sent.map((number, index) => [number, index]));
          const delivered = some.flatMap((number) => place.get(number) ?? []);
          const counts = countsOf(await compare(logOf(recordsOf(sent)), logOf(recordsOf(some)), { cuts, isPipe }));
          expect({ missing: 0, reordered: 0, foreign: 0, ...counts }).toEqual({
            missing: sent.length - delivered.length,
            reordered: delivered.length - longestIncreasing(delivered),
            foreign: some.length - delivered.length,
          });
        },
      ),
    );
  });
});

describe('a stretch that is repeated', () => {
  const sent = recordsOf(range(3000));

  test.each<[string, readonly number[], number]>([
    ['behind itself', [...range(2000), ...range(500, 1500), ...range(1000, 2000)], 2001],
    ['further on', [...range(2500), ...range(500, 100), ...range(500, 2500)], 2501],
    ['at the end', [...range(3000), ...range(500, 100)], 3001],
    ['at the beginning', [...range(500, 1500), ...range(3000)], 1],
  ])('%s is duplicated, and nothing else is found', async (_what, came, first) => {
    const { findings } = await compare(logOf(sent), logOf(recordsOf(came)));
    expect(briefly({ findings })).toEqual([`came.log:${String(first)}-${String(first + 499)} duplicated`]);
    expect(findings[0]?.records).toBe(500);
  });
});

describe('a stretch that one side passes far before the other', () => {
  const first = recordsOf(range(1100));
  const second = recordsOf(range(1100, 1100));
  const replaced = (records: readonly string[], changes: Readonly<Record<number, string>>): string[] =>
    records.map((record, index) => changes[index] ?? record);

  test('is delivered, bytes replaced that are not UTF-8, but for records that cannot be those sent', async () => {
    const sent = [...replaced(first, { 700: 'a\xff', 800: 'b\xff' }), ...replaced(second, { 700: 'c\xff', 800: 'd\xff' })];
    const came = [...replaced(second, { 700: 'c??', 800: 'd?' }), ...replaced(first, { 700: 'a??', 800: 'b?' })];
    const compared = await compare(logOf(sent), logOf(came), { lossy: true });
    expect(countsOf(compared)).toEqual({ missing: 2, foreign: 2, reordered: 1099 });
    expect(compared.summary.lossy).toBe(2);
    expect(compared.findings.slice(0, 2).map(({ line }) => line)).toEqual([701, 1801]);
  });

  test('moves, and little else, though every eighth of all records is equal', async () => {
    const withEquals = (records: readonly string[]): string[] =>
      records.map((record, index) => (index % 8 === 0 ? 'equal' : record));
    const [one = [], other = [], third = []] = [first, second, recordsOf(range(500, 5000))].map(withEquals);
    const counts = countsOf(await compare(logOf([...one, ...other, ...third]), logOf([...other, ...one, ...third])));
    expect(Object.keys(counts)).toEqual(['reordered']);
    expect(counts['reordered']).toBeGreaterThanOrEqual(1100);
    expect(counts['reordered']).toBeLessThanOrEqual(1.1 * 1100);
  });
});

describe('findings', () => {
  const record = (number: number): string => `record ${String(number)} of many, which are long enough to be recognized`;
  const sent = logOf(range(12).map(record));
  const changed = record(4).replace('long', 'LONG');
  const came = logOf([...[0, 1, 3].map(record), changed, ...[5, 6, 6, 7, 9, 10, 8].map(record), '-', record(11)]);
  const FOUND = ['missing', 'altered', 'duplicated', 'reordered', 'foreign'] as const;
  const all: readonly ComparisonFinding[] = [
    { kind: 'missing', source: 'sent.log', line: 3, lastLine: 3, records: 1, text: record(2) },
    {
      kind: 'altered',
      source: 'came.log',
      line: 4,
      lastLine: 4,
      records: 1,
      text: changed,
      expectedLine: 5,
      expectedText: record(4),
      how: '"long" has become "LONG" after 28 bytes',
    },
    { kind: 'duplicated', source: 'came.log', line: 7, lastLine: 7, records: 1, text: record(6) },
    { kind: 'reordered', source: 'came.log', line: 11, lastLine: 11, records: 1, text: record(8) },
    { kind: 'foreign', source: 'came.log', line: 12, lastLine: 12, records: 1, text: '-' },
  ];

  test.each([false, true])('of each kind say where they are and what stands there (from a pipe: %s)', async (isPipe) => {
    expect((await compare(sent, came, { isPipe })).findings).toStrictEqual(all);
  });

  test.each(FOUND)('of an allowed kind are counted, and not given: %s', async (kind) => {
    const compared = await compare(sent, came, { allow: new Set([kind]) });
    expect(compared.findings).toStrictEqual(all.filter((finding) => finding.kind !== kind));
    expect(countsOf(compared)).toEqual({ missing: 1, altered: 1, duplicated: 1, reordered: 1, foreign: 1 });
    expect(compared.summary.counts.allowed).toEqual(new Map([[kind, 1]]));
  });

  test.each([0, 1, 2, 3, 4, 5])('are counted beyond the most that are given: %d', async (max) => {
    const compared = await compare(sent, came, { max });
    expect(compared.findings).toStrictEqual(all.slice(0, max));
    expect(countsOf(compared)).toEqual({ missing: 1, altered: 1, duplicated: 1, reordered: 1, foreign: 1 });
    expect(compared.summary).toMatchObject({ recordsSent: 12, recordsDelivered: 10 });
  });

  test('of records in a row of one kind are one, and come gap by gap', async () => {
    const many = recordsOf(range(1000));
    const came = [...many.slice(0, 10), '-', ...many.slice(610, 700), '+', '+', ...many.slice(700, 990)];
    const compared = await compare(logOf(many), logOf(came));
    expect(briefly(compared)).toEqual([
      'sent.log:11-610 missing',
      'came.log:11 foreign',
      'came.log:102-103 foreign',
      'sent.log:991-1000 missing',
    ]);
    expect(compared.findings.map(({ records, text }) => [records, text])).toEqual([
      [600, many[10]],
      [1, '-'],
      [2, '+'],
      [10, many[990]],
    ]);
    expect(countsOf(compared)).toEqual({ missing: 610, foreign: 3 });
    expect(compared.summary.findings).toBe(4);
  });

  test('of many come in batches', async () => {
    const many = recordsOf(range(2000));
    const batches: number[] = [];
    const came = sourceOf('came.log', logOf(many.filter((_, index) => index % 4 !== 0)));
    for await (const batch of compareLogs(sourceOf('sent.log', logOf(many)), [came])) batches.push(batch.length);
    expect(batches.reduce((sum, length) => sum + length, 0)).toBe(500);
    expect(Math.max(...batches)).toBeLessThanOrEqual(300);
  });

  test.each([0, 100])('of records in a row that are out of order are one, with %i missing besides', async (missing) => {
    const some = recordsOf(range(missing + 100));
    const [moved, passed, rest] = [some.slice(missing, missing + 20), some.slice(missing + 20, missing + 50), some.slice(-50)];
    const compared = await compare(logOf(some), logOf([...passed, ...moved, ...rest]), { allow: new Set(['missing']) });
    expect(briefly(compared)).toEqual(['came.log:31-50 reordered']);
    expect(compared.findings[0]).toMatchObject({ records: 20, text: moved[0] });
  });
});

describe('inputs', () => {
  const SENT = Array.from('abcdefgh', (letter) => letter.repeat(3));

  test('chunks that are overwritten when the next one is asked for', async () => {
    const overwriting = (source: string, bytes: string): ComparedSource => ({
      source,
      chunks: (function* () {
        const chunk = Buffer.alloc(7);
        for (let at = 0; at < bytes.length; at += 7) {
          const length = chunk.write(bytes.slice(at, at + 7), 'latin1');
          yield chunk.subarray(0, length);
          chunk.fill('!');
        }
      })(),
    });
    const sent = logOf(recordsOf(range(300)));
    const came = logOf(recordsOf([...range(100), ...range(3, 1000), ...range(50, 105), ...range(145, 155), ...range(5)]));
    const expected = await compare(sent, came, { isPipe: true });
    expect(countsOf(expected)).toEqual({ missing: 5, duplicated: 5, foreign: 3 });
    const compared = await compareSources(overwriting('sent.log', sent), [overwriting('came.log', came)]);
    expect(compared.findings).toEqual(expected.findings);
  });

  test.each<[string, readonly boolean[]]>([
    ['files', [false, false, false]],
    ['pipes', [true, true, true]],
    ['files and a pipe', [false, true, false]],
    ['pipes and a file', [true, false, true]],
  ])('several %s are one, and findings are at lines of each', async (_what, arePipes) => {
    const texts = ['aaa\nfirst\nbbb\nccc\n', 'second\nddd\nsecond, too\neee\n', 'fff\nggg\nhhh\nthird\nlast without LF'];
    const received = texts.map((text, index) => sourceOf(`${String(index + 1)}.log`, text, [2, 9], arePipes[index]));
    const { findings } = await compareSources(sourceOf('sent.log', logOf(SENT)), received);
    expect(findings.map(({ source, line, kind, text }) => `${source}:${String(line)} ${kind} ${text}`)).toEqual([
      '1.log:2 foreign first',
      '2.log:1 foreign second',
      '2.log:3 foreign second, too',
      '3.log:4 foreign third',
    ]);
  });

  test('the texts of records that wait are read again where that can be done, not kept', async () => {
    const came = sourceOf('came.log', logOf(['aaa', 'second', ...SENT.slice(1)]), [4]);
    const asked: number[] = [];
    const readAt: ReadAt = (buffer, position) => {
      asked.push(position);
      return came.readAt?.(buffer, position) ?? 0;
    };
    const { findings } = await compareSources(sourceOf('sent.log', logOf(SENT)), [{ ...came, readAt }]);
    expect(findings.map(({ text }) => text)).toEqual(['second']);
    // The beginning is looked at for an envelope.
    expect(asked).toContain(4);
  });

  test('NDJSON of several inputs', async () => {
    const json = (texts: readonly string[]): string => logOf(texts.map((m) => JSON.stringify({ m })));
    const texts = [json(['aaa', 'x', 'bbb']), `${json(['ccc'])}\n{"m":1,\n${json(['ddd', 'y'])}`, json([...SENT.slice(4), 'z'])];
    const received = texts.map((text, index) => sourceOf(`${String(index + 1)}.log`, text, [2, 9]));
    const compared = await compareSources(sourceOf('sent.log', logOf(SENT)), received, { field: 'm' });
    expect(briefly(compared)).toEqual([
      '1.log:2 foreign',
      '2.log:3 foreign: a torn line of JSON',
      '2.log:5 foreign',
      '3.log:5 foreign',
    ]);
    expect(countsOf(compared)).toEqual({ foreign: 4 });
  });

  test('are closed when whoever takes the findings has enough', async () => {
    const closed: string[] = [];
    const open = async function* (name: string, lines: readonly string[]): AsyncGenerator<Uint8Array> {
      try {
        for (const line of lines) yield await Promise.resolve(Buffer.from(`${line}\n`));
      } finally {
        closed.push(name);
      }
    };
    const endless = Array.from({ length: 5000 }, (_, index) => `line ${String(index)}`);
    const all = compareLogs({ source: 'sent', chunks: open('sent', endless) }, [{ source: 'came', chunks: open('came', ['x']) }]);
    for await (const _batch of all) break;
    expect(closed.sort()).toEqual(['came', 'sent']);
    const failing: ComparedSource = { source: 'came', chunks: failingChunks() };
    closed.length = 0;
    await expect(compareSources({ source: 'sent', chunks: open('sent', endless) }, [failing])).rejects.toThrow('unreadable');
    expect(closed).toEqual(['sent']);
  });
});

function* failingChunks(): Generator<Uint8Array> {
  yield Buffer.from('line 0\n');
  throw new Error('unreadable');
}

describe('records that are more than lines', () => {
  test.each<[what: string, sent: string, came: string, findings: string]>([
    ['a field with an LF in it is one record', 'a\nb\nc\n', '{"m":"a\\nb"}\n{"m":"c"}\n', '1-2 missing 1 foreign'],
    ['of two LFs at its end, one is that of the line', '7\n\n', '{"m":7}\n{"m":"\\n\\n"}\n', '2 missing 2 foreign'],
    [
      'a torn line is no record, not even an empty one',
      'a\n\nb\n',
      '{"m":"a"}\n{"m\n{"m":"b"}\n',
      `2 missing 2 foreign: a torn line of JSON`,
    ],
  ])('%s', async (_what, sent, came, findings) => {
    expect(lines(briefly(await compare(sent, came, { field: 'm' })))).toBe(findings);
  });
});

describe('what is compared', () => {
  const SITE = createDeployment();
  const GROUPS = range(3).map((index) =>
    formatGroup({ millisecond: Date.UTC(2025, 4, 18, 12, 0, index), method: 'GET', target: `/mail/?r=${String(index)}` }, SITE)
      .split('\n')
      .slice(0, -1),
  );
  const LOG = GROUPS.flat();

  test('parsed fields: an altered one says which, a missing one is a whole line', async () => {
    const fields = { request_target: 'url', line_number: 'n' };
    const objects = LOG.map((line) => ({ url: /\(GET (.*)\)$/.exec(line)?.[1] ?? '', n: /on line (\d+)/.exec(line)?.[1] }));
    const came = objects.map((object, index) => (index === 9 ? { ...object, n: 7 } : object)).filter((_, index) => index !== 1);
    const { findings } = await compare(logOf(LOG), logOf(came.map((object) => JSON.stringify(object))), { fields });
    expect(findings).toMatchObject([
      { kind: 'missing', source: 'sent.log', line: 7, text: LOG[6] },
      {
        kind: 'altered',
        source: 'came.log',
        line: 9,
        text: JSON.stringify(came[8]),
        expectedLine: 10,
        expectedText: LOG[9],
        how: 'line_number "193" has become "7"',
      },
    ]);
  });

  test('a record whose bytes were replaced is delivered where all that follows differs', async () => {
    const sent = logOf(['b\xff', ...recordsOf(range(1100))]);
    const compared = await compare(sent, logOf(['b?', ...recordsOf(range(1100, 1100))]), { lossy: true });
    expect([countsOf(compared), compared.summary.lossy]).toEqual([{ missing: 1100, foreign: 1100 }, 1]);
  });

  test('parsed fields: bytes that are not UTF-8 are compared in the fields', async () => {
    const fields = { request_target: 'url' };
    const targets = ['/mail/?q=caf\xe9', '/mail/?a', '/mail/?b', '/mail/?c'];
    const sent = logOf(targets.map((target) => (GROUPS[0]?.[0] ?? '').replace('/mail/?r=0', target)));
    const came = logOf([...targets.slice(1), '/mail/?q=caf?'].map((url) => JSON.stringify({ url })));
    const compared = await compare(sent, came, { fields, lossy: true });
    expect([countsOf(compared), compared.summary.lossy]).toEqual([{ reordered: 1 }, 1]);
  });

  test.each<[string, string, string, unknown]>([
    ['objects are compared as lines, and none is a line that was sent', 'a\n', '{"m":"a"}\n', { cause: 'is-json' }],
    ['one of them was sent', 'a\n{"m":"b"}\n', '{"m":"a"}\n{"m":"b"}\n', undefined],
    ['nothing was sent', '', '{"m":"a"}\n', undefined],
    ['lines are compared', 'a\n', 'b\n', undefined],
  ])('the summary says if the wrong part is compared: %s', async (_what, sent, came, mismatch) => {
    const { summary } = await compare(sent, came);
    expect('mismatch' in summary ? summary.mismatch : 'none').toEqual(mismatch ?? 'none');
  });

  test('the likely reason comes before the findings', async () => {
    const told: string[] = [];
    const options = {
      onMismatch: ({ cause }: FormMismatch) => void told.push(cause),
      onEnd: ({ mismatch }: ComparisonSummary) => void told.push(`at the end ${String(mismatch?.cause)}`),
    };
    for await (const findings of compareLogs(sourceOf('sent.log', 'a\n'), [sourceOf('came.log', '{}\n')], options))
      told.push(...findings.map(({ kind }) => kind));
    expect(told).toEqual(['is-json', 'missing', 'foreign', 'at the end is-json']);
  });

  test.each<[string, readonly string[], readonly string[], string]>([
    ['in place', ['a', 'b\xff', 'c'], ['a', 'b?', 'c'], '1 of 3; '],
    ['unchanged', ['a', 'b\xff', 'c'], ['a', 'b\xff', 'c'], '0 of 3; '],
    ['late', ['a', 'b\xff', 'c', 'd', 'e'], ['a', 'c', 'd', 'e', 'b?'], '1 of 5; 5 reordered'],
    ['early', ['a', 'b', 'c', 'd', 'e\xff'], ['a', 'e?', 'b', 'c', 'd'], '1 of 5; 2 reordered'],
    ['a sign too many', ['a', 'b\xff', 'c'], ['a', 'b??', 'c'], '0 of 2; 2 missing 2 foreign'],
    ['late, a sign too many', ['b\xff', 'c', 'd', 'e', 'f'], ['c', 'd', 'e', 'f', 'b??'], '0 of 4; 1 missing 5 foreign'],
    ['early, a sign too many', ['c', 'd', 'e', 'f', 'b\xff'], ['b??', 'c', 'd', 'e', 'f'], '0 of 4; 1 foreign 5 missing'],
    [
      'of two the one that it can be',
      ['b\xff', 'b\xff\xff', 'c', 'd', 'e'],
      ['c', 'd', 'e', 'b??'],
      '1 of 4; 1 missing 4 reordered',
    ],
    ['of two the last, a sign too many', ['b\xff', 'b\xff\xff', 'c', 'd'], ['c', 'd', 'b???'], '0 of 2; 1-2 missing 3 foreign'],
    ['of two that came early', ['c', 'd', 'e', 'b\xff\xff'], ['b???', 'b??', 'c', 'd', 'e'], '1 of 4; 1 duplicated 2 reordered'],
    ['beside its sign', ['b\xff', 'b?', 'c', 'd', 'e', 'f'], ['c', 'd', 'e', 'f', 'b?', 'b\xff'], '0 of 6; 5-6 reordered'],
    ['a text that was UTF-8', ['a', 'b?', 'c'], ['a', 'b\xff', 'c'], '0 of 2; 2 missing 2 foreign'],
  ])('bytes that are not UTF-8, %s', async (_what, sent, came, expected) => {
    const compared = await compare(logOf(sent), logOf(came), { lossy: true });
    const { lossy, recordsDelivered } = compared.summary;
    expect(`${String(lossy)} of ${String(recordsDelivered)}; ${lines(briefly(compared))}`).toBe(expected);
    expect((await compare(logOf(sent), logOf(came))).summary.lossy).toBe(0);
  });
});
