import type { Rearrangement } from './fault.js';
import type { HeldGroup } from './held-group.js';
import type { Candidates, Reach } from './reach.js';

/** A group can be late if a group of a later second follows. It takes all groups up to and with the first of these. */
export function reachOfLate({ held, count, isComplete }: Candidates): Reach {
  const second = held[0]?.second ?? 0;
  for (let index = 1; index < count; index += 1) if ((held[index]?.second ?? 0) > second) return index + 1;
  return isComplete ? 0 : undefined;
}

/** Puts the first of some groups behind the others. */
export function makeLate(groups: readonly [HeldGroup, ...HeldGroup[]]): Rearrangement {
  const [late, ...others] = groups;
  const { count } = late;
  return {
    parts: [...others, late].map(({ bytes }) => bytes),
    lineCount: groups.length * count,
    at: others.length * count,
    touched: count,
    details: { kind: 'late' },
  };
}
