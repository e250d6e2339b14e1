import type { Deprecation, LoadFailure, LogRecord } from '../log/line.js';
import { DeprecationInstants } from './deprecation-instants.js';
import { isNear, MAX_SPAN_SECONDS, RecordGroup, UNKNOWN, type Entry } from './record-group.js';
import type { WholeGroup } from './whole-group.js';

const GIVEN_UP_SECONDS = 2 * MAX_SPAN_SECONDS;

const MAX_HELD_BYTES = 16 << 20;
const MAX_OPEN = 1024;

/** After this many deprecation records in a row that directly followed their groups, the group directly before one takes it. */
const DIRECT_ENDS = 32;

const MAX_PLAIN = 16;

/** The target under which complete groups wait for a deprecation record, which shows none. */
const NO_TARGET = '';

type Request = Pick<WholeGroup, 'second' | 'method' | 'target'> & { readonly sessionId?: string | undefined };

/**
 * Puts the records of a log together to groups. No other file says which record belongs to which group.
 *
 * - A load failure of the first plugin begins a group. Another one joins a group of its descriptor that waits for exactly its place, at
 *   most 2 s away by offset or by clock, the earliest second first. What fits nowhere begins a part of a broken group.
 * - A load failure of the first plugin with a session id, near a group of its descriptor without one, was required again: it begins no group.
 * - A deprecation record carries no descriptor. It ends the complete group of the earliest second within 2 s, and among those of a second
 *   the one completed last. Nothing of a request hangs on this choice.
 */
export class Grouper<E extends Entry = Entry> {
  readonly #instants = new DeprecationInstants();
  #waiting = new Map<string, RecordGroup<E>[]>();
  /** The groups that have not been given out, from `#head` on, by first records: to shift a long array takes quadratic time. */
  readonly #queue: RecordGroup<E>[] = [];
  #head = 0;
  #heldBytes = 0;
  #openCount = 0;
  /** The second of the record that joined a group last, the same by its clock, and its line. */
  #clock = NaN;
  #localClock = NaN;
  #clockLine = 0;
  #latest: RecordGroup<E> | undefined;
  #directEnds = DIRECT_ENDS;
  readonly #plain: Request[] = [];
  #plainCount = 0;
  #unsettled: RecordGroup<E> | undefined;

  /**
   * @param plugins the number that groups report
   * @param hasEndings false while a complete group waits for the next line alone, not for a deprecation record
   * @param isOwnFirst true to give a record to a group of its own second, if one waits for it, before the oldest
   */
  constructor(
    private plugins: number,
    public hasEndings: boolean,
    private readonly isOwnFirst = false,
  ) {}

  get isIdle(): boolean {
    return this.#openCount === 0;
  }

  get firstOpenLine(): number {
    return this.#queue[this.#head]?.firstLine ?? Infinity;
  }

  add(entry: E): void {
    const { record } = entry;
    if (record.kind === 'deprecation') this.#addDeprecation(entry, record);
    else {
      this.settle();
      this.#addFailure(entry, record);
    }
  }

  passWhole(group: WholeGroup): void {
    this.#addPlain(group);
    this.#directEnds += 1;
    this.#latest = undefined;
  }

  /** True for a load failure of the first plugin that shows a session, where a group of its descriptor that shows none is near. */
  isRequiredAgain({ sessionId, second, method, target }: Request): boolean {
    if (sessionId === undefined) return false;
    return this.#plain.some((plain) => isNear(plain.second, second) && plain.target === target && plain.method === method);
  }

  settle(): boolean {
    const group = this.#unsettled;
    this.#unsettled = undefined;
    if (group?.isOpen !== true) return false;
    this.#close(group);
    return true;
  }

