import { groupOf, type Group } from './group.js';
import type { LogBytes } from './log-files.js';
import type { OpenGroup } from './open-group.js';
import { readLog, type ReadLogOptions } from './read-log.js';
import type { Sink } from './sink.js';

/**
 * Reads a log up to its first whole group: of the whole groups, the one whose first record stands first.
 *
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @returns undefined for a log without a whole group
 * @throws TypeError if the log is neither
 * @throws what `onForeign` throws
 */
export async function findFirstGroup(log: LogBytes, options: ReadLogOptions = {}): Promise<Group | undefined> {
  for await (const [first] of readLog(log, new GroupSink(), options)) if (first !== undefined) return first;
  return undefined;
}

class GroupSink implements Sink<Group> {
  #groups: Group[] = [];

  addRecord(): void {
    // Its group follows, if that is whole.
  }

  addGroup(found: OpenGroup): void {
    const group = groupOf(found);
    if (group !== undefined) this.#groups.push(group);
  }

  addWholeGroup(): void {
    // A whole group was given before: the deployment is inferred from it.
  }

  drain(): readonly Group[] {
    return this.#groups;
  }
}
