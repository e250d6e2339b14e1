import type { DeprecationInstants } from './deprecation-instants.js';
import type { Entry, RecordGroup } from './record-group.js';
import type { WaitingGroups } from './waiting-groups.js';

/** The most groups that are looked at for an exchange. */
const MAX_LOOKS = 64;

/**
 * Exchanges deprecation records that came in another order than their groups, so that more groups have one of their own second. That
 * makes no group whole or broken. A group with the record of another second is held while a group of that second waits.
 */
export class EndingExchanges<E extends Entry> {
  readonly #instants: DeprecationInstants;
  /** Complete groups that wait for a deprecation record, by second. */
  readonly #complete: WaitingGroups<E>;
  readonly #isNear: (second: number, other: number) => boolean;
  /** Groups with the record of another second, which have not been given out. */
  readonly #held = new Set<RecordGroup<E>>();

  /** @param isNear true for seconds as far apart as those of the records of a group may be */
  constructor(instants: DeprecationInstants, complete: WaitingGroups<E>, isNear: (second: number, other: number) => boolean) {
    this.#instants = instants;
    this.#complete = complete;
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
    let looks = 0;
    for (const { second, heldFor } of this.#held) {
      looks += 1;
      if (looks > MAX_LOOKS) return undefined;
      if (heldFor?.isOpen === true && heldFor.second === found.second && instants.includes(second)) return heldFor;
    }
    return undefined;
  }

  /** Exchanges the record of a group that has ended, as long as that gives a group the record of its own second. */
  settle(ended: RecordGroup<E>): void {
    let group = ended;
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const instants = this.#instantsOf(group);
      if (instants.length === 0 || instants.includes(group.second)) return;
      const other = this.#findOther(group, instants);
      if (other === undefined) {
        this.#hold(group, instants);
        return;
      }
      exchange(group, other);
      other.heldFor = undefined;
      this.#held.delete(other);
      if (!instants.includes(other.second)) group = other;
    }
  }

  /** A group with which the records can be exchanged, so that one of both has that of its second. */
  #findOther(group: RecordGroup<E>, instants: readonly number[]): RecordGroup<E> | undefined {
    let looks = 0;
    for (const other of this.#held) {
      looks += 1;
      if (looks > MAX_LOOKS) return undefined;
      if (other === group || (other.ending?.line ?? 0) < group.lastFailureLine) continue;
      if ((group.ending?.line ?? 0) < other.lastFailureLine) continue;
      const ofOther = this.#instantsOf(other);
      if (!instants.includes(other.second) && !ofOther.includes(group.second)) continue;
      if (this.#areNear(ofOther, group.second) && this.#areNear(instants, other.second)) return other;
    }
    return undefined;
  }

  #hold(group: RecordGroup<E>, instants: readonly number[]): void {
    if (!group.isSound) return;
    for (const instant of instants) {
      const own = this.#complete.last(instant);
      if (own === undefined) continue;
      group.heldFor = own;
      this.#held.add(group);
      return;
    }
  }

  /** The instants that the deprecation record of a group can mean. */
  #instantsOf({ ending }: RecordGroup<E>): readonly number[] {
    return ending?.record.kind === 'deprecation' ? this.#instants.secondsOf(ending.record) : [];
  }

  #areNear(instants: readonly number[], second: number): boolean {
    return instants.some((instant) => this.#isNear(instant, second));
  }
}

function exchange<E extends Entry>(group: RecordGroup<E>, other: RecordGroup<E>): void {
  const [ending, ofOther] = [group.ending, other.ending];
  if (ending === undefined || ofOther === undefined) return;
  group.end(ofOther);
  other.end(ending);
}
