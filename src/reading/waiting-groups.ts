import type { Entry } from './entry.js';
import type { OpenGroup } from './open-group.js';

/** Groups in the order of their first lines. */
class GroupList<E extends Entry> {
  readonly #groups: OpenGroup<E>[] = [];

  get first(): OpenGroup<E> | undefined {
    return this.#groups[0];
  }

  get all(): readonly OpenGroup<E>[] {
    return this.#groups;
  }

  add(group: OpenGroup<E>): void {
    this.#groups.splice(this.#indexOf(group), 0, group);
  }

  remove(group: OpenGroup<E>): void {
    const index = this.#indexOf(group);
    if (this.#groups[index] === group) this.#groups.splice(index, 1);
  }

  /** Where a group stands, or would stand: by a binary search, since a crafted log has thousands of groups wait. */
  #indexOf({ firstLine }: OpenGroup<E>): number {
    let [from, until] = [0, this.#groups.length];
    while (from < until) {
      const middle = (from + until) >>> 1;
      if ((this.#groups[middle]?.firstLine ?? Infinity) < firstLine) from = middle + 1;
      else until = middle;
    }
    return from;
  }
}

/** Groups that wait for a record, by a number: the oldest of each number is found at once, however many wait. */
export class WaitingGroups<E extends Entry> {
  readonly #lists = new Map<number, GroupList<E>>();

  get isEmpty(): boolean {
    return this.#lists.size === 0;
  }

  /** The oldest group that waits under a number. */
  oldest(key: number): OpenGroup<E> | undefined {
    return this.#lists.get(key)?.first;
  }

  /** All groups: the lists in the order in which they were begun, each oldest first. */
  *groups(): Generator<OpenGroup<E>> {
    for (const list of this.#lists.values()) yield* list.all;
  }

  add(key: number, group: OpenGroup<E>): void {
    let list = this.#lists.get(key);
    if (list === undefined) {
      list = new GroupList();
      this.#lists.set(key, list);
    }
    list.add(group);
  }

  remove(key: number, group: OpenGroup<E>): void {
    const list = this.#lists.get(key);
    list?.remove(group);
    if (list?.first === undefined) this.#lists.delete(key);
  }
}
