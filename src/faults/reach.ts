import type { HeldGroup } from './held-group.js';

/**
 * How many groups a fault takes that begins at the first of those held: 0 if it cannot begin there; undefined if that depends on groups
 * that have not come yet.
 */
export type Reach = number | undefined;

/** A cluster is written in one piece: larger ones are not made. */
const MOST_CLUSTER_GROUPS = 32;
const MOST_CLUSTER_BYTES = 1 << 20;

/** The groups that may be in a cluster with the first of those held, and whether more of them may come. */
export interface Candidates {
  readonly groups: readonly HeldGroup[];
  readonly isComplete: boolean;
}

/**
 * Cuts what is held to what may be in one cluster.
 *
 * @param isComplete true if no group comes any more that may belong to the cluster
 */
export function findCandidates(held: readonly HeldGroup[], isComplete: boolean): Candidates {
  let bytes = 0;
  let count = 0;
  for (const group of held) {
    bytes += group.bytes.length;
    if (count === MOST_CLUSTER_GROUPS || bytes > MOST_CLUSTER_BYTES) return { groups: held.slice(0, count), isComplete: true };
    count += 1;
  }
  return { groups: held, isComplete: isComplete || count === MOST_CLUSTER_GROUPS };
}
