import { haveSameDescriptor, type LoadFailure } from '../log/line.js';
import { align } from './align.js';
import type { Entry } from './entry.js';
import type { OpenGroup } from './open-group.js';

/** A group holds at most this many times the records that belong in it. */
const MAX_SURPLUS = 4;

/**
 * Makes the records of a part those of a broken group, if the two together have fewer faults than each by itself: the part has been cut
 * off where a record is missing or differs.
 *
 * @param end how many plugins there are
 * @returns whether it did
 */
export function mend<E extends Entry>(group: OpenGroup<E>, part: OpenGroup<E>, end: number): boolean {
  if (group.ending !== undefined && part.ending !== undefined) return false;
  if (group.entries.length + part.entries.length > MAX_SURPLUS * (end + 1)) return false;
  // A record of another time stands within its group's lines, or beside them.
  const [first, other] = [group.firstFailure, part.firstFailure];
  const isAlone = part.failures.length === 1 || group.failures.length === 1;
  const isOfOne = isAlone && first !== undefined && other !== undefined && haveSameDescriptor(first, other);
  const isBeside = part.firstLine <= group.lastLine + 1 && part.lastLine >= group.firstLine - 1;
  if (!group.isNear(part) && !isOfOne && !(isAlone && isBeside)) return false;
  const together = [...group.entries, ...part.entries].sort((entry, other) => entry.line - other.line);
  const apart = faultsOf(group, end) + faultsOf(part, end);
  const faults = countFaults(together, end, apart);
  if (faults >= apart) return false;
  const failures = [...group.failures, ...part.failures].sort((entry, other) => entry.line - other.line);
  group.failures.splice(0, group.failures.length, ...failures);
  part.ending?.end(group);
  group.isBroken = true;
  group.faults = faults;
  part.isAbsorbed = true;
  return true;
}

/** Counts the faults of a group once: it is held against many parts. */
function faultsOf<E extends Entry>(group: OpenGroup<E>, end: number): number {
  group.faults ??= countFaults(group.entries, end);
  return group.faults;
}

/**
 * Counts the faults that the records of a group have: in their places, and where descriptor or time change.
 *
 * @param limit so many are too many; then the count is a lower bound, found without an alignment
 */
function countFaults(entries: readonly Entry[], end: number, limit = Infinity): number {
  const breaks = countBreaks(entries);
  const surplus = entries.length - new Set(entries.map(({ place }) => place)).size;
  const least = breaks + surplus + (entries.length <= end ? 1 : 0);
  if (least >= limit) return least;
  const places = entries.map(({ place }) => place);
  const { taken, swapped, missing } = align(places, end);
  const misplaced = places.filter((place, index) => taken[index] !== place || swapped.has(index)).length;
  return breaks + misplaced + (missing.length > 0 ? 1 : 0);
}

/** Counts the records whose descriptor or time differs from the others'. One within a group differs from two neighbours. */
function countBreaks(entries: readonly Entry[]): number {
  let [ofDescriptor, ofTime] = [0, 0];
  let [failure, before]: [LoadFailure | undefined, Entry | undefined] = [undefined, undefined];
  for (const entry of entries) {
    const { record } = entry;
    if (before !== undefined && before.record.localSecond !== record.localSecond) ofTime += 1;
    before = entry;
    if (record.kind === 'deprecation') continue;
    if (failure !== undefined && !haveSameDescriptor(failure, record)) ofDescriptor += 1;
    failure = record;
  }
  return Math.ceil(ofDescriptor / 2) + Math.ceil(ofTime / 2);
}
