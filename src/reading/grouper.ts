import { descriptorOf, type Deprecation, type LoadFailure } from '../log/line.js';
import { DeprecationInstants } from './deprecation-instants.js';
import { EndingExchanges } from './ending-exchanges.js';
import { RecordGroup, UNKNOWN, type Entry } from './record-group.js';
import { WaitingByDescriptor, WaitingGroups } from './waiting-groups.js';

/** The records of one group are at most this far apart. */
export const MAX_SPAN_SECONDS = 2;

/** A group is given up when records that joined groups are further away from it than this. */
const GIVEN_UP_SECONDS = 2 * MAX_SPAN_SECONDS;

/** The oldest groups are given up while more bytes than this are held. */
const MAX_HELD_BYTES = 16 << 20;

/** A deprecation record is kept by the group directly before it after this many in a row that directly followed their groups. */
const DIRECT_ENDS = 32;

/** The most lists that are searched for a group that is near by its clock alone: one with a wrong offset. */
const MAX_LOOKS = 64;

/** Keys are made of a second and a place; a deployment lists fewer plugins than this. */
const PLACES = 1024;

/** Which of several groups of equal seconds that wait for the same load failure gets it, and which of several seconds goes first. */
type Preference = 'oldest' | 'youngest';

/**
 * Puts the records of a log together to groups. No other file says which record belongs to which group.
 *
 * - A load failure of the first plugin begins a group. Another one joins a group of its descriptor that waits for exactly its place, at
 *   most 2 s away by offset or by clock, the earliest second first. What fits nowhere begins a part of a broken group.
 * - A deprecation record carries no descriptor. It ends a complete group within 2 s: the earliest second first, since its deadline is
 *   the earliest, and among those of a second the one completed last.
 * - Exception: where deprecation records have long directly followed the groups of their seconds, such a group keeps its record. Else
 *   one lost record would shift all that follow. `#freeKept` sees to it that no other group loses its own by that.
 *
 * A group is given up when no record can come for it any more, or when too much is held: memory stays bounded whatever comes, and the
 * work for a record does not grow with what is open.
 */
export class Grouper<E extends Entry = Entry> {
  /** The number of plugins: the place of the deprecation record. */
  readonly #end: number;
  readonly #preference: Preference;
  readonly #instants = new DeprecationInstants();
  /** Groups that begin with the first plugin, and parts of broken groups. A record joins a part if no such group waits for it. */
  readonly #sound = new Waiting<E>();
  readonly #parts = new Waiting<E>();
  readonly #exchanges: EndingExchanges<E>;
  /** Groups that kept the record behind them although one of an earlier second waited for it. */
  readonly #kept = new Set<RecordGroup<E>>();
  /** The groups that have not been given out, from the index `#head` on, in the order of their first records. */
  #queue: RecordGroup<E>[] = [];
  #head = 0;
  #heldBytes = 0;
  #openCount = 0;
  /** The second of the record that joined a group last, the same by its clock, and its line. A record that begins a group may have a broken time. */
  #clock = NaN;
  #localClock = NaN;
  #clockLine = 0;
  /** The group of the record before. */
  #latest: RecordGroup<E> | undefined;
  #directEnds = DIRECT_ENDS;

  /** @param plugins the number that a group reports */
  constructor(plugins: number, preference: Preference = 'oldest') {
    this.#end = plugins;
    this.#preference = preference;
    this.#exchanges = new EndingExchanges(this.#instants, this.#sound.complete, isNear);
  }

  /** True while no group is open, so that a group that stands whole in the log can be taken unchanged. */
  get isIdle(): boolean {
    return this.#openCount === 0;
  }

  /** The first line of the groups that have not been given out. */
  get firstOpenLine(): number {
    return this.#queue[this.#head]?.firstLine ?? Infinity;
  }

  /** Takes the next record of the log. */
  add(entry: E): void {
    const { record } = entry;
    if (record.kind === 'load_failure') this.#addFailure(entry, record);
    else this.#addDeprecation(entry, record);
  }

  /** Takes note of a group that was read in another way while no group was open. */
  passWhole(): void {
    this.#directEnds += 1;
    this.#latest = undefined;
  }

  /** Gives up all open groups. */
  giveUp(): void {
    for (let index = this.#head; index < this.#queue.length; index += 1) {
      const group = this.#queue[index];
      if (group?.isOpen === true) this.#close(group);
    }
  }

