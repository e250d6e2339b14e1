import type { Entry } from './entry.js';
import { MAX_SPAN_SECONDS, type OpenGroup, type PendingDeprecation } from './open-group.js';
import { MAX_LOOKS, rearrangeEndings } from './rearrange-endings.js';
import { WaitingGroups } from './waiting-groups.js';

/**
 * Complete groups: those that wait for a deprecation record, and those that have theirs and may still exchange it. A deprecation record
 * carries no descriptor, so the records are matched with the groups: as many groups as possible are whole, own seconds go before others,
 * older groups before younger.
 */
export class CompleteGroups<E extends Entry> {
  /** Sound groups that wait, by the second of their first record, and by the same on their clocks. */
  readonly #waiting = new WaitingGroups<E>();
  readonly #waitingLocally = new WaitingGroups<E>();
  /** Broken groups that wait, by the second on their clocks. */
  readonly #waitingBroken = new WaitingGroups<E>();
  /** Whole groups that have not been given out, by the second of their first record. */
  readonly #ended = new Map<number, Set<OpenGroup<E>>>();
  /** The group that got a record before an older one of its second, because the record stands behind it. */
  #preferred: OpenGroup<E> | undefined;

  /** Takes a group whose last load failure has come. */
  add(group: OpenGroup<E>): void {
    if (group.isBroken) {
      // A record alone may as well be one too many.
      if (group.failures.length > 1) this.#waitingBroken.add(group.localSecond, group);
      return;
    }
    this.#waiting.add(group.second, group);
    this.#waitingLocally.add(group.localSecond, group);
  }

  /** Removes a group that waits. */
  remove(group: OpenGroup<E>): void {
    if (group.isBroken) {
      this.#waitingBroken.remove(group.localSecond, group);
      return;
    }
    this.#waiting.remove(group.second, group);
    this.#waitingLocally.remove(group.localSecond, group);
  }

  /** Removes a group that is given out: its record is no longer exchanged. */
  forget(group: OpenGroup<E>): void {
    const { second } = group;
    const groups = this.#ended.get(second);
    groups?.delete(group);
    if (groups?.size === 0) this.#ended.delete(second);
  }

  /**
   * Ends a group that waits by a deprecation record.
   *
   * @param behind the complete group whose last record the deprecation record directly follows
   * @returns the group that no longer waits; undefined if there is none for the record
   */
  end(pending: PendingDeprecation<E>, behind: OpenGroup<E> | undefined): OpenGroup<E> | undefined {
    const group = this.#find(pending, behind);
    if (group === undefined) return this.#rearrange(pending);
    this.remove(group);
    pending.end(group);
    if (!group.isBroken) this.#addEnded(group);
    this.#keepOrder(group, pending);
    return group;
  }

  /**
   * Ends a group that waits in vain by a record that is nearer to it than to the older group that has it. Then that one has waited in
   * vain, and so on: the record that is missing is most likely its.
   *
   * @returns the group that has no record in the end
   */
  giveBack(starved: OpenGroup<E>): OpenGroup<E> {
    for (let group = starved; ;) {
      const older = this.#findDistant(group);
      if (older?.ending === undefined) return group;
      older.ending.end(group);
      older.ending = undefined;
      this.forget(older);
      this.#addEnded(group);
      group = older;
    }
  }

  /**
   * Ends a group that starves by the record of a younger one, which waits from then on.
   *
   * @returns false if no other group has a record for it
   */
  passOn(starved: OpenGroup<E>): boolean {
    let looks = 0;
    for (let second = starved.second + MAX_SPAN_SECONDS; second >= starved.second; second -= 1) {
      for (const younger of this.#ended.get(second) ?? []) {
        const { ending } = younger;
        looks += 1;
        if (looks > MAX_LOOKS) return false;
        if (ending?.canEnd(starved) !== true || younger.firstLine < starved.firstLine) continue;
        this.remove(starved);
        ending.end(starved);
        this.#addEnded(starved);
        this.forget(younger);
        younger.ending = undefined;
        younger.state = 'open';
        this.add(younger);
        return true;
      }
    }
    return false;
  }

  /** A group whose record is nearer to a younger one. */
  #findDistant(group: OpenGroup<E>): OpenGroup<E> | undefined {
    let looks = 0;
    for (let second = group.second - MAX_SPAN_SECONDS; second < group.second; second += 1) {
      for (const older of this.#ended.get(second) ?? []) {
        const { ending } = older;
        looks += 1;
        if (looks > MAX_LOOKS) return undefined;
        if (ending?.canEnd(group) === true && ending.distanceTo(group) < ending.distanceTo(older)) return older;
      }
    }
    return undefined;
  }

  /** The broken group that waits nearest to a deprecation record. */
  findBroken({ record }: PendingDeprecation<E>): OpenGroup<E> | undefined {
    return this.#waitingBroken.oldest(record.localSecond) ?? oldestAbout(this.#waitingBroken, record.localSecond);
  }

  #find({ instants, record }: PendingDeprecation<E>, behind: OpenGroup<E> | undefined): OpenGroup<E> | undefined {
    for (const instant of instants) {
      const own = this.#waiting.oldest(instant);
      if (behind?.second === instant) {
        // Uninterrupted, a record is most likely that of the group before. If older groups get theirs yet, `#keepOrder` sees to it.
        if (own !== behind) this.#preferred = behind;
        return behind;
      }
      if (own !== undefined) return own;
    }
    let found = this.#waitingBroken.oldest(record.localSecond);
    for (const instant of instants) found ??= oldestAbout(this.#waiting, instant);
    return found ?? oldestAbout(this.#waitingLocally, record.localSecond);
  }

  /** Finds a place for a record that no group waits for: groups exchange records so that one that waits gets one. */
  #rearrange(pending: PendingDeprecation<E>): OpenGroup<E> | undefined {
    const group = rearrangeEndings(pending, this.#waiting.groups(), this.#ended);
    if (group === undefined) return undefined;
    this.remove(group);
    this.#addEnded(group);
    return group;
  }

  #addEnded(group: OpenGroup<E>): void {
    const groups = this.#ended.get(group.second);
    if (groups === undefined) this.#ended.set(group.second, new Set([group]));
    else groups.add(group);
  }

  /** Gives an older group the earlier of two deprecation records: the younger one was preferred, since the record stood behind it. */
  #keepOrder(group: OpenGroup<E>, own: PendingDeprecation<E>): void {
    const preferred = this.#preferred;
    const earlier = preferred?.ending;
    if (preferred === undefined || earlier === undefined || preferred.isSettled) return;
    const isOlder = group.firstLine < preferred.firstLine && group.second === preferred.second;
    if (!isOlder || group.lastFailureLine > earlier.entry.line || own.record.localSecond !== earlier.record.localSecond) return;
    earlier.end(group);
    own.end(preferred);
  }
}

/** The oldest group near a second: 2 s before it first, as its deadline is the earliest. */
function oldestAbout<E extends Entry>(groups: WaitingGroups<E>, second: number): OpenGroup<E> | undefined {
  for (let key = second - MAX_SPAN_SECONDS; key <= second + MAX_SPAN_SECONDS; key += 1) {
    const group = groups.oldest(key);
    if (group !== undefined) return group;
  }
  return undefined;
}
