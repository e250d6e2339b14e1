import type { Entry } from './entry.js';
import { MAX_SPAN_SECONDS, type OpenGroup, type PendingDeprecation } from './open-group.js';

/**
 * So many groups are looked at for a record or a group at most: the work for each stays bounded. In simulated logs of 243,000 requests 64
 * are enough.
 */
export const MAX_LOOKS = 128;

/**
 * Finds a place for a deprecation record that no group near it waits for, by an augmenting path: a group that waits takes the record of
 * another one, which takes that of a third, and so on to a group that the record itself can end. So it goes where requests overlap and
 * clocks tick between a group's last two records.
 *
 * @param pending comes after all records of the groups
 * @param waiting sound groups, oldest first
 * @param ended whole groups that may exchange their records, by the second of their first record
 * @returns the group that waited and is whole now; undefined if there is no such path
 */
export function rearrangeEndings<E extends Entry>(
  pending: PendingDeprecation<E>,
  waiting: Iterable<OpenGroup<E>>,
  ended: ReadonlyMap<number, ReadonlySet<OpenGroup<E>>>,
): OpenGroup<E> | undefined {
  const seen = new Set<OpenGroup<E>>();
  let looks = 0;
  /** Gives a group a record, depth first. The youngest groups come first: they are the nearest to the pending record. */
  const satisfy = (group: OpenGroup<E>): boolean => {
    if (pending.canEnd(group)) {
      pending.end(group);
      return true;
    }
    for (let second = group.second + MAX_SPAN_SECONDS; second >= group.second - MAX_SPAN_SECONDS; second -= 1) {
      for (const other of ended.get(second) ?? []) {
        looks += 1;
        if (looks > MAX_LOOKS) return false;
        const { ending } = other;
        if (seen.has(other) || ending?.canEnd(group) !== true) continue;
        seen.add(other);
        if (!satisfy(other)) continue;
        ending.end(group);
        return true;
      }
    }
    return false;
  };
  for (const group of waiting) {
    if (looks > MAX_LOOKS) return undefined;
    looks += 1;
    if (satisfy(group)) return group;
  }
  return undefined;
}
