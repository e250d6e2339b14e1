import { describe, expect, test } from '@jest/globals';
import { arrivalKeys } from '../../src/compare/arrival-keys.js';
import { Arrivals } from '../../src/compare/arrivals.js';
import type { CompareOptions, Comparison } from '../../src/compare/compare-options.js';
import { digestBytes } from '../../src/compare/digest.js';
import { followDelivery, type GrowingInput } from '../../src/compare/follow-delivery.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';

/** What comes to an input, and when (in virtual milliseconds). */
type Growth = readonly (readonly [atMs: number, text: string])[];

const STEP_MS = 10;

interface FollowMore {
  readonly comparison?: Comparison;
  readonly kind?: CompareOptions['kind'];
  /** A second received input. */
  readonly second?: Growth;
}

interface FollowResult {
  readonly end: 'complete' | 'timeout';
  readonly endedMs: number;
  readonly arrivals: Arrivals;
  readonly kept: string;
  /** The delays for which it slept, in order. */
  readonly sleepsMs: readonly number[];
}

/** Follows inputs that grow in virtual time. */
async function follow(
  expected: Growth,
  received: Growth,
  waitMs: number,
  { comparison = { as: 'lines' }, kind, second }: FollowMore = {},
): Promise<FollowResult> {
  let nowMs = 0;
  let kept = '';
  const sleepsMs: number[] = [];
  const inputOf = (growth: Growth): GrowingInput => {
    const left = [...growth];
    return {
      look: () => {
        const [next] = left;
        if (next === undefined || next[0] > nowMs) return undefined;
        left.shift();
        return Buffer.from(next[1], 'latin1');
      },
      keep: (bytes) => {
        kept += Buffer.from(bytes).toString('latin1');
      },
    };
  };
  const arrivals = new Arrivals(digestBytes);
  const clock = {
    now: () => nowMs,
    sleep: (delayMs: number) => {
      sleepsMs.push(delayMs);
      nowMs += delayMs;
      return Promise.resolve();
    },
  };
  const keys = arrivalKeys(comparison, kind);
  const inputs = (second === undefined ? [received] : [received, second]).map(inputOf);
  const end = await followDelivery(inputOf(expected), inputs, { keys, arrivals, clock, waitMs, resolutionMs: STEP_MS });
  return { end, endedMs: nowMs, arrivals, kept, sleepsMs };
}

