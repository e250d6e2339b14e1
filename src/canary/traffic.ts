import { randomInt } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import { zoneNamed } from '../log/zone.js';
import type { Arrivals } from '../requests/synth/arrivals.js';
import { planTraffic } from '../requests/synth/plan-traffic.js';
import type { Profile } from '../requests/synth/traffic.js';
import { drawRequests } from '../requests/synth/synthesize.js';
import type { TargetShare } from '../requests/synth/weighted-targets.js';
import type { RunMark } from './mark.js';

export interface CanaryClock {
  /** The time in milliseconds since a fixed moment; never steps back. */
  readonly now: () => number;
  readonly wallNow: () => number;
  /** Waits for about `delayMs` milliseconds; returns early once the signal is aborted. With 0, waits for other work of the process. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
}

export const SYSTEM_CLOCK: CanaryClock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  sleep: async (delayMs, signal) => {
    if (delayMs === 0) await setImmediate();
    // An end of the wait is told by the signal itself.
    else await setTimeout(Math.ceil(delayMs), undefined, signal && { signal }).catch(() => undefined);
  },
};

export interface TrafficOptions {
  readonly rate: number;
  /** In milliseconds; undefined for traffic without an end. */
  readonly duration?: number | undefined;
  readonly profile: Profile;
  readonly arrivals: Arrivals;
  readonly targets: readonly TargetShare[];
  readonly deployment: Deployment;
  readonly mark: RunMark;
}

/** Runs, and parts of a run, have random numbers of their own. */
const MAX_SEED = 2 ** 32;

/** The clock is looked at this often while the next request is waited for. */
const LOOK_MS = 1000;

/** If the wall clock moves so much more or less than the steady one between two looks, it has stepped. */
const STEP_MS = 1000;

/**
 * Gives the requests of live traffic when they are due by the wall clock, until the duration has passed or the signal is aborted. Where the
 * clock steps, traffic is planned anew: nothing is made up for the time that was skipped. Throws a CallError for a rate of too many requests.
 */
export async function* paceTraffic(options: TrafficOptions, clock: CanaryClock, signal: AbortSignal): AsyncGenerator<LogRequest> {
  const { duration = Infinity, mark } = options;
  let nowMs = clock.now();
  const endMs = nowMs + duration;
  const isOver = (): boolean => signal.aborted || nowMs >= endMs;
  while (!isOver()) {
    const hasStepped = stepDetector(clock);
    let isStepped = false;
    const leftMs = duration === Infinity ? undefined : Math.ceil(endMs - nowMs);
    for (const request of drawPart(options, clock.wallNow(), leftMs)) {
      isStepped = hasStepped();
      while (!isStepped && !signal.aborted && clock.wallNow() < request.millisecond) {
        await clock.sleep(Math.min(request.millisecond - clock.wallNow(), LOOK_MS), signal);
        isStepped = hasStepped();
      }
      if (isStepped || signal.aborted) break;
      yield mark.mark(request);
    }
    for (nowMs = clock.now(); !isStepped && !isOver(); nowMs = clock.now())
      await clock.sleep(Math.min(endMs - nowMs, LOOK_MS), signal);
  }
}

function* drawPart(options: TrafficOptions, from: number, duration: number | undefined): Generator<LogRequest> {
  const { rate, profile, arrivals, targets, deployment } = options;
  const zone = zoneNamed(deployment.timezone);
  const count = duration === undefined ? Infinity : undefined;
  const { plan } = planTraffic({ seed: randomInt(MAX_SEED), from, duration, count, rate, profile, arrivals, zone });
  for (const batch of drawRequests({ ...plan, targets })) yield* batch;
}

/** Makes a function that tells whether the wall clock has stepped since the last call: it was set, or the machine was suspended. */
function stepDetector({ now, wallNow }: CanaryClock): () => boolean {
  let offsetMs = wallNow() - now();
  return () => {
    const before = offsetMs;
    offsetMs = wallNow() - now();
    return Math.abs(offsetMs - before) > STEP_MS;
  };
}
