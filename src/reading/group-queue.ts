import type { Entry } from './entry.js';
import { mend } from './mend.js';
import type { OpenGroup } from './open-group.js';

/** Groups that have not been given out hold so many bytes of targets at most. */
const MAX_HELD_BYTES = 16 << 20;

/** So many groups after a broken one may be parts of it, and so many of the latest ones may be single records of it. */
const MAX_PARTS = 8;
const MAX_LOOKS = 1024;

/** The groups that have not been given out, in the order of their first records. The parts of broken groups are put together. */
export class GroupQueue<E extends Entry> implements Iterable<OpenGroup<E>> {
  /** The number of plugins: the place of the deprecation record. */
  readonly #plugins: number;
  readonly #groups: OpenGroup<E>[] = [];
  #heldBytes = 0;

  constructor(plugins: number) {
    this.#plugins = plugins;
  }

  get length(): number {
    return this.#groups.length;
  }

  /** True while the groups hold too many bytes. The only group may hold any number. */
  get isOverfull(): boolean {
    return this.#heldBytes > MAX_HELD_BYTES && this.#groups.length > 1;
  }

  [Symbol.iterator](): Iterator<OpenGroup<E>> {
    return this.#groups.values();
  }

  /** The group at an index from the oldest one, 0, on. */
  at(index: number): OpenGroup<E> | undefined {
    return this.#groups[index];
  }

  push(group: OpenGroup<E>): void {
    this.#groups.push(group);
    this.#heldBytes += group.heldBytes;
  }

  /** Takes out the oldest groups. Parts of a broken one are joined to it and are not given. */
  take(count: number): readonly OpenGroup<E>[] {
    const groups = this.#groups.splice(0, count);
    for (const { heldBytes } of groups) this.#heldBytes -= heldBytes;
    const taken: OpenGroup<E>[] = [];
    for (const [index, group] of groups.entries()) {
      if (group.isSettled) continue;
      if (!group.isWhole) {
        for (const part of groups.slice(index + 1, index + 1 + MAX_PARTS)) {
          if (!part.isWhole && !part.isSettled && mend(group, part, this.#plugins)) part.isSettled = true;
        }
      }
      group.isSettled = true;
      taken.push(group);
    }
    return taken;
  }

  /** Joins groups of a single record that stand among the records of a broken group to it. Returns and takes out what was joined. */
  takeStrays(group: OpenGroup<E>): readonly OpenGroup<E>[] {
    const strays: OpenGroup<E>[] = [];
    for (let index = this.#groups.length - 1; index >= Math.max(0, this.#groups.length - MAX_LOOKS); index -= 1) {
      const stray = this.#groups[index];
      if (stray === undefined || stray.firstLine < group.firstLine - 1) break;
      if (stray === group || stray.failures.length !== 1 || stray.ending !== undefined) continue;
      if (stray.firstLine > group.lastLine || !mend(group, stray, this.#plugins)) continue;
      this.#groups.splice(index, 1);
      this.#heldBytes -= stray.heldBytes;
      stray.isSettled = true;
      strays.push(stray);
    }
    return strays;
  }
}
