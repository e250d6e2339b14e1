import { descriptorOf, type LoadFailure } from '../log/line.js';
import type { Entry } from './entry.js';
import { MAX_SPAN_SECONDS, type OpenGroup } from './open-group.js';
import { WaitingGroups } from './waiting-groups.js';

/** A deployment lists fewer plugins than this. */
const PLACES = 1024;

/** Groups that wait for a load failure, by its descriptor, its place and the second of the group's first record. */
export class FailingGroups<E extends Entry> {
  readonly #bySecond = new Map<string, WaitingGroups<E>>();
  readonly #byClock = new Map<string, WaitingGroups<E>>();

  /** The oldest group that waits for a load failure: one near it in time, else, across a wrong offset, near it by its clock. */
  findNext(failure: LoadFailure, place: number): OpenGroup<E> | undefined {
    const descriptor = descriptorOf(failure);
    const groups = this.#bySecond.get(descriptor);
    if (groups === undefined) return undefined;
    return oldestNear(groups, failure.second, place) ?? oldestNear(this.#byClock.get(descriptor), failure.localSecond, place);
  }

  add(group: OpenGroup<E>): void {
    if (group.firstFailure === undefined) return;
    const descriptor = descriptorOf(group.firstFailure);
    shelf(this.#bySecond, descriptor).add(keyOf(group.second, group.next), group);
    shelf(this.#byClock, descriptor).add(keyOf(group.localSecond, group.next), group);
  }

  remove(group: OpenGroup<E>): void {
    if (group.firstFailure === undefined) return;
    const descriptor = descriptorOf(group.firstFailure);
    const groups = this.#bySecond.get(descriptor);
    groups?.remove(keyOf(group.second, group.next), group);
    this.#byClock.get(descriptor)?.remove(keyOf(group.localSecond, group.next), group);
    if (groups?.isEmpty !== true) return;
    this.#bySecond.delete(descriptor);
    this.#byClock.delete(descriptor);
  }
}

function shelf<E extends Entry>(shelves: Map<string, WaitingGroups<E>>, descriptor: string): WaitingGroups<E> {
  let groups = shelves.get(descriptor);
  if (groups === undefined) {
    groups = new WaitingGroups();
    shelves.set(descriptor, groups);
  }
  return groups;
}

function oldestNear<E extends Entry>(
  groups: WaitingGroups<E> | undefined,
  second: number,
  place: number,
): OpenGroup<E> | undefined {
  if (groups === undefined) return undefined;
  for (let from = second - MAX_SPAN_SECONDS; from <= second + MAX_SPAN_SECONDS; from += 1) {
    const group = groups.oldest(keyOf(from, place));
    if (group !== undefined) return group;
  }
  return undefined;
}

function keyOf(second: number, place: number): number {
  return second * PLACES + place;
}