  /** The next group that no more records join, whole or not, in the order of first records; undefined for none. */
  next(): RecordGroup<E> | undefined {
    const group = this.#queue[this.#head];
    if (group === undefined) return undefined;
    if (group.isOpen || this.#exchanges.isHeld(group)) {
      const isOverfull = this.#heldBytes > MAX_HELD_BYTES && this.#queue.length - this.#head > 1;
      const isFarBehind = this.#clockLine > group.firstLine && Math.abs(this.#clock - group.second) > GIVEN_UP_SECONDS;
      if (!isOverfull && !isFarBehind) return undefined;
      if (group.isOpen) this.#close(group);
    }
    this.#head += 1;
    if (2 * this.#head > this.#queue.length) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
    this.#heldBytes -= group.heldBytes;
    this.#kept.delete(group);
    this.#exchanges.forget(group);
    return group;
  }

  #addFailure(entry: E, failure: LoadFailure): void {
    const { place } = entry;
    const group =
      place > 0
        ? (this.#findUnfinished(this.#sound, failure, place) ?? this.#findUnfinished(this.#parts, failure, place))
        : undefined;
    if (group === undefined) {
      const begun = this.#begin(entry, this.#secondOf(failure));
      if (place === UNKNOWN) {
        this.#openCount -= 1;
        begun.isOpen = false;
      } else {
        this.#wait(begun);
      }
    } else {
      this.#stopWaiting(group);
      group.append(entry);
      this.#clock = isNear(failure.second, group.second) ? failure.second : group.second;
      this.#localClock = failure.localSecond;
      this.#clockLine = entry.line;
      const isSwapped = group.next === this.#end && this.#isEndedBy(entry);
      this.#latest = group;
      if (isSwapped) {
        this.#openCount -= 1;
        group.isOpen = false;
      } else {
        this.#wait(group);
      }
    }
  }

  /** True for a last load failure directly behind a deprecation record that fitted no group: the two changed places. */
  #isEndedBy({ line, record }: E): boolean {
    const latest = this.#latest;
    return latest?.descriptor === '' && latest.firstLine === line - 1 && latest.localSecond === record.localSecond;
  }

  /** The second of a record that begins a group; by the clock where the offset alone is another than that of the record before. */
  #secondOf({ second, localSecond }: LoadFailure): number {
    const passed = localSecond - this.#localClock;
    return Math.abs(passed) <= MAX_SPAN_SECONDS && !isNear(second, this.#clock + passed) ? this.#clock + passed : second;
  }

