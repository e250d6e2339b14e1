import type { PendingDeprecation, OpenGroup } from './open-group.js';

/**
 * Finds a place for a deprecation record that no group waits for, and gives it: a group that has one can take it instead of its own,
 * which another one can take, and so on to a group that waits. So it goes where requests overlap and clocks tick between a group's last
 * two records: its deprecation record was taken for that of a group of the next second, whose own then stands there without a group.
 *
 * @param ending comes after all the groups' records
 * @param groups whole ones that have not been given out, and ones that wait for their deprecation record alone; oldest first
 * @returns the group that waited and is whole now; undefined if there is no such chain
 */
export function reassignEndings(ending: PendingDeprecation, groups: readonly OpenGroup[]): OpenGroup | undefined {
  // What each group would take. The chain is sought from its end, the shortest first.
  const offers = new Map<OpenGroup, PendingDeprecation>();
  const offered = [ending];
  for (const one of offered) {
    for (const group of groups) {
      if (offers.has(group) || one.line < group.failureLine || !one.mayBeOf(group.first)) continue;
      offers.set(group, one);
      if (group.ending === undefined) {
        takeOffers(group, offers);
        return group;
      }
      offered.push(group.ending);
    }
  }
  return undefined;
}

function takeOffers(waiting: OpenGroup, offers: ReadonlyMap<OpenGroup, PendingDeprecation>): void {
  let group: OpenGroup | undefined = waiting;
  while (group !== undefined) {
    const offer = offers.get(group);
    const before = offer?.group;
    offer?.give(group);
    group = before;
  }
}
