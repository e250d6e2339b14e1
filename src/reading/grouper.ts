import type { Deprecation, LoadFailure } from '../log/line.js';
import { DeprecationInstants } from './deprecation-instants.js';
import { exchangeEndings } from './ending-exchanges.js';
import { isNear, MAX_SPAN_SECONDS, RecordGroup, UNKNOWN, type Entry } from './record-group.js';

/** A group is given up when records that joined groups are further away from it than this. */
const GIVEN_UP_SECONDS = 2 * MAX_SPAN_SECONDS;

/** The oldest group is given up while more bytes than this are held, or more groups are open. */
const MAX_HELD_BYTES = 16 << 20;
const MAX_OPEN = 1024;

/** A deprecation record is kept by the group directly before it after this many in a row that directly followed their groups. */
const DIRECT_ENDS = 32;

/** The most groups that may yet give such a record to the group that waited for it. */
const MAX_KEPT = 64;

/** The target under which complete groups wait: they wait for a deprecation record, which shows none. */
const NO_TARGET = '';

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
 * A group is given up when no record can come for it any more, or when too much is held: memory and the work for a record stay bounded
 * whatever comes.
 */
export class Grouper<E extends Entry = Entry> {
  /** The number of plugins: the place of the deprecation record. */
  #end: number;
  /** True if of several groups that wait for a record the one of the nearest second gets it, and not the oldest. */
  readonly #isNearestFirst: boolean;
  readonly #instants = new DeprecationInstants();
  /** The open groups by target, in the order of their latest records. */
  #waiting = new Map<string, RecordGroup<E>[]>();
  /** Groups that kept the record behind them although one of an earlier second waited for it. */
  readonly #kept = new Set<RecordGroup<E>>();
  /**
   * The groups that have not been given out, from the index `#head` on, in the order of their first records. To shift an array of 240,000
   * groups, as many as are held of one second, takes time that is quadratic in them.
   */
  readonly #queue: RecordGroup<E>[] = [];
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
  constructor(plugins: number, preference: 'oldest' | 'nearest' = 'oldest') {
    this.#end = plugins;
    this.#isNearestFirst = preference === 'nearest';
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

  /** Takes a whole group that was read in another way, while no group is open. */
  passWhole(): void {
    this.#directEnds += 1;
    this.#latest = undefined;
  }

  /** Gives up all open groups. @param plugins the number that the groups behind them report */
  giveUp(plugins = this.#end): void {
    for (const group of this.#queue.slice(this.#head)) group.isOpen = false;
    this.#openCount = 0;
    // A new map: the dead tables of a long-lived one keep closed groups in memory until the next full garbage collection.
    this.#waiting = new Map();
    this.#end = plugins;
  }

  /** The next group that no more records join, whole or not, in the order of first records; undefined for none. */
  next(): RecordGroup<E> | undefined {
    const group = this.#queue[this.#head];
    if (group === undefined) return undefined;
    if (group.isOpen || group.heldFor?.isOpen === true) {
      const isOverfull = this.#openCount > MAX_OPEN || this.#heldBytes > MAX_HELD_BYTES;
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
    if (group.heldFor !== undefined) group.heldFor.holder = undefined;
    return group;
  }

  #addFailure(entry: E, failure: LoadFailure): void {
    const { place } = entry;
    const group = place > 0 ? this.#find(place, failure, [failure.second]) : undefined;
    if (group === undefined) {
      this.#begin(entry, this.#secondOf(failure), place !== UNKNOWN);
      return;
    }
    this.#stopWaiting(group);
    group.append(entry);
    this.#clock = isNear(failure.second, group.second) ? failure.second : group.second;
    this.#localClock = failure.localSecond;
    this.#clockLine = entry.line;
    this.#wait(group);
    if (group.next === this.#end && this.#isEndedBy(entry)) this.#close(group);
    this.#latest = group;
  }

  /** True for a last load failure directly behind a deprecation record that fitted no group: the two changed places. */
  #isEndedBy({ line, record }: E): boolean {
    const latest = this.#latest;
    return latest?.firstFailure === undefined && latest?.firstLine === line - 1 && latest.localSecond === record.localSecond;
  }

  /** The second of a record that begins a group; by the clock where the offset alone is another than that of the record before. */
  #secondOf({ second, localSecond }: LoadFailure): number {
    const passed = localSecond - this.#localClock;
    return Math.abs(passed) <= MAX_SPAN_SECONDS && !isNear(second, this.#clock + passed) ? this.#clock + passed : second;
  }

  #addDeprecation(entry: E, record: Deprecation): void {
    const instants = this.#instants.secondsOf(record);
    const direct = this.#findDirect(entry);
    const waiting = this.#find(this.#end, record, instants);
    if (waiting?.isSound === true) this.#directEnds = direct === undefined ? 0 : this.#directEnds + 1;
    const isKept = direct !== undefined && this.#directEnds > DIRECT_ENDS;
    if (isKept && waiting !== direct && this.#kept.size < MAX_KEPT) this.#kept.add(direct);
    const found = isKept ? direct : waiting;
    const freed = isKept ? undefined : this.#freeKept(record, instants, found);
    const group = freed ?? found;
    if (group === undefined) {
      this.#begin(entry, instants[0] ?? record.localSecond, false);
      return;
    }
    if (group.isOpen) this.#close(group);
    this.#clock = group.second;
    this.#localClock = group.localSecond;
    this.#clockLine = entry.line;
    this.#latest = group;
    group.end(entry);
    exchangeEndings(group, this.#waiting.get(NO_TARGET) ?? [], this.#instants);
  }

  /** The complete group of a deprecation record's own second that stands directly before it, without a line between. */
  #findDirect({ line, record }: E): RecordGroup<E> | undefined {
    const latest = this.#latest;
    if (latest?.isOpen !== true || latest.next !== this.#end || latest.lastLine !== line - 1) return undefined;
    const isContiguous = latest.isSound && latest.firstLine === line - this.#end;
    return isContiguous && latest.localSecond === record.localSecond ? latest : undefined;
  }

  /**
   * The group that waits for a record: one that begins with the first plugin before a part, one that is near by an instant before one
   * that is near by its clock alone, the earliest second first.
   *
   * @param instants the Unix seconds that the record can mean
   */
  #find(place: number, record: LoadFailure | Deprecation, instants: readonly number[]): RecordGroup<E> | undefined {
    const groups = this.#waiting.get(record.kind === 'load_failure' ? record.requestTarget : NO_TARGET);
    if (groups === undefined) return undefined;
    const takesLast = this.#isNearestFirst || place === this.#end;
    let found: RecordGroup<E> | undefined;
    let best = Infinity;
    for (const group of groups) {
      if (group.next !== place) continue;
      const rank = this.#rankOf(group, record, instants);
      if (rank > best || (rank === best && !takesLast) || rank === Infinity) continue;
      if (record.kind === 'load_failure' && group.firstFailure?.httpMethod !== record.httpMethod) continue;
      found = group;
      best = rank;
    }
    return found;
  }

  /** A number that is less for a group that a record rather joins; Infinity for a group that the record is far from. */
  #rankOf(group: RecordGroup<E>, { localSecond }: LoadFailure | Deprecation, instants: readonly number[]): number {
    const base = group.isSound ? 0 : 1 << 20;
    for (const instant of instants) {
      const canExchange = group.holder?.second === instant;
      if (isNear(group.second, instant)) return base + this.#rankBy(group.second - instant) - (canExchange ? 0.5 : 0);
    }
    return isNear(group.localSecond, localSecond) ? base + 1024 + this.#rankBy(group.localSecond - localSecond) : Infinity;
  }

  #rankBy(distance: number): number {
    return this.#isNearestFirst ? Math.abs(distance) : distance;
  }

