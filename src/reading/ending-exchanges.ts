import type { DeprecationInstants } from './deprecation-instants.js';
import { isNear, type Entry, type RecordGroup } from './record-group.js';

/**
 * Exchanges deprecation records that came in another order than their groups, so that more groups have one of their own second. That
 * makes no group whole or broken. A group with the record of another second is held while a group of that second waits.
 *
 * @param group has just ended, or has exchanged its record
 * @param waiting groups that wait for a deprecation record
 */
export function exchangeEndings<E extends Entry>(
  group: RecordGroup<E>,
  waiting: readonly RecordGroup<E>[],
  instants: DeprecationInstants,
): void {
  const { ending, holder } = group;
  if (ending?.record.kind !== 'deprecation') return;
  const seconds = instants.secondsOf(ending.record);
  if (seconds.length === 0 || seconds.includes(group.second)) return;
  if (
    holder?.ending !== undefined &&
    holder.ending.line > group.lastFailureLine &&
    seconds.some((second) => isNear(second, holder.second))
  ) {
    group.end(holder.ending);
    group.holder = undefined;
    holder.end(ending);
    holder.heldFor = undefined;
    exchangeEndings(holder, waiting, instants);
  } else if (group.isSound) {
    group.heldFor = waiting.findLast((other) => other.isSound && other.holder === undefined && seconds.includes(other.second));
    if (group.heldFor !== undefined) group.heldFor.holder = group;
  }
}
