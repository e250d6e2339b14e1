import type { Entry } from './entry.js';
import type { OpenGroup } from './open-group.js';

/** Groups in the order of their first lines. Taken from the front mostly, which costs no more in a long list than in a short one. */
class GroupList<E extends Entry> {
  readonly #groups: OpenGroup<E>[] = [];
  /** The groups before this index have been removed. */
  #head = 0;

  get first(): OpenGroup<E> | undefined {
    return this.#groups[this.#head];
  }

  /** The groups, oldest first. */
  *groups(): Generator<OpenGroup<E>> {
    for (let index = this.#head; index < this.#groups.length; index += 1) {
      const group = this.#groups[index];
      if (group !== undefined) yield group;
    }
  }

  add(group: OpenGroup<E>): void {
    this.#groups.splice(this.#indexOf(group), 0, group);
  }

  remove(group: OpenGroup<E>): void {
    const index = this.#indexOf(group);
    if (this.#groups[index] !== group) return;
    if (index > this.#head) {
      this.#groups.splice(index, 1);
      return;
    }
    this.#head += 1;
    if (2 * this.#head <= this.#groups.length) return;
    this.#groups.splice(0, this.#head);
    this.#head = 0;
  }

  /** The index of a group, or that at which it would be: by a binary search, since a crafted log has thousands of groups wait. */
  #indexOf({ firstLine }: OpenGroup<E>): number {
    let [from, until] = [this.#head, this.#groups.length];
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
  /** An empty list to be used again: a group is mostly added under another number at once. */
  #emptied: GroupList<E> | undefined;

  get isEmpty(): boolean {
    return this.#lists.size === 0;
  }

  /** The oldest group that waits under a number. */
  oldest(key: number): OpenGroup<E> | undefined {
    return this.#lists.get(key)?.first;
  }

  /** All groups: the lists in the order in which they were begun, each oldest first. */
  *groups(): Generator<OpenGroup<E>> {
    for (const list of this.#lists.values()) yield* list.groups();
  }

  add(key: number, group: OpenGroup<E>): void {
    let list = this.#lists.get(key);
    if (list === undefined) {
      list = this.#emptied ?? new GroupList();
      this.#emptied = undefined;
      this.#lists.set(key, list);
    }
    list.add(group);
  }

  remove(key: number, group: OpenGroup<E>): void {
    const list = this.#lists.get(key);
    list?.remove(group);
    if (list === undefined || list.first !== undefined) return;
    this.#lists.delete(key);
    this.#emptied = list;
  }
}
