import { createHistogram } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { LogRequest } from '../log/group.js';
import type { Piece, PieceBatches } from './piece.js';

/** Tells the time, and lets it pass. */
export interface Clock {
  /** Milliseconds since some fixed moment; never steps back. */
  readonly now: () => number;
  /** Waits for about so many milliseconds; may throw to end the waiting. */
  readonly sleep: (delayMs: number) => Promise<void>;
}

/** Timers take no longer delays than some 24 days; waking up earlier does no harm. */
const MAX_DELAY_MS = 3_600_000;

/** The clock of the system. @param signal ends the waiting: `sleep` throws its reason */
export function systemClock(signal: AbortSignal): Clock {
  return {
    now: () => performance.now(),
    sleep: async (delayMs) => {
      try {
        await setTimeout(Math.min(Math.ceil(delayMs), MAX_DELAY_MS), undefined, { signal });
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
  };
}

/** How late requests were passed on, in milliseconds. */
interface Lateness {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** How requests are to be paced. */
interface PaceOptions {
  /** How many times as fast as recorded. */
  readonly speed: number;
  readonly clock: Clock;
  /** From where moments are computed; left out, the first request is passed on at once and the rest follow it. */
  readonly anchor?: Anchor | undefined;
}

/** A moment on two clocks. */
export interface Anchor {
  /** In requests' time: Unix time in milliseconds. */
  readonly millisecond: number;
  /** On the pacer's clock. */
  readonly clockMs: number;
}

const MICROSECONDS_PER_MS = 1000;

/**
 * Holds each piece back until the moment of its (last) request has come. All moments are computed from one anchor, so that lateness
 * never adds up: a piece that is late is followed by pieces that are on time. A request that steps back in time comes at once.
 */
export class Pacer {
  readonly #options: PaceOptions;
  /** In microseconds, one more than it was: a histogram holds nothing below 1. */
  readonly #lateness = createHistogram();

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Passes pieces on when their moment has come, in batches of all that are due at a time. */
  async *pace<T extends LogRequest>(batches: PieceBatches<T>): AsyncGenerator<Iterable<Piece<T>>> {
    const { speed, clock } = this.#options;
    let { anchor } = this.#options;
    let due = -Infinity;
    const takeNext = (pieces: Iterator<Piece<T>>): Piece<T> | undefined => {
      const next = pieces.next();
      if (next.done === true) return undefined;
      const { millisecond } = next.value.origin;
      anchor ??= { millisecond, clockMs: clock.now() };
      due = Math.max(due, anchor.clockMs + (millisecond - anchor.millisecond) / speed);
      return next.value;
    };
    for await (const batch of batches) {
      const pieces = batch[Symbol.iterator]();
      // The piece that is not due yet is held: its bytes are good until the next is asked for.
      let held = takeNext(pieces);
      const lateness = this.#lateness;
      const passDue = function* (now: number): Generator<Piece<T>> {
        for (; held !== undefined && due <= now; held = takeNext(pieces)) {
          lateness.record(1 + Math.floor((now - due) * MICROSECONDS_PER_MS));
          yield held;
        }
      };
      while (held !== undefined) yield passDue(await this.#waitFor(due));
    }
  }

  /** Waits until a moment has come. @returns the time then */
  async #waitFor(due: number): Promise<number> {
    const { clock } = this.#options;
    let now = clock.now();
    while (now < due) {
      await clock.sleep(due - now);
      now = clock.now();
    }
    return now;
  }

  /** How late requests have been when they were passed on. */
  get lateness(): Lateness {
    const histogram = this.#lateness;
    const inMs = (microseconds: number): number => (microseconds - 1) / MICROSECONDS_PER_MS;
    const { count } = histogram;
    if (count === 0) return { count, p50: 0, p99: 0, max: 0 };
    return { count, p50: inMs(histogram.percentile(50)), p99: inMs(histogram.percentile(99)), max: inMs(histogram.max) };
  }
}
