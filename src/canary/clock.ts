import { setImmediate, setTimeout } from 'node:timers/promises';

/** The clocks of a canary. */
export interface CanaryClock {
  /** The time in milliseconds since a fixed moment; never steps back. */
  readonly now: () => number;
  /** Unix time in milliseconds. */
  readonly wallNow: () => number;
  /** Waits for about `delayMs` milliseconds; returns early once the signal is aborted. With 0, waits for other work of the process. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
}

/** The clocks of the system. */
export const SYSTEM_CLOCK: CanaryClock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  sleep: async (delayMs, signal) => {
    if (delayMs === 0) await setImmediate();
    // An end of the wait is told by the signal itself.
    else await setTimeout(Math.ceil(delayMs), undefined, signal && { signal }).catch(() => undefined);
  },
};
