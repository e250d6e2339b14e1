import type { HeldGroup } from './held-group.js';

/**
 * The number of groups that a fault takes which begins at the first of those held: 0 if it cannot begin there; undefined if that depends on groups
 * that have not come yet.
 */
export type Reach = number | undefined;

/** A cluster is written in one piece: larger ones are not made. */
export const MOST_CLUSTER_GROUPS = 16;
const MOST_CLUSTER_BYTES = 1 << 20;

/** The groups that may be in a cluster with the first of those held. */
export interface Candidates {
  readonly held: readonly HeldGroup[];
  /** The largest number of them. */
  readonly count: number;
  /** True if no group that comes later may be, too. */
  readonly isComplete: boolean;
}

/**
 * Finds out which of the groups held may be in one cluster.
 *
 * @param isComplete true if no more groups come that may be
 */
export function findCandidates(held: readonly HeldGroup[], isComplete: boolean): Candidates {
  let bytes = 0;
  let count = 0;
  for (const group of held) {
    bytes += group.size;
    if (bytes > MOST_CLUSTER_BYTES) return { held, count, isComplete: true };
    count += 1;
    if (count === MOST_CLUSTER_GROUPS) return { held, count, isComplete: true };
  }
  return { held, count, isComplete };
}
