import type { Draw } from '../requests/draws.js';
import { changeTo, type Change } from './fault.js';
import type { HeldGroup } from './held-group.js';
import { drawTurns } from './mixing.js';
import type { Candidates, Reach } from './reach.js';

/** The records of groups mix that are no further apart than this. */
const MOST_SECONDS_APART = 2;

/**
 * Groups mix that follow each other within two seconds: as many as are asked for, or as there are, two at least.
 *
 * @param writers how many are asked for
 */
export function reachOfInterleave({ groups, isComplete }: Candidates, writers: number): Reach {
  let earliest = Infinity;
  let latest = -Infinity;
  let count = 0;
  for (const { second } of groups) {
    earliest = Math.min(earliest, second);
    latest = Math.max(latest, second);
    if (count === writers || latest - earliest > MOST_SECONDS_APART) return count < 2 ? 0 : count;
    count += 1;
  }
  if (count < writers && !isComplete) return undefined;
  return count < 2 ? 0 : count;
}

/** Mixes the records of some groups, which have equally many, as concurrent requests mix them. */
export function interleave(groups: readonly HeldGroup[], records: number, draw: Draw): Change {
  const turns = drawTurns(groups.length, records, draw);
  const written = groups.map(() => 0);
  const lines = turns.map((writer) => {
    const count = written[writer] ?? 0;
    written[writer] = count + 1;
    return groups[writer]?.records[count] ?? '';
  });
  const requests = groups.map(({ request }) => request);
  return changeTo(lines, 0, lines.length, { kind: 'interleave', requests });
}
