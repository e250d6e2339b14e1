import type { Entry } from './entry.js';
import type { OpenGroup } from './open-group.js';

/** Groups in the order of their first lines. Taken from the front mostly, which costs no more in a long list than in a short one. */
class GroupList<E extends Entry> {
  readonly #groups: (OpenGroup<E> | undefined)[] = [];
  #head = 0;

  get first(): OpenGroup<E> | undefined {
    return this.#groups[this.#head];
  }

  add(group: OpenGroup<E>): void {
    let index = this.#groups.length;
    while (index > this.#head && (this.#groups[index - 1]?.firstLine ?? 0) > group.firstLine) index -= 1;
    if (index === this.#groups.length) this.#groups.push(group);
    else this.#groups.splice(index, 0, group);
  }

  remove(group: OpenGroup<E>): void {
    const index = this.#groups.indexOf(group, this.#head);
    if (index === -1) return;
    if (index > this.#head) {
      this.#groups.splice(index, 1);
      return;
    }
    this.#groups[this.#head] = undefined;
    this.#head += 1;
    if (2 * this.#head <= this.#groups.length) return;
    this.#groups.splice(0, this.#head);
    this.#head = 0;
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