  /** Gives up all open groups. @param plugins the number that the groups behind them report */
  giveUp(plugins = this.plugins): void {
    for (const group of this.#queue.slice(this.#head)) group.isOpen = false;
    this.#openCount = 0;
    // A new map: the dead tables of a long-lived one keep closed groups in memory until the next full garbage collection.
    this.#waiting = new Map();
    this.plugins = plugins;
  }

  *closed(): Generator<RecordGroup<E>> {
    for (let group = this.next(); group !== undefined; group = this.next()) yield group;
  }

  next(): RecordGroup<E> | undefined {
    const group = this.#queue[this.#head];
    if (group === undefined) return undefined;
    if (group.isOpen) {
      const isOverfull = this.#openCount > MAX_OPEN || this.#heldBytes > MAX_HELD_BYTES;
      const isFarBehind = this.#clockLine > group.firstLine && Math.abs(this.#clock - group.second) > GIVEN_UP_SECONDS;
      if (!isOverfull && !isFarBehind) return undefined;
      this.#close(group);
    }
    this.#head += 1;
    if (2 * this.#head > this.#queue.length) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
    this.#heldBytes -= group.heldBytes;
    return group;
  }

  #addFailure(entry: E, failure: LoadFailure): void {
    const { place, line } = entry;
    const { sessionId, second, httpMethod: method, requestTarget: target } = failure;
    const group = place > 0 ? this.#find(place, failure, [second]) : undefined;
    if (group === undefined) {
      const request = { sessionId, second, method, target };
      const isAgain = place === 0 && this.isRequiredAgain(request);
      if (place === 0) this.#addPlain(request);
      this.#begin(isAgain ? { ...entry, place: UNKNOWN } : entry, this.#secondOf(failure), !isAgain && place !== UNKNOWN);
      return;
    }
    this.#stopWaiting(group);
    group.append(entry);
    this.#follow(group, line, isNear(second, group.second) ? second : group.second, failure.localSecond);
    this.#wait(group);
  }

  /** The second of a record that begins a group; by the clock where the offset alone is another than that of the record before. */
  #secondOf({ second, localSecond }: LoadFailure): number {
    const passed = localSecond - this.#localClock;
    return Math.abs(passed) <= MAX_SPAN_SECONDS && !isNear(second, this.#clock + passed) ? this.#clock + passed : second;
  }

  #addDeprecation(entry: E, record: Deprecation): void {
    const instants = this.#instants.secondsOf(record);
    const direct = this.#findDirect(entry);
    const earliest = this.#find(this.plugins, record, instants);
    if (earliest?.isSound === true) this.#directEnds = direct === undefined ? 0 : this.#directEnds + 1;
    const group = this.#directEnds > DIRECT_ENDS ? (direct ?? earliest) : earliest;
    if (group === undefined) {
      this.#begin(entry, instants[0] ?? record.localSecond, false);
      return;
    }
    this.#close(group);
    this.#follow(group, entry.line, group.second, group.localSecond);
    group.append(entry);
  }

  #follow(group: RecordGroup<E>, line: number, second: number, localSecond: number): void {
    this.#clock = second;
    this.#localClock = localSecond;
    this.#clockLine = line;
    this.#latest = group;
  }

  #findDirect({ line, record }: E): RecordGroup<E> | undefined {
    const latest = this.#latest;
    if (latest?.isOpen !== true || latest.next !== this.plugins || latest.lastLine !== line - 1) return undefined;
    return latest.localSecond === record.localSecond ? latest : undefined;
  }

  #find(place: number, record: LogRecord, instants: readonly number[]): RecordGroup<E> | undefined {
    const groups = this.#waiting.get(record.kind === 'load_failure' ? record.requestTarget : NO_TARGET);
    const takesLast = this.isOwnFirst || place === this.plugins;
    let found: RecordGroup<E> | undefined;
    let best = Infinity;
    for (const group of groups ?? []) {
      if (group.next !== place) continue;
      const rank = this.#rankOf(group, record, instants);
      if (rank > best || (rank === best && !takesLast) || rank === Infinity) continue;
      if (record.kind === 'load_failure' && group.firstFailure?.httpMethod !== record.httpMethod) continue;
      found = group;
      best = rank;
    }
    return found;
  }

  /** Less for a better group: whole so far before parts, near by an instant before near by the clock, the earliest first. Infinity if far. */
  #rankOf(group: RecordGroup<E>, { localSecond }: LogRecord, instants: readonly number[]): number {
    const base = group.isSound ? 0 : 1 << 20;
    for (const instant of instants) if (isNear(group.second, instant)) return base + this.#rankBy(group.second - instant);
    return isNear(group.localSecond, localSecond) ? base + 1024 + this.#rankBy(group.localSecond - localSecond) : Infinity;
  }

  #rankBy(distance: number): number {
    return this.isOwnFirst && distance === 0 ? -GIVEN_UP_SECONDS : distance;
  }

  #begin(entry: E, second: number, isOpen: boolean): void {
    const group = new RecordGroup(this.plugins, this.hasEndings, entry, second);
    this.#queue.push(group);
    this.#heldBytes += group.heldBytes;
    this.#latest = group;
    group.isOpen = isOpen;
    if (!isOpen) return;
    this.#openCount += 1;
    this.#wait(group);
  }

  #addPlain(request: Request): void {
    if (request.sessionId !== undefined) return;
    this.#plain[this.#plainCount % MAX_PLAIN] = request;
    this.#plainCount += 1;
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
    if (!this.hasEndings && group.isComplete) this.#unsettled = group;
  }

  #stopWaiting(group: RecordGroup<E>): void {
    const target = this.#targetOf(group);
    const groups = this.#waiting.get(target) ?? [];
    if (groups.length > 1) groups.splice(groups.indexOf(group), 1);
    else this.#waiting.delete(target);
  }

  #targetOf({ next, target }: RecordGroup<E>): string {
    return next === this.plugins ? NO_TARGET : target;
  }
}