  /**
   * Frees a group that kept the record behind it for this deprecation record, if its deadline is before that of the group found: the
   * earlier group that waited gets the kept record.
   */
  #freeKept(record: Deprecation, instants: readonly number[], found: RecordGroup<E> | undefined): RecordGroup<E> | undefined {
    for (const kept of this.#kept) {
      const { ending } = kept;
      const isEarlier = found === undefined || kept.second < found.second;
      if (!isEarlier || ending?.record.kind !== 'deprecation' || this.#rankOf(kept, record, instants) === Infinity) continue;
      const earlier = this.#find(this.#end, ending.record, this.#instants.secondsOf(ending.record));
      if (earlier === undefined || earlier.lastLine > ending.line) continue;
      this.#close(earlier);
      earlier.end(ending);
      this.#kept.delete(kept);
      return kept;
    }
    return undefined;
  }

  /** Begins a group with a record. */
  #begin(entry: E, second: number, isOpen: boolean): void {
    const group = new RecordGroup<E>(entry, second);
    this.#queue.push(group);
    this.#heldBytes += group.heldBytes;
    this.#latest = group;
    group.isOpen = isOpen;
    if (!isOpen) return;
    this.#openCount += 1;
    this.#wait(group);
  }

  #close(group: RecordGroup<E>): void {
    this.#stopWaiting(group);
    this.#openCount -= 1;
    group.isOpen = false;
  }

  #wait(group: RecordGroup<E>): void {
    const target = this.#targetOf(group);
    const groups = this.#waiting.get(target);
    if (groups === undefined) this.#waiting.set(target, [group]);
    else groups.push(group);
  }

  #stopWaiting(group: RecordGroup<E>): void {
    const target = this.#targetOf(group);
    const groups = this.#waiting.get(target) ?? [];
    if (groups.length > 1) groups.splice(groups.indexOf(group), 1);
    else this.#waiting.delete(target);
  }

  /** The target of the record that a group waits for. */
  #targetOf({ next, target }: RecordGroup<E>): string {
    return next === this.#end ? NO_TARGET : target;
  }
}
