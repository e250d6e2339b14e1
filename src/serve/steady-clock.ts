/**
 * A clock that never steps back (6.4): where the one it follows does, it stands still until that has caught up.
 *
 * @param now the clock that is followed: Unix time in milliseconds
 * @param notBefore what it never shows a time before, in milliseconds
 */
export function createSteadyClock(now: () => number, notBefore: number): () => number {
  let latest = notBefore;
  return () => {
    latest = Math.max(latest, now());
    return latest;
  };
}
