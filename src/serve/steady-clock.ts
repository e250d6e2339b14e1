/**
 * Makes a clock that never steps back (6.4): while the system clock is behind a time already shown, the clock stands still.
 *
 * @param now the system clock: Unix time in milliseconds
 * @param notBefore the first time that may be shown, in milliseconds
 */
export function createSteadyClock(now: () => number, notBefore: number): () => number {
  let latest = notBefore;
  return () => {
    latest = Math.max(latest, now());
    return latest;
  };
}
