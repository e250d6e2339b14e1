import type { Deprecation, LoadFailure } from '../log/line.js';
import { CompleteGroups } from './complete-groups.js';
import { DeprecationInstants } from './deprecation-instants.js';
import { repeats, UNKNOWN, type Entry } from './entry.js';
import { GroupQueue } from './group-queue.js';
import { MAX_SPAN_SECONDS, OpenGroup, PendingDeprecation, type Membership } from './open-group.js';
import { Recency } from './recency.js';
import { UnfinishedGroups } from './unfinished-groups.js';

/** So many groups are held at most behind one that starves, unless they are less than 2 s apart. */
const MAX_HELD_GROUPS = 1024;

/**
 * Puts the records of a log together to groups. The records of concurrent requests interleave; those of one group stay in order among
 * themselves, at most 2 s apart. No other class says which record belongs to which group; those below are its parts.
 *
 * A load failure joins the oldest group of its descriptor that waits for its plugin (`UnfinishedGroups`); that of the first plugin
 * begins a group. Deprecation records are matched with complete groups (`CompleteGroups`).
 *
 * A record that fits nowhere is of a broken group, and may begin one; when a broken group is given out, `mend` puts such parts together.
 * None of that happens in a log in which no record is missing, so whole groups never depend on it (`GroupQueue`).
 *
 * A group is given up when no record can come for it any more (`Recency`), or when open groups hold too many bytes: memory stays bounded
 * whatever comes, and the work for a record does not grow with what is open.
 */
export class Assembler<E extends Entry = Entry> {
  /** The number of plugins: the place of the deprecation record. */
  readonly #end: number;
  readonly #instants = new DeprecationInstants();
  readonly #queue: GroupQueue<E>;
  readonly #unfinished = new UnfinishedGroups<E>();
  readonly #complete = new CompleteGroups<E>();
  readonly #recency = new Recency<E>();
  /** The number of open groups. */
  #open = 0;
  /** The entry that came last, and its group. */
  #latestEntry: E | undefined;
  #latest: OpenGroup<E> | undefined;
  /** The group that was begun last. */
  #youngest: OpenGroup<E> | undefined;
  #settled: OpenGroup<E>[] = [];

  /** @param plugins the number that a group reports */
  constructor(plugins: number) {
    this.#end = plugins;
    this.#queue = new GroupQueue(plugins);
  }

  /** True while no group is open, so that a group that stands whole in the log would be taken as it stands. */
  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** The line from which on groups have not been given out. */
  get firstOpenLine(): number {
    return this.#queue.at(0)?.firstLine ?? Infinity;
  }

  /** Takes the next record of the log. */
  add(entry: E): Membership<E> {
    this.#giveUpOverfull();
    if (this.#open === 0 && !this.#mayJoinLatest(entry)) this.rest();
    const { record } = entry;
    const membership = record.kind === 'load_failure' ? this.#addFailure(entry, record) : this.#addDeprecation(entry, record);
    this.#latestEntry = entry;
    this.#latest = membership.group;
    this.#settle();
    return membership;
  }

  /** Gives out what is held though no group is open. To be called when something other than a record comes while `isIdle`. */
  rest(): void {
    if (this.#queue.length > 0) this.#giveOut(this.#queue.length);
    this.#latest = undefined;
    this.#recency.clear();
  }

  /** The groups that have come to stand first since the last call, in the order of their first records. */
  drain(): readonly OpenGroup<E>[] {
    const settled = this.#settled;
    if (settled.length > 0) this.#settled = [];
    return settled;
  }

  /** Gives up what is open: no more records come. */
  end(): void {
    for (const group of this.#queue) if (group.state === 'open') this.#giveUp(group);
    this.rest();
  }

  #addFailure(entry: E, failure: LoadFailure): OpenGroup<E> {
    const isRepeated = repeats(entry, this.#latestEntry);
    if (entry.place === 0) return this.#begin(entry, failure.second, { isRepeat: isRepeated });
    const isUnknown = entry.place === UNKNOWN;
    const found = isUnknown ? undefined : this.#unfinished.find(entry, failure, this.#latest, isRepeated);
    if (found !== undefined) {
      this.#append(found, entry, failure);
      return found;
    }
    const part = this.#begin(entry, failure.second, { isBroken: true });
    // No more records join an unknown one.
    if (isUnknown) this.#giveUp(part);
    return part;
  }

  #begin(entry: E, second: number, traits: { readonly isRepeat?: boolean; readonly isBroken?: boolean } = {}): OpenGroup<E> {
    const group = new OpenGroup<E>(entry, second, traits);
    // Every group that was open when the youngest began has its interruption since then.
    const before = this.#youngest;
    if (before?.state === 'open') before.interruption ??= { by: group, line: group.firstLine };
    this.#youngest = group;
    this.#queue.push(group);
    this.#open += 1;
    if (entry.record.kind === 'load_failure') {
      group.append(entry);
      this.#wait(group);
    }
    return group;
  }

  #append(group: OpenGroup<E>, entry: E, failure: LoadFailure): void {
    this.#stopWaiting(group);
    if (entry.place !== group.next || !group.isNear(failure)) group.isBroken = true;
    group.append(entry);
    this.#wait(group);
  }

  #wait(group: OpenGroup<E>): void {
    (group.next === this.#end ? this.#complete : this.#unfinished).add(group);
  }

  #stopWaiting(group: OpenGroup<E>): void {
    (group.next === this.#end ? this.#complete : this.#unfinished).remove(group);
  }

  #addDeprecation(entry: E, record: Deprecation): PendingDeprecation<E> {
    const pending = new PendingDeprecation<E>(entry, record, this.#instants.secondsOf(record));
    const group = this.#complete.end(pending, this.#completeBehind(entry.line)) ?? this.#endBroken(pending);
    this.#close(group);
    return pending;
  }

  /** Ends a broken group by a deprecation record that no complete group waits for: one that exists, or one of this record alone. */
  #endBroken(pending: PendingDeprecation<E>): OpenGroup<E> {
    const found = this.#openBefore(pending) ?? this.#complete.findBroken(pending);
    if (found !== undefined) this.#stopWaiting(found);
    const { entry, instants } = pending;
    const group = found ?? this.#begin(entry, instants[0] ?? entry.record.localSecond);
    group.isBroken = true;
    pending.end(group);
    return group;
  }

