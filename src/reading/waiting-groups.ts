import type { Entry, RecordGroup } from './record-group.js';

/** Groups in the order of their latest records. The first, the last, and any other are removed without a search through all of them. */
class GroupList<E extends Entry> {
  readonly #groups: RecordGroup<E>[] = [];
  /** The groups before this index have been removed. */
  #head = 0;

  get first(): RecordGroup<E> | undefined {
    return this.#groups[this.#head];
  }

  get last(): RecordGroup<E> | undefined {
    return this.#head < this.#groups.length ? this.#groups.at(-1) : undefined;
  }

  /** Adds a group whose latest record comes behind those of the others. */
  push(group: RecordGroup<E>): void {
    this.#groups.push(group);
  }

  remove(group: RecordGroup<E>): void {
    if (group === this.#groups.at(-1)) {
      this.#groups.pop();
      return;
    }
    const index = group === this.first ? this.#head : this.#indexOf(group);
    if (index > this.#head) {
      this.#groups.splice(index, 1);
      return;
    }
    this.#head += 1;
    if (2 * this.#head <= this.#groups.length) return;
    this.#groups.splice(0, this.#head);
    this.#head = 0;
  }

  #indexOf({ lastFailureLine }: RecordGroup<E>): number {
    let [from, until] = [this.#head, this.#groups.length];
    while (from < until) {
      const middle = (from + until) >>> 1;
      if ((this.#groups[middle]?.lastFailureLine ?? Infinity) < lastFailureLine) from = middle + 1;
      else until = middle;
    }
    return from;
  }
}

/** Groups that wait for a record, by a number. */
export class WaitingGroups<E extends Entry> {
  readonly #lists = new Map<number, GroupList<E>>();
  /** An empty list to be used again: a group is mostly added under another number at once. */
  #emptied: GroupList<E> | undefined;

  get isEmpty(): boolean {
    return this.#lists.size === 0;
  }

  /** The group under a number whose latest record came first. */
  first(key: number): RecordGroup<E> | undefined {
    return this.#lists.get(key)?.first;
  }

  /** The group under a number whose latest record came last. */
  last(key: number): RecordGroup<E> | undefined {
    return this.#lists.get(key)?.last;
  }

  /** The last groups of the numbers, up to a limit, in the order in which the numbers were first used. */
  *lastGroups(limit: number): Generator<RecordGroup<E>> {
    let looks = 0;
    for (const { last } of this.#lists.values()) {
      if (looks === limit) return;
      looks += 1;
      if (last !== undefined) yield last;
    }
  }

  /** Adds a group; its latest record came after those of the groups that are there. */
  add(key: number, group: RecordGroup<E>): void {
    let list = this.#lists.get(key);
    if (list === undefined) {
      list = this.#emptied ?? new GroupList();
      this.#emptied = undefined;
      this.#lists.set(key, list);
    }
    list.push(group);
  }

  /** Removes a group that is there. */
  remove(key: number, group: RecordGroup<E>): void {
    const list = this.#lists.get(key);
    list?.remove(group);
    if (list === undefined || list.first !== undefined) return;
    this.#lists.delete(key);
    this.#emptied = list;
  }
}

/** Groups that wait for a record, by their descriptor and a number. */
export class WaitingByDescriptor<E extends Entry> {
  readonly #shelves = new Map<string, WaitingGroups<E>>();
  /** A descriptor whose shelf may be empty. Mostly its group comes back at once, with the next place. */
  #emptied = '';

  /** The groups of a descriptor; undefined for none. */
  get(descriptor: string): WaitingGroups<E> | undefined {
    return this.#shelves.get(descriptor);
  }

  add(key: number, group: RecordGroup<E>): void {
    const { descriptor } = group;
    let shelf = this.#shelves.get(descriptor);
    if (shelf === undefined) {
      shelf = new WaitingGroups();
      this.#shelves.set(descriptor, shelf);
    }
    shelf.add(key, group);
  }

  remove(key: number, group: RecordGroup<E>): void {
    const { descriptor } = group;
    const shelf = this.#shelves.get(descriptor);
    if (shelf === undefined) return;
    shelf.remove(key, group);
    if (!shelf.isEmpty) return;
    const before = this.#emptied;
    this.#emptied = descriptor;
    if (before !== descriptor && this.#shelves.get(before)?.isEmpty === true) this.#shelves.delete(before);
  }
}
