import { setTimeout } from 'node:timers/promises';
import type { Latencies } from '../findings/latencies.js';
import type { LogRequest } from '../log/group.js';
import type { Piece, PieceBatches } from './piece.js';

export interface Clock {
  /** The time in milliseconds since a fixed moment; never steps back. */
  readonly now: () => number;
  /** Waits for about `delayMs` milliseconds; may throw to end the run. */
  readonly sleep: (delayMs: number) => Promise<void>;
}

/** Node's timers take at most 24.8 days. After a sleep that ends too early, another follows. */
const MAX_DELAY_MS = 3_600_000;

export function systemClock(signal: AbortSignal): Clock {
  return {
    now: () => performance.now(),
    sleep: async (delayMs) => {
      await setTimeout(Math.min(Math.ceil(delayMs), MAX_DELAY_MS), undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
    },
  };
}

export interface Anchor {
  readonly millisecond: number;
  readonly clockMs: number;
}

interface PaceOptions {
  readonly speed: number;
  readonly clock: Clock;
  /** The origin of all moments. Default: the first request, released at once. */
  readonly anchor?: Anchor | undefined;
  readonly lateness?: Latencies | undefined;
}

/**
 * Holds each piece back until the moment of its (last) request, and gives batches of all that are due. All moments are computed from one
 * anchor, so delays do not accumulate. A request that steps back in time has the moment of the request before.
 */
export async function* pacePieces<T extends LogRequest>(
  batches: PieceBatches<T>,
  { speed, clock, anchor: givenAnchor, lateness }: PaceOptions,
): AsyncGenerator<Iterable<Piece<T>>> {
  let anchor = givenAnchor;
  let due = -Infinity;
  for await (const batch of batches) {
    const pieces = batch[Symbol.iterator]();
    const takeNext = (): Piece<T> | undefined => {
      const next = pieces.next();
      if (next.done === true) return undefined;
      const { millisecond } = next.value.origin;
      anchor ??= { millisecond, clockMs: clock.now() };
      due = Math.max(due, anchor.clockMs + (millisecond - anchor.millisecond) / speed);
      return next.value;
    };
    // The next piece, which is not due yet; valid until the piece after it is requested.
    let held = takeNext();
    const passDue = function* (now: number): Generator<Piece<T>> {
      for (; held !== undefined && due <= now; held = takeNext()) {
        lateness?.add(now - due);
        yield held;
      }
    };
    while (held !== undefined) {
      let now = clock.now();
      for (; now < due; now = clock.now()) await clock.sleep(due - now);
      yield passDue(now);
    }
  }
}
