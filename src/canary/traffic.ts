import { randomInt } from 'node:crypto';
import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import { zoneNamed } from '../log/zone.js';
import { Pacer } from '../output/pacer.js';
import type { Piece } from '../output/piece.js';
import { renderGroupPieces } from '../output/render-groups.js';
import type { Arrivals } from '../requests/synth/arrivals.js';
import { planTraffic } from '../requests/synth/plan-traffic.js';
import type { Profile } from '../requests/synth/traffic.js';
import { drawRequests } from '../requests/synth/synth.js';
import type { WeightedTarget } from '../requests/synth/weighted-targets.js';
import type { CanaryClock } from './clock.js';
import type { RunMark } from './mark.js';

/** The traffic of a canary. */
export interface TrafficOptions {
  /** Requests a second, on average. */
  readonly rate: number;
  /** Undefined for traffic without an end. */
  readonly durationMs: number | undefined;
  readonly profile: Profile;
  readonly arrivals: Arrivals;
  readonly targets: readonly WeightedTarget[];
  readonly deployment: Deployment;
  readonly mark: RunMark;
}

/** Runs, and parts of a run, have random numbers of their own. */
const MAX_SEED = 2 ** 32;

/** The clock is looked at this often while the next request is waited for. */
const LOOK_MS = 1000;

/** If the wall clock moves so much more or less than the steady one between two looks, it was set, or the machine was suspended. */
const STEP_MS = 1000;

/** The wall clock was set, or the machine was suspended. */
class ClockSteppedError extends Error {}

/** The names of options in messages of `planTraffic`. */
const WORDS = { nameOf: (option: string) => (option === 'durationMs' ? '--duration' : `--${option}`), textOf: () => '' };

/**
 * Gives the groups of live traffic when they are due by the wall clock, until the duration has passed or the signal is aborted. Where the
 * clock steps, traffic is planned anew from the present time on: nothing is made up for the time that was skipped.
 *
 * @throws CallError for a rate that makes too many requests
 */
export async function* paceTraffic(
  options: TrafficOptions,
  clock: CanaryClock,
  signal: AbortSignal,
): AsyncGenerator<Iterable<Piece<LogRequest>>> {
  const { durationMs = Infinity, deployment, mark } = options;
  const endMs = clock.now() + durationMs;
  while (clock.now() < endMs && !signal.aborted) {
    const leftMs = durationMs === Infinity ? undefined : Math.ceil(endMs - clock.now());
    const requests = markAll(drawPart(options, clock.wallNow(), leftMs), mark);
    try {
      const pacer = new Pacer({ speed: 1, clock: wallClock(clock, signal), anchor: { millisecond: 0, clockMs: 0 } });
      yield* pacer.pace(renderGroupPieces(requests, deployment));
      await sleepUntil(endMs, clock, signal);
    } catch (error) {
      if (error instanceof ClockSteppedError) continue;
      if (error === signal.reason) return;
      throw error;
    }
  }
}

/** Draws the requests from a moment on. */
function drawPart(options: TrafficOptions, from: number, durationMs: number | undefined) {
  const { rate, profile, arrivals, targets, deployment } = options;
  const zone = zoneNamed(deployment.timezone);
  const amount = { from, to: undefined, durationMs, count: durationMs === undefined ? Infinity : undefined, rate };
  const { plan } = planTraffic({ seed: randomInt(MAX_SEED), ...amount, profile, arrivals, shard: undefined, zone }, WORDS);
  return drawRequests({ ...plan, targets });
}

function* markAll(batches: Iterable<readonly LogRequest[]>, { mark }: RunMark): Generator<readonly LogRequest[]> {
  for (const batch of batches) yield mark(batch);
}

/** The wall clock, as the pacer waits on it. It throws once the clock has stepped, and `sleep` once the signal is aborted. */
function wallClock({ now, wallNow, sleep }: CanaryClock, signal: AbortSignal) {
  let offsetMs = wallNow() - now();
  return {
    now: (): number => {
      const wallMs = wallNow();
      const before = offsetMs;
      offsetMs = wallMs - now();
      if (Math.abs(offsetMs - before) > STEP_MS) throw new ClockSteppedError();
      return wallMs;
    },
    sleep: async (delayMs: number): Promise<void> => {
      await sleep(Math.min(delayMs, LOOK_MS), signal);
      signal.throwIfAborted();
    },
  };
}

async function sleepUntil(endMs: number, clock: CanaryClock, signal: AbortSignal): Promise<void> {
  for (let leftMs = endMs - clock.now(); leftMs > 0 && !signal.aborted; leftMs = endMs - clock.now()) {
    await clock.sleep(Math.min(leftMs, LOOK_MS), signal);
  }
}
