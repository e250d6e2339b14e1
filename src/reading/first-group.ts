import { groupOf, type Group } from './group.js';
import type { OpenGroup } from './open-group.js';
import { readLog, type ReadLogOptions, type Sink } from './read-log.js';

/**
 * Reads a log as far as its first whole group: the one whose first record stands first.
 *
 * @returns undefined if it has none
 * @throws what `onForeign` throws
 */
export async function findFirstGroup(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadLogOptions = {},
): Promise<Group | undefined> {
  for await (const [first] of readLog(chunks, new GroupSink(), options)) if (first !== undefined) return first;
  return undefined;
}

class GroupSink implements Sink<Group> {
  #groups: Group[] = [];

  addRecord(): void {
    // Its group will come, if it is whole.
  }

  addGroup(found: OpenGroup): void {
    const group = groupOf(found);
    if (group !== undefined) this.#groups.push(group);
  }

  addWhole(): void {
    // There has been one before it: it is from that one that the deployment is known.
  }

  drain(): readonly Group[] {
    return this.#groups;
  }
}
