import type { LoadFailure } from '../log/line.js';
import type { Entry } from './entry.js';
import { MAX_SPAN_SECONDS, type OpenGroup } from './open-group.js';
import { WaitingGroups } from './waiting-groups.js';

/** A deployment lists fewer plugins than this. */
const PLACES = 1024;

/** The groups of a descriptor, by place and second, and by place and second on their clocks. */
class Shelf<E extends Entry> {
  readonly bySecond = new WaitingGroups<E>();
  readonly byClock = new WaitingGroups<E>();
}

/** Groups that wait for a load failure, by its descriptor, its place and the second of the group's first record. */
export class FailingGroups<E extends Entry> {
  readonly #shelves = new Map<string, Shelf<E>>();
  /** A descriptor whose shelf may be empty. Mostly its group comes back at once, with the next place. */
  #emptied = '';

  /**
   * The oldest group that waits for a load failure: one near it in time, else, across a wrong offset, near it by its clock.
   *
   * @param descriptor that of the failure
   */
  findNext(failure: LoadFailure, descriptor: string, place: number): OpenGroup<E> | undefined {
    const shelf = this.#shelves.get(descriptor);
    if (shelf === undefined) return undefined;
    return oldestNear(shelf.bySecond, failure.second, place) ?? oldestNear(shelf.byClock, failure.localSecond, place);
  }

  add(group: OpenGroup<E>): void {
    const { descriptor, second, localSecond, next } = group;
    if (descriptor === undefined) return;
    const { bySecond, byClock } = this.#shelfOf(descriptor);
    bySecond.add(keyOf(second, next), group);
    byClock.add(keyOf(localSecond, next), group);
  }

  remove(group: OpenGroup<E>): void {
    const { descriptor, second, localSecond, next } = group;
    if (descriptor === undefined) return;
    const shelf = this.#shelves.get(descriptor);
    if (shelf === undefined) return;
    shelf.bySecond.remove(keyOf(second, next), group);
    shelf.byClock.remove(keyOf(localSecond, next), group);
    if (shelf.bySecond.isEmpty) this.#dropEmptied(descriptor);
  }

  #shelfOf(descriptor: string): Shelf<E> {
    let shelf = this.#shelves.get(descriptor);
    if (shelf === undefined) {
      shelf = new Shelf();
      this.#shelves.set(descriptor, shelf);
    }
    return shelf;
  }

  /** Drops the shelf that was emptied before, and remembers the one that is empty now. */
  #dropEmptied(descriptor: string): void {
    const before = this.#emptied;
    this.#emptied = descriptor;
    if (before !== descriptor && this.#shelves.get(before)?.bySecond.isEmpty === true) this.#shelves.delete(before);
  }
}

function oldestNear<E extends Entry>(groups: WaitingGroups<E>, second: number, place: number): OpenGroup<E> | undefined {
  for (let from = second - MAX_SPAN_SECONDS; from <= second + MAX_SPAN_SECONDS; from += 1) {
    const group = groups.oldest(keyOf(from, place));
    if (group !== undefined) return group;
  }
  return undefined;
}

function keyOf(second: number, place: number): number {
  return second * PLACES + place;
}