  /** The complete group whose last record stands on the line before. A record alone may as well be one too many. */
  #completeBehind(line: number): OpenGroup<E> | undefined {
    const latest = this.#latest;
    if (latest?.state !== 'open' || latest.lastLine !== line - 1 || latest.next !== this.#end) return undefined;
    return latest.failures.length === 1 && (latest.isBroken || latest.isRepeat) ? undefined : latest;
  }

  /**
   * The group of the record before, which then is missing records. Lines of other kinds may stand between: one of them may be a torn
   * record of the group. While other groups are open, too, it may be that of a request that the log has no other record of.
   */
  #openBefore(pending: PendingDeprecation<E>): OpenGroup<E> | undefined {
    const latest = this.#latest;
    if (latest?.state !== 'open' || latest.lastLine !== this.#latestEntry?.line) return undefined;
    if (latest.next === this.#end) return latest;
    const isLikely = this.#open === 1 || latest.isBroken;
    return isLikely && pending.distanceTo(latest) <= MAX_SPAN_SECONDS ? latest : undefined;
  }

  /** Takes note of a group that has ended. */
  #close(group: OpenGroup<E>): void {
    this.#open -= 1;
    if (group.isWhole) this.#recency.note(group);
    else this.#joinStrays(group);
  }

  #giveUp(group: OpenGroup<E>): void {
    this.#stopWaiting(group);
    this.#open -= 1;
    const starved = group.next === this.#end && !group.isBroken ? this.#complete.giveBack(group) : group;
    starved.isBroken = true;
    starved.state = 'given-up';
  }

  #joinStrays(group: OpenGroup<E>): void {
    for (const stray of this.#queue.takeStrays(group)) if (stray.state === 'open') this.#giveUp(stray);
  }

  /** True where a record may still belong to a broken group that is held though nothing is open. */
  #mayJoinLatest({ line, record, place }: E): boolean {
    const latest = this.#latest;
    return (
      latest !== undefined &&
      !latest.isSettled &&
      place !== 0 &&
      latest.lastLine === line - 1 &&
      record.kind === 'load_failure' &&
      latest.firstFailure?.requestTarget === record.requestTarget
    );
  }

  #giveUpOverfull(): void {
    while (this.#queue.isOverfull) {
      const oldest = this.#queue.at(0);
      if (oldest?.state === 'open') this.#giveUp(oldest);
      this.#giveOut(1);
    }
  }

  /** Gives out what no open group stands before. A broken group waits for its parts as long as any group near it is open. */
  #settle(): void {
    let count = 0;
    for (let group = this.#queue.at(0); group !== undefined; group = this.#queue.at(count)) {
      if (this.#isHeld(group) || (!group.isWhole && !this.#recency.isFarBehind(group))) break;
      if (group.interruption !== undefined && this.#isHeld(group.interruption.by)) break;
      count += 1;
    }
    if (count > 0) this.#giveOut(count);
  }

  /** True for an open group; one for which no record can come any more is given up. */
  #isHeld(group: OpenGroup<E>): boolean {
    if (group.state !== 'open') return false;
    if (!this.#recency.isFarBehind(group)) return true;
    if (group.next === this.#end && !group.isBroken && !this.#recency.isOutOfReach(group)) {
      if (this.#queue.length <= MAX_HELD_GROUPS) return true;
      // From here on the open group is the younger one, if there is one.
      if (this.#complete.passOn(group)) return false;
    }
    this.#giveUp(group);
    return false;
  }

  #giveOut(count: number): void {
    for (const group of this.#queue.take(count)) {
      this.#complete.forget(group);
      this.#settled.push(group);
    }
  }
}
