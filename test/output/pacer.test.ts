import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { LogRequest } from '../../src/log/group.js';
import { pacePieces, systemClock, type Anchor, type Clock } from '../../src/output/pacer.js';
import { renderPieces, type Piece } from '../../src/output/piece.js';
import { Latencies } from '../../src/findings/latencies.js';

/** A clock that moves when it is slept on, and when its time is set. */
class FakeClock implements Clock {
  time = 1000;

  /** @param oversleep how much longer than asked for each sleep takes */
  constructor(private readonly oversleep = 0) {}

  readonly now = (): number => this.time;

  readonly sleep = async (delayMs: number): Promise<void> => {
    // A write that has begun takes no time.
    await new Promise(setImmediate);
    this.time += delayMs + this.oversleep;
  };
}

interface Passed {
  readonly millisecond: number;
  /** On the clock. */
  readonly at: number;
}

/** Pieces of requests; of each, the bytes are its millisecond. */
function piecesOf(batches: readonly (readonly number[])[]): AsyncGenerator<Iterable<Piece<LogRequest>>> {
  const requests: LogRequest[][] = batches.map((batch) =>
    batch.map((millisecond) => ({ millisecond, method: 'GET', target: '/' })),
  );
  return renderPieces(requests, ({ millisecond }) => Buffer.from(String(millisecond)));
}

interface Pace {
  readonly speed?: number;
  readonly workMs?: number;
  readonly anchor?: Anchor;
}

/** Paces requests; work on each batch that is passed on takes `workMs`. */
async function pace(
  clock: FakeClock,
  batches: readonly (readonly number[])[],
  { speed = 1, workMs = 0, anchor }: Pace = {},
): Promise<{ passed: Passed[]; lateness: Latencies }> {
  const lateness = new Latencies();
  const passed: Passed[] = [];
  for await (const batch of pacePieces(piecesOf(batches), { speed, clock, anchor, lateness })) {
    for (const { bytes } of batch) passed.push({ millisecond: Number(Buffer.from(bytes).toString()), at: clock.time });
    clock.time += workMs;
  }
  return { passed, lateness };
}

describe('pacePieces', () => {
  test.each<[string, readonly (readonly number[])[], Pace, readonly number[]]>([
    ['the first at once, and the n-th after the n-th gap', [[5000, 5010], [], [5011, 6000]], {}, [1000, 1010, 1011, 2000]],
    ['a factor divides gaps', [[0, 100, 300]], { speed: 10 }, [1000, 1010, 1030]],
    ['an anchor: the first at its moment, too', [[5020]], { anchor: { millisecond: 5000, clockMs: 995 } }, [1015]],
    ['what has become due meanwhile at once, together', [[0, 1, 2, 40]], { workMs: 30 }, [1000, 1030, 1030, 1060]],
    ['a step back at once', [[100, 0, 110]], {}, [1000, 1000, 1010]],
  ])('%s', async (_what, batches, how, moments) => {
    const { passed, lateness } = await pace(new FakeClock(), batches, how);
    expect(passed.map(({ at }) => at)).toEqual(moments);
    if (how.workMs === undefined) expect(lateness.summary?.max).toBe(0);
  });

  test('lateness never adds up: 3,000 requests at 1,000 a second, each wait 0.9 ms too long, end 0.9 ms late', async () => {
    const list = Array.from({ length: 3000 }, (_, index) => index);
    const { passed, lateness } = await pace(new FakeClock(0.9), [list]);
    expect(passed.at(-1)?.at).toBeCloseTo(1000 + 2999 + 0.9, 6);
    expect(lateness.count).toBe(3000);
    expect(lateness.summary?.p50).toBe(0.9);
  });

  test('never early, never out of order, each within what waiting and working cost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.nat(50))), fc.double({ min: 0.1, max: 20, noNaN: true }), async (gaps, speed) => {
        let now = 0;
        const batches = gaps.map((batch) => batch.map((gap) => (now += gap)));
        const { passed } = await pace(new FakeClock(0.3), batches, { speed, workMs: 0.5 });
        const first = batches.flat()[0] ?? 0;
        expect(passed.map(({ millisecond }) => millisecond)).toEqual(batches.flat());
        for (const { millisecond, at } of passed) {
          const late = at - (1000 + (millisecond - first) / speed);
          expect(late).toBeGreaterThan(-1e-6);
          expect(late).toBeLessThan(0.3 + 0.5 * passed.length + 1e-6);
        }
      }),
    );
  });

  test('says how late requests were', async () => {
    const list = Array.from({ length: 100 }, (_, index) => index * 10);
    const { lateness } = await pace(new FakeClock(), [list.slice(0, 99), list.slice(99)]);
    expect(lateness).toMatchObject({ count: 100, summary: { p50: 0, p99: 0, max: 0 } });
    const { p50 = NaN, max = NaN } = (await pace(new FakeClock(), [list], { workMs: 25 })).lateness.summary ?? {};
    expect(max).toBeGreaterThanOrEqual(15);
    expect(p50).toBeLessThan(max);
  });

  test('a clock that throws ends the pacing', async () => {
    const controller = new AbortController();
    const clock = systemClock(controller.signal);
    const passed: number[] = [];
    const pacing = async (): Promise<void> => {
      for await (const batch of pacePieces(piecesOf([[0, 3_600_000]]), { speed: 1, clock })) {
        for (const { bytes } of batch) passed.push(Number(Buffer.from(bytes).toString()));
        setImmediate(() => {
          controller.abort(new Error('stop'));
        });
      }
    };
    await expect(pacing()).rejects.toThrow('stop');
    expect(passed).toEqual([0]);
  });
});
