import type { Change } from './fault.js';
import type { HeldGroup } from './held-group.js';
import type { Candidates, Reach } from './reach.js';

/** A group can be late if a group of a later second follows. It takes all groups up to and with the first of these. */
export function reachOfLate({ groups, isComplete }: Candidates): Reach {
  const second = groups[0]?.second ?? 0;
  const later = groups.findIndex((group) => group.second > second);
  if (later !== -1) return later + 1;
  return isComplete ? 0 : undefined;
}

/** Puts the first of some groups, which have equally many records, behind the others. */
export function makeLate(groups: readonly HeldGroup[], records: number): Change {
  const [late, ...others] = groups;
  const bytes = Buffer.concat([...others, ...(late === undefined ? [] : [late])].map((group) => group.bytes));
  return {
    bytes,
    lineCount: groups.length * records,
    at: others.length * records,
    touched: records,
    details: { kind: 'late' },
  };
}
