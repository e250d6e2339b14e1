import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { followLogs, type FollowProgress, type GrowingInput } from '../../src/compare/follow-logs.js';
import type { ComparisonFinding, ComparisonSummary } from '../../src/compare/findings.js';
import type { CompareOptions } from '../../src/compare/options.js';
import { followPath, type Growth } from '../../src/input/follower.js';
import { WholeLines } from '../../src/input/whole-lines.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { briefly, compare, countsOf } from '../support/compared.js';
import { makeFolder } from '../support/run.js';
import { simulateWriters, writerSteps } from '../support/simulate-writers.js';

/** The bytes that come to an input, and when (in virtual milliseconds). */
type Arrivals = readonly (readonly [atMs: number, text: string, isOld?: boolean])[];

const STEP_MS = 20;

interface FollowMore extends CompareOptions {
  /** Looks at how far the comparison is, at a time. */
  readonly measureMs?: number;
  /** Ends the following at a time, as a signal does. */
  readonly abortMs?: number;
}

interface FollowResult {
  readonly summary: ComparisonSummary;
  readonly hasGrown: boolean;
  readonly findings: readonly ComparisonFinding[];
  readonly endedMs: number;
  readonly progress: FollowProgress | undefined;
  /** The delays for which it slept, in order. */
  readonly sleepsMs: readonly number[];
}

/** Follows inputs that grow in virtual time. */
async function follow(
  expected: Arrivals,
  received: readonly Arrivals[],
  waitMs: number,
  { measureMs, abortMs, ...options }: FollowMore = {},
): Promise<FollowResult> {
  let nowMs = 0;
  const sleepsMs: number[] = [];
  const inputOf = (source: string, growth: Arrivals): GrowingInput => {
    const left = [...growth];
    const lines = new WholeLines();
    const file = {};
    const look = (): Growth | undefined => {
      for (let [next] = left; next !== undefined && next[0] <= nowMs; [next] = left) {
        left.shift();
        const bytes = lines.take(Buffer.from(next[1], 'latin1'));
        if (bytes !== undefined) return { bytes, file, isOld: next[2] === true };
      }
      return undefined;
    };
    return { source, look, rest: () => (lines.rest === undefined ? [] : [{ bytes: lines.rest, file, isOld: false }]) };
  };
  const abort = new AbortController();
  let measured: FollowProgress | undefined;
  const clock = {
    now: () => nowMs,
    sleep: (delayMs: number) => {
      sleepsMs.push(delayMs);
      if (nowMs === measureMs) measured = progress();
      nowMs += delayMs;
      if (nowMs === abortMs) abort.abort();
      return Promise.resolve();
    },
  };
  const inputs = received.map((growth, index) => inputOf(`came-${String(index + 1)}.log`, growth));
  const findings: ComparisonFinding[] = [];
  const ends: ComparisonSummary[] = [];
  const following = {
    clock,
    waitMs,
    resolutionMs: STEP_MS,
    signal: abort.signal,
    onEnd: (end: ComparisonSummary) => ends.push(end),
  };
  const {
    findings: batches,
    progress,
    hasGrown,
  } = followLogs(inputOf('sent.log', expected), inputs, { ...options, ...following });
  for await (const batch of batches) findings.push(...batch);
  const [summary] = ends;
  if (summary === undefined) throw new Error('the comparison has not ended');
  return { summary, hasGrown: hasGrown(), findings, endedMs: nowMs, progress: measured, sleepsMs };
}

/** The bytes that come at each time. */
function at(texts: Readonly<Record<number, string>>): Arrivals {
  return Object.entries(texts).map(([atMs, text]) => [Number(atMs), text]);
}

/** A line a time: `1 2 3` every so many milliseconds from a time on. */
function writer(lines: number, fromMs: number, everyMs: number): Arrivals {
  return Array.from({ length: lines }, (_, line): readonly [number, string] => [
    fromMs + line * everyMs,
    `line ${String(line)}\n`,
  ]);
}

