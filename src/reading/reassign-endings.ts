import type { Entry } from './entry.js';
import { MAX_SPAN_SECONDS, type OpenGroup, type PendingDeprecation } from './open-group.js';

/** The latest so many groups are looked at for an augmenting path: the work for a record stays bounded. */
const MAX_GROUPS = 4096;

/**
 * Finds a place for a deprecation record that no group waits for, by an augmenting path: a group that has one takes it instead of its
 * own, which another one can take, and so on to a complete group that has none. So it goes where requests overlap and clocks tick
 * between a group's last two records.
 *
 * @param ending comes after all the groups' records
 * @param groups those that have not been given out, oldest first
 * @param end how many plugins there are
 * @returns the group that waited and is whole now; undefined if there is no such path
 */
export function reassignEndings<E extends Entry>(
  ending: PendingDeprecation<E>,
  groups: readonly OpenGroup<E>[],
  end: number,
): OpenGroup<E> | undefined {
  // What each group would take. The path is sought from its end, the shortest first.
  const offers = new Map<OpenGroup<E>, PendingDeprecation<E>>();
  const offered = [ending];
  const unseen = groupBySecond(groups.slice(-MAX_GROUPS).filter((group) => !group.isBroken && group.next === end));
  for (const offer of offered) {
    for (const [second, waiting] of unseen) {
      if (!offer.instants.some((instant) => Math.abs(instant - second) <= MAX_SPAN_SECONDS)) continue;
      const left: OpenGroup<E>[] = [];
      for (const group of waiting) {
        if (offer.entry.line < group.lastFailureLine) {
          left.push(group);
          continue;
        }
        offers.set(group, offer);
        if (group.ending === undefined) {
          takeOffers(group, offers);
          return group;
        }
        offered.push(group.ending);
      }
      if (left.length === 0) unseen.delete(second);
      else unseen.set(second, left);
    }
  }
  return undefined;
}

function groupBySecond<E extends Entry>(groups: readonly OpenGroup<E>[]): Map<number, OpenGroup<E>[]> {
  const bySecond = new Map<number, OpenGroup<E>[]>();
  for (const group of groups) {
    const others = bySecond.get(group.second);
    if (others === undefined) bySecond.set(group.second, [group]);
    else others.push(group);
  }
  return bySecond;
}

function takeOffers<E extends Entry>(starved: OpenGroup<E>, offers: ReadonlyMap<OpenGroup<E>, PendingDeprecation<E>>): void {
  let group: OpenGroup<E> | undefined = starved;
  while (group !== undefined) {
    const offer = offers.get(group);
    const before = offer?.group;
    offer?.end(group);
    group = before;
  }
}
