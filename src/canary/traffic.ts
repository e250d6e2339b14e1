import { randomInt } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { LogRequest } from '../log/group.js';
import { zoneNamed } from '../log/zone.js';
import { planTraffic } from '../requests/synth/plan-traffic.js';
import { drawRequests } from '../requests/synth/synthesize.js';
import type { CanarySettings } from './options.js';

export interface CanaryClock {
  /** The time in milliseconds since a fixed moment; never steps back. */
  readonly now: () => number;
  readonly wallNow: () => number;
  /** Waits for about `delayMs` milliseconds. With 0, waits for other work of the process. */
  readonly sleep: (delayMs: number) => Promise<void>;
}

export const SYSTEM_CLOCK: CanaryClock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  sleep: (delayMs) => (delayMs === 0 ? setImmediate() : setTimeout(Math.ceil(delayMs))),
};

type TrafficOptions = Pick<CanarySettings, 'rate' | 'duration' | 'profile' | 'arrivals' | 'targets' | 'deployment'>;

/** Runs, and parts of a run, have random numbers of their own. */
const MAX_SEED = 2 ** 32;

/** The clock, and the end, are looked at this often while the next request is waited for. */
const LOOK_MS = 100;

/** If the wall clock moves so much more or less than the steady one between two looks, it has stepped. */
const STEP_MS = 1000;

/**
 * Gives the requests of live traffic when they are due by the wall clock, until the duration has passed or the traffic is stopped. Where the
 * clock steps, traffic is planned anew: nothing is made up for the time that was skipped. Throws a CallError for a rate of too many requests.
 */
export async function* paceTraffic(
  options: TrafficOptions,
  clock: CanaryClock,
  isStopped: () => boolean,
): AsyncGenerator<LogRequest> {
  const { duration = Infinity } = options;
  const { now, wallNow } = clock;
  let nowMs = now();
  for (const endMs = nowMs + duration; !isStopped() && nowMs < endMs; nowMs = now()) {
    const hasStepped = stepDetector(clock);
    const isInterrupted = (): boolean => hasStepped() || isStopped();
    const sleepUntil = (ms: number, nowMs: number): Promise<void> => clock.sleep(Math.min(ms - nowMs, LOOK_MS));
    for (const request of drawPart(options, wallNow(), duration === Infinity ? undefined : Math.ceil(endMs - nowMs))) {
      while (!isInterrupted() && wallNow() < request.millisecond) await sleepUntil(request.millisecond, wallNow());
      if (isInterrupted()) break;
      yield request;
    }
    while (!isInterrupted() && now() < endMs) await sleepUntil(endMs, now());
  }
}

function* drawPart(options: TrafficOptions, from: number, duration: number | undefined): Generator<LogRequest> {
  const { rate, profile, arrivals, targets, deployment } = options;
  const zone = zoneNamed(deployment.timezone);
  const count = duration === undefined ? Infinity : undefined;
  const { plan } = planTraffic({ seed: randomInt(MAX_SEED), from, duration, count, rate, profile, arrivals, zone });
  for (const batch of drawRequests({ ...plan, targets })) yield* batch;
}

/** Makes a function that tells whether the wall clock has stepped since it was made: it was set, or the machine was suspended. */
function stepDetector({ now, wallNow }: CanaryClock): () => boolean {
  let offsetMs = wallNow() - now();
  let hasStepped = false;
  return () => {
    const before = offsetMs;
    offsetMs = wallNow() - now();
    return (hasStepped ||= Math.abs(offsetMs - before) > STEP_MS);
  };
}