describe('followDelivery', () => {
  test.each<[string, Growth, Growth, number, number]>([
    ['all is there at the start', [[0, 'a\nb\n']], [[0, 'a\nb\n']], 60_000, 1000],
    [
      'the last record comes late',
      [[0, 'a\nb\n']],
      [
        [0, 'a\n'],
        [5000, 'b\n'],
      ],
      60_000,
      5000,
    ],
    [
      'the expected log goes on growing',
      [
        [0, 'a\n'],
        [900, 'b\n'],
      ],
      [
        [0, 'a\n'],
        [950, 'b\n'],
      ],
      60_000,
      1900,
    ],
    ['a record never comes', [[0, 'a\nb\n']], [[100, 'b\n']], 3000, 3100],
    ['nothing comes at all', [[0, 'a\n']], [], 2000, 2000],
    ['an empty expected log is waited for', [], [], 2000, 2000],
    ['records come in another order', [[0, 'a\nb\n']], [[50, 'b\na\n']], 60_000, 1000],
    [
      'equal records count',
      [[0, 'a\na\n']],
      [
        [0, 'a\n'],
        [4000, 'a\n'],
      ],
      60_000,
      4000,
    ],
    ['more came than was sent', [[0, 'a\n']], [[0, 'x\na\na\n']], 60_000, 1000],
    [
      'a record waits for its LF',
      [[0, 'a\nb\n']],
      [
        [0, 'a\nb'],
        [2000, '\n'],
      ],
      60_000,
      2000,
    ],
    ['a record is seen before it is seen as sent', [[30, 'a\n']], [[0, 'a\n']], 60_000, 1030],
  ])('%s', async (_what, expected, received, waitMs, endedMs) => {
    expect((await follow(expected, received, waitMs)).endedMs).toBe(endedMs);
  });

  test('keeps all that has come, half lines included', async () => {
    expect((await follow([[0, 'a\n']], [[0, 'a\nb']], 1500)).kept).toBe('a\na\nb');
  });

  test('measures how long records took that it saw appear, and no others', async () => {
    const { arrivals } = await follow(
      [
        [0, 'old\n'],
        [100, 'a\n'],
        [200, 'b\n'],
      ],
      [
        [150, 'a\n'],
        [600, 'b\nold\n'],
      ],
      60_000,
    );
    const { p50, p99, max } = arrivals.latency ?? { p50: 0, p99: 0, max: 0 };
    // A histogram rounds to a thousandth.
    expect([p50, p99, max].map(Math.round)).toEqual([50, 400, 400]);
    expect((await follow([[0, 'a\n']], [[0, 'a\n']], 100)).arrivals.latency).toBeUndefined();
  });

  test.each<[string, Comparison, string]>([
    ['the raw line in a field', { as: 'field', path: 'log.line' }, '{"log":{"line":"a"}}\n{"log":{"line":"b\\n"}}\n'],
    ['two objects on one line', { as: 'field', path: 'm' }, '{"m":"a"}{"m":"b"}\n'],
  ])('reads %s', async (_what, comparison, received) => {
    expect((await follow([[0, 'a\nb\n']], [[0, received]], 60_000, { comparison })).endedMs).toBe(1000);
  });

  test('compares parsed fields but for the instant, which only a whole group tells', async () => {
    const line =
      '[18-May-2025 12:00:00 Europe/Warsaw] PHP Deprecated: session_set_save_handler(): Providing individual callbacks instead of an object implementing SessionHandlerInterface is deprecated in /s.php on line 119\n';
    const comparison: Comparison = {
      as: 'fields',
      fields: new Map([
        ['line_number', 'n'],
        ['instant', 't'],
        ['request_target', 'url'],
      ]),
    };
    const came = (object: string): Promise<{ endedMs: number }> =>
      follow([[0, line]], [[0, `${object}\n`]], 3000, { comparison });
    expect((await came('{"n":119,"t":"anything","url":null}')).endedMs).toBe(1000);
    expect((await came('{"n":"119"}')).endedMs).toBe(1000);
    expect((await came('{"n":118}')).endedMs).toBe(3000);
  });

  test.each<[string, Growth, Growth, Growth, 'complete' | 'timeout', number]>([
    ['in one of two inputs', [[0, 'a\nb\n']], [], [[0, 'b\na\n']], 'complete', 1000],
    ['partly in each of two inputs', [[0, 'a\nb\n']], [[0, 'a\n']], [[1500, 'b\n']], 'complete', 1500],
    ['half a line in each of two inputs', [[0, 'ab\n']], [[0, 'a']], [[0, 'b\n']], 'timeout', 3000],
    ['nowhere', [[0, 'a\n']], [[0, 'b\n']], [[0, 'c\n']], 'timeout', 3000],
  ])('what was sent comes %s', async (_what, expected, received, second, end, endedMs) => {
    expect(await follow(expected, received, 3000, { second })).toMatchObject({ end, endedMs });
  });

  test('waits for records of the kind that is compared alone', async () => {
    const [failure, deprecation] = formatGroup({ millisecond: 0, method: 'GET', target: '/mail/' }, createDeployment())
      .split(/(?<=\n)/)
      .slice(-2);
    const sent: Growth = [[0, `${failure ?? ''}${deprecation ?? ''}x\n`]];
    const came: Growth = [[0, failure ?? '']];
    expect(await follow(sent, came, 3000, { kind: 'load_failure' })).toMatchObject({ end: 'complete', endedMs: 1000 });
    expect(await follow(sent, came, 3000, { kind: 'deprecation' })).toMatchObject({ end: 'timeout', endedMs: 3000 });
    expect(await follow([[0, 'x\n']], [], 3000, { kind: 'deprecation' })).toMatchObject({ end: 'timeout', endedMs: 3000 });
  });

  test('a line that comes in many pieces is one line', async () => {
    const text = 'a record in pieces\n';
    const pieces = Array.from(text, (character, index): readonly [number, string] => [index * 20, character]);
    expect(await follow([[0, text]], pieces, 3000)).toMatchObject({ end: 'complete', endedMs: 1000, kept: text + text });
  });

  test('lets the process hear signals at every sixteenth chunk, and between looks', async () => {
    const growth = Array.from({ length: 39 }, (): readonly [number, string] => [0, 'a\n']);
    // 47 chunks are there at the first look.
    const { sleepsMs } = await follow(growth, growth.slice(0, 8), 50);
    expect(sleepsMs).toEqual([0, 0, 10, 10, 10, 10, 10]);
  });

  test('ends with the error of the clock when it is to end', async () => {
    const clock = { now: () => 0, sleep: () => Promise.reject(new Error('interrupted')) };
    const input: GrowingInput = { look: () => undefined, keep: () => undefined };
    const keys = arrivalKeys({ as: 'lines' }, undefined);
    const options = { keys, arrivals: new Arrivals(digestBytes), clock, waitMs: 10, resolutionMs: 1 };
    await expect(followDelivery(input, [input], options)).rejects.toThrow('interrupted');
  });

  test('takes chunks of the side that is behind, so that few records wait for their counterparts', async () => {
    const looked: string[] = [];
    const inputOf = (name: string, chunks: readonly string[]): GrowingInput => {
      const left = [...chunks];
      return {
        look: () => {
          const next = left.shift();
          if (next !== undefined) looked.push(name);
          return next === undefined ? undefined : Buffer.from(next);
        },
        keep: () => undefined,
      };
    };
    let nowMs = 0;
    const clock = {
      now: () => nowMs,
      sleep: (delayMs: number) => {
        nowMs += delayMs;
        return Promise.resolve();
      },
    };
    const sent = inputOf('sent', ['a\nb\nc\n', 'd\n', 'e\nf\n']);
    const first = inputOf('first', ['a\nb\n', 'c\nd\n']);
    const second = inputOf('second', ['e\n', 'f\n']);
    const keys = arrivalKeys({ as: 'lines' }, undefined);
    const options = { keys, arrivals: new Arrivals(digestBytes), clock, waitMs: 5000, resolutionMs: STEP_MS };
    expect(await followDelivery(sent, [first, second], options)).toBe('complete');
    // Lines by then: 3 of 0, 3 of 2, 3 of 4, 4 of 4, 6 of 4, 6 of 5, 6 of 6.
    expect(looked).toEqual(['sent', 'first', 'first', 'sent', 'sent', 'second', 'second']);
  });
});
