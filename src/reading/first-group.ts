import { groupOf, type Group } from './group.js';
import type { LogBytes } from './log-files.js';
import type { LogEvents } from './log-reader.js';
import { readLog, type ReadLogOptions } from './read-log.js';

/**
 * Reads a log up to its first whole group: of the whole groups, the one whose first record stands first.
 *
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @returns undefined for a log without a whole group
 * @throws TypeError if the log is neither
 * @throws what `onForeign` throws
 */
export async function findFirstGroup(log: LogBytes, options: ReadLogOptions = {}): Promise<Group | undefined> {
  for await (const [first] of readLog(log, takeGroups, options)) if (first !== undefined) return first;
  return undefined;
}

/** Gives the groups that were put together from records: the first group always is. */
function takeGroups(events: LogEvents): readonly Group[] {
  const groups: Group[] = [];
  for (let event = events.next(); event !== undefined; event = events.next()) {
    const group = event.kind === 'group' ? groupOf(event.group) : undefined;
    if (group !== undefined) groups.push(group);
  }
  return groups;
}
