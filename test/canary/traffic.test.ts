import { expect, test } from '@jest/globals';
import { RunMark } from '../../src/canary/mark.js';
import { paceTraffic, type CanaryClock } from '../../src/canary/traffic.js';
import { createDeployment } from '../../src/log/deployment.js';
import { OBSERVED_TARGETS } from '../../src/requests/synth/weighted-targets.js';

const START = Date.UTC(2026, 2, 1, 12);
const HOUR_MS = 3_600_000;

/** Clocks that go on when they are slept on. The wall clock can be set, and be faster than the other one. */
function twoClocks(rate = 1) {
  const clock = {
    steadyMs: 0,
    wallMs: START,
    now: () => clock.steadyMs,
    wallNow: () => clock.wallMs,
    sleep: (delayMs: number): Promise<void> => {
      clock.steadyMs += delayMs;
      clock.wallMs += delayMs * rate;
      return Promise.resolve();
    },
  };
  return clock;
}

const TRAFFIC = { profile: 'flat', arrivals: 'poisson', targets: OBSERVED_TARGETS, deployment: createDeployment() } as const;

/** The moments of the groups, by the wall clock and as they are stamped, until enough have come. */
async function take(
  clock: ReturnType<typeof twoClocks>,
  groups: number,
  rate: number,
  onGroup: (count: number) => void = () => undefined,
) {
  const moments: { readonly wallMs: number; readonly stampMs: number }[] = [];
  for await (const { millisecond } of paceTraffic({ ...TRAFFIC, rate }, clock, () => moments.length === groups)) {
    moments.push({ wallMs: clock.wallMs, stampMs: millisecond });
    onGroup(moments.length);
  }
  return moments;
}

async function countIn(duration: number, rate: number, clock: CanaryClock): Promise<number> {
  let groups = 0;
  for await (const _request of paceTraffic({ ...TRAFFIC, rate, duration }, clock, () => false)) groups += 1;
  return groups;
}

test('groups are written at the moments that they show, for hours, though the clocks differ', async () => {
  const clock = twoClocks(1.0003);
  const moments = await take(clock, 90, 1 / 600);
  expect(clock.wallMs - clock.steadyMs - START).toBeGreaterThan(10_000);
  for (const { wallMs, stampMs } of moments) expect(Math.abs(wallMs - stampMs)).toBeLessThan(5);
});

test.each([
  ['ahead, as after a suspended machine', HOUR_MS],
  ['back', -HOUR_MS],
])('where the clock steps %s, traffic goes on at the present time, and at its rate', async (_name, stepMs) => {
  const clock = twoClocks();
  const moments = await take(clock, 400, 1, (count) => {
    if (count === 200) clock.wallMs += stepMs;
  });
  for (const { wallMs, stampMs } of moments) expect(Math.abs(wallMs - stampMs)).toBeLessThan(5);
  expect(clock.steadyMs).toBeGreaterThan(300_000);
  expect(clock.steadyMs).toBeLessThan(500_000);
  expect(moments.at(-1)?.wallMs).toBeGreaterThan(START + stepMs);
});

test('traffic lasts as long as it is asked to, even if the last request comes earlier', async () => {
  const clock = twoClocks();
  expect(await countIn(95_000, 0.1, clock)).toBe(9);
  expect(clock.steadyMs).toBe(95_000);
});

test('a machine that is slow at the start takes no request off the traffic', async () => {
  const steps = twoClocks();
  const clock = { now: () => (steps.steadyMs += 3), wallNow: steps.wallNow, sleep: steps.sleep };
  expect(await countIn(10_000, 20, clock)).toBe(200);
});

test('each target carries the mark of the run', () => {
  const mark = new RunMark('a.b');
  const targets = ['/mail/', '/mail/?a=b#f', '/mail/?'];
  expect(targets.map((target) => mark.mark({ millisecond: START, method: 'GET', target }).target)).toEqual([
    '/mail/?canary=a.b-1',
    '/mail/?a=b&canary=a.b-2#f',
    '/mail/?canary=a.b-3',
  ]);
});

test.each([
  ['(GET /?canary=a.b-12)', [12]],
  ['(GET /?x&canary=a.b-12&y)', [12]],
  ['?canary=a.b-1)?canary=a.b-2)', [1, 2]],
  ['?canary=axb-12)', []],
  ['?canary=a.b-12x)', []],
  ['?canary=a.b-12-3)', []],
  ['?canary=a.b-c-12)', []],
  ['?xcanary=a.b-12)', []],
  ['canary=a.b-12)', []],
])('the marks of %j', (text, numbers) => {
  expect(new RunMark('a.b').numbersIn(text)).toEqual(numbers);
});
