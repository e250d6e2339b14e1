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
  const isOfOne =
    isAlone && first !== undefined && first.requestTarget === other?.requestTarget && first.httpMethod === other.httpMethod;
  const isBeside = part.firstLine <= group.lastLine + 1 && part.lastLine >= group.firstLine - 1;
  if (!group.isNear(part) && !isOfOne && !(isAlone && isBeside)) return false;
  const together = [...group.entries, ...part.entries].sort((entry, other) => entry.line - other.line);
  if (countFaults(together, end) >= countFaults(group.entries, end) + countFaults(part.entries, end)) return false;
  const failures = [...group.failures, ...part.failures].sort((entry, other) => entry.line - other.line);
  group.failures.splice(0, group.failures.length, ...failures);
  part.ending?.end(group);
  group.isBroken = true;
  part.isAbsorbed = true;
  return true;
}

/** How many faults the records of a group have: in their places, and where descriptor or time change. */
function countFaults(entries: readonly Entry[], end: number): number {
  const { taken, swapped, missing } = align(
    entries.map(({ place }) => place),
    end,
  );
  let faults = missing.length > 0 ? 1 : 0;
  let descriptor: string | undefined;
  let localSecond: number | undefined;
  const breaks = { descriptor: 0, time: 0 };
  for (const [index, { record, place }] of entries.entries()) {
    if (taken[index] !== place || swapped.has(index)) faults += 1;
    if (localSecond !== undefined && localSecond !== record.localSecond) breaks.time += 1;
    localSecond = record.localSecond;
    if (record.kind === 'deprecation') continue;
    const own = `${record.httpMethod} ${record.requestTarget}`;
    if (descriptor !== undefined && descriptor !== own) breaks.descriptor += 1;
    descriptor = own;
  }
  // One record that differs makes two breaks within a group.
  return faults + Math.ceil(breaks.descriptor / 2) + Math.ceil(breaks.time / 2);
}