/** Lines that come in pieces of so many, in turn, a piece in each step. */
function grown(lines: readonly string[], sizes: readonly number[], fromMs: number): Arrivals {
  const growth: (readonly [number, string])[] = [];
  for (let from = 0, piece = 0; from < lines.length; piece += 1) {
    const until = from + (sizes[piece % sizes.length] ?? 1);
    growth.push([
      fromMs + piece * STEP_MS,
      lines
        .slice(from, until)
        .map((line) => `${line}\n`)
        .join(''),
    ]);
    from = until;
  }
  return growth;
}

const AB = at({ 0: 'a\nb\n' });

describe('following ends when nothing new has come for the duration', () => {
  test.each<[what: string, sent: Arrivals, came: Arrivals, waitMs: number, endedMs: number, hasGrown: boolean, found: string[]]>([
    ['nothing comes at all', [], [], 2000, 2000, false, []],
    ['all is there at the start', AB, AB, 3000, 3000, false, []],
    ['a record never comes', AB, at({ 100: 'b\n' }), 3000, 3100, true, ['sent.log:1 missing']],
    [
      'the files are of yesterday, and the writer begins within the duration',
      [[0, 'a\n'], ...writer(3, 2900, 100)],
      [[0, 'a\n'], ...writer(2, 2940, 100)],
      3000,
      6100,
      true,
      ['sent.log:4 missing'],
    ],
    ['a record every two seconds', writer(20, 0, 2000), writer(20, 40, 2000), 3000, 41_040, true, []],
    ['the last record comes late', AB, at({ 0: 'a\n', 5000: 'b\n' }), 5020, 10_020, true, []],
    ['a record comes after that', AB, at({ 0: 'a\n', 5000: 'b\n' }), 4980, 4980, false, ['sent.log:2 missing']],
    ['a record is seen before it is seen as sent', at({ 40: 'a\n' }), at({ 0: 'a\n' }), 1000, 1040, true, []],
    ['a record waits for its LF', AB, at({ 0: 'a\nb', 900: '\n' }), 1000, 1900, true, []],
    [
      'at the end a line without LF counts',
      at({ 0: 'a\nb' }),
      at({ 0: 'a\nc' }),
      1000,
      1000,
      false,
      ['sent.log:2 missing', 'came-1.log:2 foreign'],
    ],
    ['equal records count', at({ 0: 'a\na\n' }), at({ 0: 'a\n', 400: 'a\na\n' }), 1000, 1400, true, ['came-1.log:3 duplicated']],
  ])('%s', async (_what, sent, came, waitMs, endedMs, hasGrown, found) => {
    const end = await follow(sent, [came], waitMs);
    expect({ endedMs: end.endedMs, hasGrown: end.hasGrown, found: briefly(end) }).toEqual({ endedMs, hasGrown, found });
  });

  test('or when a signal ends it: what came is compared', async () => {
    const end = await follow(writer(100, 0, 100), [writer(100, 20, 200)], 60_000, { abortMs: 1000 });
    expect(end.endedMs).toBe(1000);
    expect([end.summary.recordsSent, end.summary.recordsDelivered]).toEqual([10, 5]);
  });
});