  #findUnfinished({ unfinished }: Waiting<E>, failure: LoadFailure, place: number): RecordGroup<E> | undefined {
    const waiting = unfinished.get(descriptorOf(failure));
    if (waiting === undefined) return undefined;
    const { second, localSecond } = failure;
    const isYoungest = this.#preference === 'youngest';
    for (let step = -MAX_SPAN_SECONDS; step <= MAX_SPAN_SECONDS; step += 1) {
      const key = (isYoungest ? second - step : second + step) * PLACES + place;
      const group = isYoungest ? waiting.last(key) : waiting.first(key);
      if (group !== undefined) return group;
    }
    for (const group of waiting.lastGroups(MAX_LOOKS)) {
      if (group.next === place && isNear(group.localSecond, localSecond)) return group;
    }
    return undefined;
  }

  #addDeprecation(entry: E, record: Deprecation): void {
    const instants = this.#instants.secondsOf(record);
    const direct = this.#findDirect(entry);
    const waiting = this.#findComplete(record, instants);
    if (waiting?.isSound === true) this.#directEnds = direct === undefined ? 0 : this.#directEnds + 1;
    const isKept = direct !== undefined && this.#directEnds > DIRECT_ENDS;
    if (isKept && waiting !== direct) this.#kept.add(direct);
    const found = isKept ? direct : waiting;
    const freed = isKept ? undefined : this.#freeKept(record, instants, found);
    const group = freed ?? this.#exchanges.findHolding(found, instants) ?? found;
    if (group === undefined) {
      const part = this.#begin(entry, instants[0] ?? record.localSecond);
      this.#openCount -= 1;
      part.isOpen = false;
      return;
    }
    if (group.isOpen) this.#close(group);
    group.end(entry);
    if (group.second !== this.#clock) {
      this.#clock = group.second;
      this.#localClock = group.localSecond;
    }
    this.#clockLine = entry.line;
    this.#latest = group;
    this.#exchanges.settle(group);
  }

  /** The complete group of a deprecation record's own second that stands directly before it, without a line between. */
  #findDirect({ line, record }: E): RecordGroup<E> | undefined {
    const latest = this.#latest;
    if (latest?.isOpen !== true || latest.next !== this.#end || latest.lastFailureLine !== line - 1) return undefined;
    const isContiguous = latest.isSound && latest.firstLine === line - this.#end;
    return isContiguous && latest.localSecond === record.localSecond ? latest : undefined;
  }

  /** The complete group that a deprecation record ends. */
  #findComplete(record: Deprecation, instants: readonly number[]): RecordGroup<E> | undefined {
    return this.#findIn(this.#sound, record, instants) ?? this.#findIn(this.#parts, record, instants);
  }

  #findIn({ complete }: Waiting<E>, { localSecond }: Deprecation, instants: readonly number[]): RecordGroup<E> | undefined {
    if (complete.isEmpty) return undefined;
    for (const instant of instants) {
      for (let step = -MAX_SPAN_SECONDS; step <= MAX_SPAN_SECONDS; step += 1) {
        const group = complete.last(this.#preference === 'youngest' ? instant - step : instant + step);
        if (group !== undefined) return group;
      }
    }
    const isYoungest = this.#preference === 'youngest';
    let found: RecordGroup<E> | undefined;
    for (const group of complete.lastGroups(MAX_LOOKS)) {
      if (!isNear(group.localSecond, localSecond)) continue;
      if (found === undefined || group.second < found.second !== isYoungest) found = group;
    }
    return found;
  }

  /**
   * Frees a group that kept the record behind it for this deprecation record, if its deadline is before that of the group found: the
   * earlier group that waited gets the kept record.
   */
  #freeKept(record: Deprecation, instants: readonly number[], found: RecordGroup<E> | undefined): RecordGroup<E> | undefined {
    let looks = 0;
    for (const kept of this.#kept) {
      looks += 1;
      if (looks > MAX_LOOKS) return undefined;
      const { ending } = kept;
      const isEarlier = found === undefined || kept.second < found.second;
      if (!isEarlier || ending?.record.kind !== 'deprecation' || !canEnd(kept, record, instants)) continue;
      const earlier = this.#findComplete(ending.record, this.#instants.secondsOf(ending.record));
      if (earlier === undefined || earlier.lastFailureLine > ending.line) continue;
      this.#close(earlier);
      earlier.end(ending);
      this.#kept.delete(kept);
      return kept;
    }
    return undefined;
  }

  #begin(entry: E, second: number): RecordGroup<E> {
    const group = new RecordGroup<E>(entry, second);
    this.#queue.push(group);
    this.#heldBytes += group.heldBytes;
    this.#openCount += 1;
    this.#latest = group;
    return group;
  }

  #close(group: RecordGroup<E>): void {
    this.#stopWaiting(group);
    this.#openCount -= 1;
    group.isOpen = false;
  }

  #wait(group: RecordGroup<E>): void {
    const { next, second } = group;
    const { unfinished, complete } = this.#waitingLike(group);
    if (next === this.#end) complete.add(second, group);
    else unfinished.add(second * PLACES + next, group);
  }

  #stopWaiting(group: RecordGroup<E>): void {
    const { next, second } = group;
    const { unfinished, complete } = this.#waitingLike(group);
    if (next === this.#end) complete.remove(second, group);
    else unfinished.remove(second * PLACES + next, group);
  }

  #waitingLike({ isSound }: RecordGroup<E>): Waiting<E> {
    return isSound ? this.#sound : this.#parts;
  }
}

/** Groups that wait for a record. */
class Waiting<E extends Entry> {
  /** Those that wait for a load failure, by second and place. */
  readonly unfinished = new WaitingByDescriptor<E>();
  /** Complete ones, which wait for a deprecation record, by second. */
  readonly complete = new WaitingGroups<E>();
}

function isNear(second: number, other: number): boolean {
  return Math.abs(second - other) <= MAX_SPAN_SECONDS;
}

function areNear(instants: readonly number[], second: number): boolean {
  return instants.some((instant) => isNear(instant, second));
}

/** True for a deprecation record that is near a group by its clock or by an instant that it can mean. */
function canEnd(
  { second, localSecond }: Pick<RecordGroup, 'second' | 'localSecond'>,
  record: Deprecation,
  instants: readonly number[],
): boolean {
  return isNear(localSecond, record.localSecond) || areNear(instants, second);
}
