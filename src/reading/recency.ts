import type { Entry } from './entry.js';
import { MAX_SPAN_SECONDS, type OpenGroup } from './open-group.js';

/** After so many groups one behind the other, without a line between, no record is still on its way. */
const QUIET_GROUPS = 64;

/** Tells from the whole groups that have ended for which other groups no record can come any more. */
export class Recency<E extends Entry> {
  /** The whole group that ended last. */
  #latest: OpenGroup<E> | undefined;
  /** The seconds of the groups up to the latest that followed each other within 2 s. */
  #from = Infinity;
  #until = -Infinity;
  /** The number of the latest groups that stand one behind the other. */
  #quiet = 0;

  /** Takes note of a whole group that has ended. */
  note(group: OpenGroup<E>): void {
    this.#latest = group;
    const { second } = group;
    const isNear = this.#isNear(second);
    this.#from = isNear ? Math.min(this.#from, second) : second;
    this.#until = isNear ? Math.max(this.#until, second) : second;
    this.#quiet = group.lastLine - group.firstLine === group.failures.length ? this.#quiet + 1 : 0;
  }

  /** Forgets the groups: no other is open. */
  clear(): void {
    this.#latest = undefined;
    this.#from = Infinity;
    this.#until = -Infinity;
    this.#quiet = 0;
  }

  /** True for a group if one that began after it and is too far from it in time has ended. */
  isFarBehind(group: OpenGroup<E>): boolean {
    return this.#latest !== undefined && this.#latest.firstLine > group.firstLine && !group.isNear(this.#latest);
  }

  /**
   * True for a complete group that no deprecation record can reach any more, nor by way of other groups: these may exchange their
   * records as long as they follow each other within 2 s.
   */
  isOutOfReach(group: OpenGroup<E>): boolean {
    return this.isFarBehind(group) && (this.#quiet >= QUIET_GROUPS || !this.#isNear(group.second));
  }

  #isNear(second: number): boolean {
    return second >= this.#from - MAX_SPAN_SECONDS && second <= this.#until + MAX_SPAN_SECONDS;
  }
}