describe('following', () => {
  test.each<[what: string, growths: readonly Arrivals[], found: string[]]>([
    ['in one of two inputs', [[], at({ 0: 'b\na\n' })], ['came-2.log:2 reordered']],
    ['partly in each of two inputs', [at({ 0: 'a\n' }), at({ 500: 'b\n' })], []],
    ['half a line in each of two inputs', [at({ 0: 'a\nb' }), at({ 20: 'b\n' })], ['came-1.log:2 duplicated']],
    [
      'with others, in inputs that take turns',
      [at({ 0: 'a\n', 40: 'w\nx\n' }), at({ 20: 'y\n', 60: 'b\nz\n' })],
      ['came-2.log:1 foreign', 'came-1.log:2-3 foreign', 'came-2.log:3 foreign'],
    ],
    [
      'in both before the start, the second block of the first before the other',
      [
        [
          [0, 'x\n'],
          [0, 'a\n'],
        ],
        at({ 0: 'b\n' }),
      ],
      ['came-1.log:1 foreign'],
    ],
    [
      'in a renamed file after the next one',
      [
        [
          [0, 'b\n'],
          [20, 'a\n', true],
        ],
      ],
      [],
    ],
    ['nowhere', [at({ 0: 'x\n' }), at({ 0: 'y\n' })], ['sent.log:1-2 missing', 'came-1.log:1 foreign', 'came-2.log:1 foreign']],
  ])('what was sent comes %s', async (_what, growths, found) => {
    expect(briefly(await follow(AB, growths, 1000))).toEqual(found);
  });

  test('measures how long records took that it saw appear, and no others', async () => {
    const sent = at({ 0: 'old\n', 100: 'a\n', 200: 'b\n' });
    const { latency } = (await follow(sent, [at({ 160: 'a\n', 600: 'b\nold\n' })], 1000)).summary;
    // A histogram rounds to a thousandth.
    expect([latency?.p50, latency?.p99, latency?.max].map((ms) => Math.round(ms ?? 0))).toEqual([60, 400, 400]);
    expect((await follow(at({ 0: 'a\n' }), [at({ 0: 'a\n' })], 100)).summary.latency?.max).toBeNull();
  });

  test('tells how far it is', async () => {
    const sent = at({ 0: 'a\n', 500: 'b\nc\n', 700: 'd\n' });
    const { progress } = await follow(sent, [at({ 600: 'a\nc\n' })], 3000, { measureMs: 2000 });
    expect(progress).toEqual({ sent: 4, delivered: 2, outstanding: 2, oldestMs: 1500 });
  });

  test('lets the process hear signals while much is there', async () => {
    const growth = Array.from({ length: 39 }, (): readonly [number, string] => [0, 'a\n']);
    const { sleepsMs } = await follow(growth, [growth.slice(0, 8)], 60);
    expect(sleepsMs).toEqual([0, 0, 20, 20, 20]);
  });

  const SITE = createDeployment();
  const FIELDS = { line_number: 'n', instant: 't' };

  test.each<[t: string, n: number, found: string[]]>([
    ['2025-10-26T00:30:00Z', 119, []],
    ['2025-10-26T01:30:00Z', 119, []],
    ['2025-10-26T02:30:00Z', 119, ['came-1.log:1 altered: instant "2025-10-26T00:30:00Z" has become "2025-10-26T02:30:00Z"']],
    ['2025-10-26T00:30:00Z', 118, ['came-1.log:1 altered: line_number "119" has become "118"']],
    ['2025-10-26T01:30:00Z', 118, ['came-1.log:1 altered: line_number "119" has become "118"']],
  ])('a deprecation record of the repeated hour can mean both: %s, line %i', async (t, n, found) => {
    const millisecond = Date.UTC(2025, 9, 26, 1, 30);
    const sent = formatGroup({ millisecond, method: 'GET', target: '/mail/' }, SITE).split('\n').at(-2) ?? '';
    const came = `${JSON.stringify({ t, n })}\n`;
    const end = await follow([[0, `${sent}\n`]], [[[0, came]]], 100, { fields: FIELDS });
    expect(briefly(end)).toEqual(found);
    // The instant that was not meant is no byte that was replaced.
    expect(end.summary.lossy).toBe(0);
  });

  test('takes equal records in order while what comes is behind what was sent', async () => {
    const lines = Array.from({ length: 400 }, (_, index) => (index % 4 === 3 ? 'equal' : `unlike ${String(index)}`));
    const sizes = fc.array(fc.integer({ min: 2, max: 60 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: STEP_MS, max: 20 * STEP_MS }), fc.nat(399), async (pieces, lagMs, lostIndex) => {
        const received = lines.filter((_, index) => index !== lostIndex);
        const end = await follow(grown(lines, pieces, 0), [grown(received, pieces, lagMs)], 2000);
        expect(countsOf(end)).toEqual({ missing: 1 });
      }),
      { numRuns: 15 },
    );
  });

  test('finds what a comparison of the whole files finds', async () => {
    const line = fc.constantFrom('a', 'b', 'c', 'dddddddddd', 'ddddddddd');
    const growth = fc.array(fc.tuple(fc.nat(5), fc.array(line, { maxLength: 8 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(growth, growth, fc.constantFrom<CompareOptions>({}, { lossy: true }), async (sent, came, options) => {
        const growthOf = (steps: readonly (readonly [number, string[]])[]): Arrivals => {
          let atMs = 0;
          return steps.map(([steps, lines]) => [(atMs += steps * STEP_MS), lines.map((text) => `${text}\n`).join('')] as const);
        };
        const [one, other] = [growthOf(sent), growthOf(came)];
        const textOf = (given: Arrivals): string => given.map(([, text]) => text).join('');
        const followed = countsOf(await follow(one, [other], 1000, options));
        const whole = countsOf(await compare(textOf(one), textOf(other), options));
        const surplus = ({ missing = 0, altered = 0, duplicated = 0, foreign = 0 }: Record<string, number>) => [
          missing + altered,
          duplicated + foreign + altered,
        ];
        expect(surplus(followed)).toEqual(surplus(whole));
      }),
      { numRuns: 20 },
    );
  });
});

test('a pipeline that delivers once a second, and loses a record, moves none of the equal records of a second', async () => {
  const deployment = createDeployment();
  const groups = Array.from({ length: 150 }, (_, index) =>
    formatGroup({ millisecond: 1_747_562_400_000 + 20 * index, method: 'GET', target: `/mail/?${String(index)}` }, deployment),
  );
  const lines = groups.join('').split(/(?<=\n)/);
  // Twice a look, what comes grows alone.
  const sent = groups.map((group, index): readonly [number, string] => [60 * Math.ceil(index / 3), group]);
  for (const offsetMs of [100, 350, 500, 730]) {
    const came: Arrivals[number][] = [];
    for (const momentMs of [0, 1000, 2000, 3000].map((startMs) => startMs + offsetMs)) {
      const burst = lines.filter((_, line) => {
        const sentMs = 60 * Math.ceil(Math.floor(line / 8) / 3);
        return line !== 29 && sentMs <= momentMs && sentMs > momentMs - 1000;
      });
      // A reader sees a burst in parts.
      came.push(
        ...grown(
          burst.map((line) => line.trimEnd()),
          [37, 61, 83],
          momentMs,
        ),
      );
    }
    expect(countsOf(await follow(sent, [came], 2000))).toEqual({ missing: 1 });
  }
});

test('no record that stands in some file of a received name is missing, but for what a truncation may have taken', async () => {
  await fc.assert(
    fc.asyncProperty(writerSteps, async (steps) => {
      const path = join(makeFolder(), 'received.log');
      const follower = followPath(path);
      // What each look at the received file gives is recorded, and played to the comparison at the same moments.
      const sent: (readonly [number, string])[] = [];
      const came: (readonly [number, Growth])[] = [];
      let number = 0;
      const { atRisk } = await simulateWriters(steps, {
        path,
        nextLine: (nowMs) => {
          const line = `[${String((number += 1))} ${'x'.repeat(number % 70)}]`;
          sent.push([nowMs, `${line}\n`]);
          return line;
        },
        onLook: (nowMs) => {
          for (let growth = follower.look(nowMs); growth !== undefined; growth = follower.look(nowMs))
            came.push([nowMs, { ...growth, bytes: Buffer.from(growth.bytes) }]);
        },
      });
      for (const growth of follower.rest()) came.push([0, growth]);
      follower.close();
      const arrivals = came.map(([atMs, { bytes, isOld }]) => [atMs, bytes.toString('latin1'), isOld] as const);
      const { findings } = await follow(sent, [arrivals], 30_000);
      const missing = findings.filter(({ kind }) => kind === 'missing' || kind === 'altered');
      expect(missing.reduce((sum, { records }) => sum + records, 0)).toBeLessThanOrEqual(atRisk.size);
      if (atRisk.size === 0) expect(findings).toEqual([]);
    }),
    { numRuns: 25 },
  );
});
