import type { Draw } from '../requests/draws.js';
import type { Rearrangement } from './fault.js';
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
export function reachOfInterleave({ held, count, isComplete }: Candidates, writers: number): Reach {
  const near = countNear(held, Math.min(count, writers));
  if (near < writers && near === count && !isComplete) return undefined;
  return near < 2 ? 0 : near;
}

/** Counts the groups at the beginning that are within two seconds of each other. */
function countNear(held: readonly HeldGroup[], most: number): number {
  let earliest = Infinity;
  let latest = -Infinity;
  for (let index = 0; index < most; index += 1) {
    const second = held[index]?.second ?? 0;
    earliest = Math.min(earliest, second);
    latest = Math.max(latest, second);
    if (latest - earliest > MOST_SECONDS_APART) return index;
  }
  return most;
}

/** Mixes the records of some groups as concurrent requests mix them. */
export function interleave(groups: readonly [HeldGroup, ...HeldGroup[]], draw: Draw): Rearrangement {
  const turns = drawTurns(groups.length, groups[0].count, draw);
  const written = groups.map(() => 0);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < turns.length;) {
    const writer = turns[at] ?? 0;
    const from = written[writer] ?? 0;
    let until = from;
    for (; turns[at] === writer; at += 1) until += 1;
    written[writer] = until;
    parts.push(groups[writer]?.slice(from, until) ?? Buffer.alloc(0));
  }
  const requests = groups.map(({ request }) => request);
  return { parts, lineCount: turns.length, at: 0, touched: turns.length, details: { kind: 'interleave', requests } };
}
