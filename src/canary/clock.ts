import { setImmediate, setTimeout } from 'node:timers/promises';
import type { CanaryClock } from './traffic.js';

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
