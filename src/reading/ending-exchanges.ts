import type { DeprecationInstants } from './deprecation-instants.js';
import type { Entry, RecordGroup } from './record-group.js';

/** The most groups that are held at a time. */
const MAX_HELD = 64;

/**
 * Exchanges deprecation records that came in another order than their groups, so that more groups have one of their own second. That
 * makes no group whole or broken. A group with the record of another second is held while a group of that second waits.
 */
export class EndingExchanges<E extends Entry> {
  readonly #instants: DeprecationInstants;
  readonly #isNear: (second: number, other: number) => boolean;
  /** Groups with the record of another second, which have not been given out. */
  readonly #held = new Set<RecordGroup<E>>();

  /** @param isNear true for seconds as far apart as those of the records of a group may be */
  constructor(instants: DeprecationInstants, isNear: (second: number, other: number) => boolean) {
    this.#instants = instants;
    this.#isNear = isNear;
  }

  /** True for a group that may yet exchange its record with one that waits, or with one that is held for that. */
  isHeld(group: RecordGroup<E>): boolean {
    while (group.heldFor?.isOpen === false) group.heldFor = group.heldFor.heldFor;
    return group.heldFor !== undefined;
  }

  /** Takes note that a group is given out: it exchanges no more. */
  forget(group: RecordGroup<E>): void {
    this.#held.delete(group);
  }

  /** Of the groups of a second that wait, the one for which a group of the record's second is held. */
  findHolding(found: RecordGroup<E> | undefined, instants: readonly number[]): RecordGroup<E> | undefined {
    if (found?.isOpen !== true || instants.includes(found.second)) return undefined;
    for (const { second, heldFor } of this.#held)
      if (heldFor?.isOpen === true && heldFor.second === found.second && instants.includes(second)) return heldFor;
    return undefined;
  }

  /**
   * Exchanges the record of a group that has ended, as long as that gives a group the record of its own second.
   *
   * @param waiting groups that wait for a deprecation record
   */
  settle(group: RecordGroup<E>, waiting: readonly RecordGroup<E>[]): void {
    const instants = this.#instantsOf(group);
    if (instants.length === 0 || instants.includes(group.second)) return;
    for (const other of this.#held) {
      const ofOther = this.#instantsOf(other);
      if (!instants.includes(other.second) && !ofOther.includes(group.second)) continue;
      if (!this.#areNear(ofOther, group) || !this.#areNear(instants, other) || !exchange(group, other)) continue;
      other.heldFor = undefined;
      this.#held.delete(other);
      this.settle(instants.includes(other.second) ? group : other, waiting);
      return;
    }
    if (!group.isSound || this.#held.size === MAX_HELD) return;
    group.heldFor = waiting.findLast(({ isSound, second }) => isSound && instants.includes(second));
    if (group.heldFor !== undefined) this.#held.add(group);
  }

  /** The instants that the deprecation record of a group can mean. */
  #instantsOf({ ending }: RecordGroup<E>): readonly number[] {
    return ending?.record.kind === 'deprecation' ? this.#instants.secondsOf(ending.record) : [];
  }

  #areNear(instants: readonly number[], { second }: RecordGroup<E>): boolean {
    return instants.some((instant) => this.#isNear(instant, second));
  }
}

/** Exchanges the deprecation records of two groups if each stands behind the load failures of the other; else returns false. */
function exchange<E extends Entry>(group: RecordGroup<E>, other: RecordGroup<E>): boolean {
  const [ending, ofOther] = [group.ending, other.ending];
  if (ending === undefined || ofOther === undefined) return false;
  if (ending.line < other.lastFailureLine || ofOther.line < group.lastFailureLine) return false;
  group.end(ofOther);
  other.end(ending);
  return true;
}
