import type { Deprecation, LoadFailure } from '../log/line.js';
import { DeprecationInstants } from './deprecation-instants.js';
import type { Entry } from './entry.js';
import { UNKNOWN } from './entry.js';
import { FailingGroups } from './failing-groups.js';
import { mend } from './mend.js';
import { MAX_SPAN_SECONDS, OpenGroup, PendingDeprecation, type Membership } from './open-group.js';
import { reassignEndings } from './reassign-endings.js';
import { WaitingGroups } from './waiting-groups.js';

/** Groups that have not been given out hold so many bytes of targets at most. */
const MAX_OPEN_BYTES = 16 << 20;

/** A complete group that waits is kept twice as long as a record may be late: a later group may pass its deprecation record on. */
const MAX_WAIT_SECONDS = 2 * MAX_SPAN_SECONDS;

/**
 * Puts the records of a log together to groups. The records of concurrent requests interleave; those of one group stay in order among
 * themselves, at most 2 s apart. No other place in the project says which record belongs to which group.
 *
 * A load failure joins the oldest group of its descriptor that waits for its plugin; that of the first plugin begins a group.
 *
 * A deprecation record carries no descriptor. Those of a log and its complete groups are matched like slots and jobs with deadlines: a
 * group can take any record from its own completion on until 2 s after its first record, so the one with the earliest deadline is to go
 * first (Glover's greedy for convex bipartite graphs). Groups of the record's own second go before that, unless a group would miss its
 * deadline. The rare group that starves all the same gets its record by an augmenting path (`reassignEndings`).
 *
 * A record that fits nowhere is of a broken group. It joins the group of its descriptor that waits for an earlier plugin, or begins a
 * group of its own; when a broken group is given out, `mend` puts such parts together. None of that happens in a log in which no
 * record is missing, so whole groups never depend on it.
 *
 * A group is given up when one that began after it and is too far from it in time has ended, or when open groups hold too many bytes:
 * memory stays bounded whatever comes, and the work for a record does not grow with what is open.
 */
export class Assembler<E extends Entry = Entry> {
  /** How many plugins there are: the place of the deprecation record. */
  readonly #end: number;
  readonly #instants = new DeprecationInstants();
  /** From the oldest group on that has not been given out, all groups in the order of their first records. */
  readonly #queue: OpenGroup<E>[] = [];
  /** Groups that wait for a load failure: sound ones and broken ones. */
  readonly #failing = new FailingGroups<E>();
  readonly #failingBroken = new FailingGroups<E>();
  readonly #failingRepeats = new FailingGroups<E>();
  /** Complete groups by the second of their first record, and by the same on their clocks. */
  readonly #waiting = new WaitingGroups<E>();
  readonly #waitingLocally = new WaitingGroups<E>();
  readonly #waitingBroken = new WaitingGroups<E>();
  /** How many groups are open. */
  #open = 0;
  #openBytes = 0;
  /** The entry that came last, and its group. */
  #latestEntry: E | undefined;
  #latest: OpenGroup<E> | undefined;
  /** The group that was begun last. */
  #youngest: OpenGroup<E> | undefined;
  /** The group that got a deprecation record before an older one of its second, because the record stands behind it. */
  #preferred: OpenGroup<E> | undefined;
  /** The whole group that was ended last. */
  #latestWhole: OpenGroup<E> | undefined;
  /** Groups that have not been given out and got a deprecation record before one of its own second, by that second. */
  readonly #borrowers = new Map<number, OpenGroup<E>[]>();
  #settled: OpenGroup<E>[] = [];

  /** @param plugins how many a group reports */
  constructor(plugins: number) {
    this.#end = plugins;
  }

  /** True while no group is open, so that a group that stands whole in the log would be taken as it stands. */
  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** The line from which on groups have not been given out. */
  get firstOpenLine(): number {
    return this.#queue[0]?.firstLine ?? Infinity;
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
    const { place } = entry;
    if (place === UNKNOWN) return this.#beginBroken(entry, failure.second);
    if (place === 0) return this.#begin(entry, failure);
    const group =
      this.#findSound(entry, failure) ??
      this.#findBehind(entry, failure) ??
      this.#failingBroken.findNext(failure, place) ??
      (this.#isRepeated(entry) ? undefined : this.#findGap(failure, place));
    if (group === undefined) return this.#beginPart(entry, failure);
    this.#append(group, entry, !this.#isNear(group, failure));
    return group;
  }

  /**
   * The oldest sound group that waits for a load failure. A group whose only record repeats that of the line before may be no group but
   * a record too many: it comes last, unless it would miss its deadline.
   */
  #findSound({ place, line }: E, failure: LoadFailure): OpenGroup<E> | undefined {
    const group = this.#failing.findNext(failure, place);
    const repeat = this.#failingRepeats.findNext(failure, place);
    if (group === undefined || repeat === undefined) return group ?? repeat;
    const isLate = repeat.second <= failure.second - MAX_SPAN_SECONDS;
    return isLate && group.lastLine !== line - 1 ? repeat : group;
  }

  /** The group of the record on the line before, if that waits for a load failure of this descriptor: only the time is another. */
  #findBehind({ place, line }: E, failure: LoadFailure): OpenGroup<E> | undefined {
    const latest = this.#latest;
    if (latest?.state !== 'open' || latest.next !== place || latest.lastLine !== line - 1) return undefined;
    const first = latest.firstFailure;
    return first?.requestTarget === failure.requestTarget && first.httpMethod === failure.httpMethod ? latest : undefined;
  }

  #begin(entry: E, failure: LoadFailure): OpenGroup<E> {
    const group = new OpenGroup<E>(entry, failure.second);
    group.isRepeat = this.#isRepeated(entry);
    this.#enqueue(group);
    this.#append(group, entry);
    return group;
  }

  /** A part of a broken group that more records may join. */
  #beginPart(entry: E, failure: LoadFailure): OpenGroup<E> {
    const group = new OpenGroup<E>(entry, failure.second);
    group.isBroken = true;
    this.#enqueue(group);
    this.#append(group, entry);
    return group;
  }

  /** A part of a broken group that no more records join. */
  #beginBroken(entry: E, second: number): OpenGroup<E> {
    const group = new OpenGroup<E>(entry, second);
    group.isBroken = true;
    this.#enqueue(group);
    group.append(entry);
    this.#close(group, 'given-up');
    return group;
  }

  #enqueue(group: OpenGroup<E>): void {
    // Every group that was open when the youngest began has its interruption since then.
    const before = this.#youngest;
    if (before?.state === 'open') before.interruption ??= { by: group, line: group.firstLine };
    this.#youngest = group;
    this.#queue.push(group);
    this.#open += 1;
    this.#openBytes += group.heldBytes;
  }

  #append(group: OpenGroup<E>, entry: E, isOfOtherTime = false): void {
    if (group.failures.length > 0) this.#shelfOf(group).remove(group);
    if (entry.place !== group.next || isOfOtherTime) group.isBroken = true;
    group.append(entry);
    if (group.next < this.#end) this.#shelfOf(group).add(group);
    else this.#wait(group);
  }

  #isNear({ second, localSecond }: OpenGroup<E>, failure: LoadFailure): boolean {
    return (
      Math.abs(failure.second - second) <= MAX_SPAN_SECONDS || Math.abs(failure.localSecond - localSecond) <= MAX_SPAN_SECONDS
    );
  }

  #shelfOf({ isBroken, isRepeat, failures }: OpenGroup<E>): FailingGroups<E> {
    if (isBroken) return this.#failingBroken;
    return isRepeat && failures.length === 1 ? this.#failingRepeats : this.#failing;
  }

  #wait(group: OpenGroup<E>): void {
    if (group.isBroken) {
      // A record alone may as well be one too many.
      if (group.failures.length > 1) this.#waitingBroken.add(group.localSecond, group);
      return;
    }
    this.#waiting.add(group.second, group);
    this.#waitingLocally.add(group.localSecond, group);
  }

  #stopWaiting(group: OpenGroup<E>): void {
    if (group.isBroken) {
      this.#waitingBroken.remove(group.localSecond, group);
      return;
    }
    this.#waiting.remove(group.second, group);
    this.#waitingLocally.remove(group.localSecond, group);
  }

  /** The group of a failure's descriptor that waits for the plugin next before its own: records between are missing. */
  #findGap(failure: LoadFailure, place: number): OpenGroup<E> | undefined {
    const least = Math.max(1, place - MAX_GAP);
    for (let before = place - 1; before >= least; before -= 1) {
      const group = this.#failing.findNext(failure, before) ?? this.#failingBroken.findNext(failure, before);
      if (group !== undefined) return group;
    }
    return undefined;
  }

  /** True for a record that stands on the line before, too. */
  #isRepeated({ place, line, record }: E): boolean {
    const before = this.#latestEntry;
    if (before?.line !== line - 1 || before.place !== place || record.kind !== 'load_failure') return false;
    return (
      before.record.kind === 'load_failure' &&
      before.record.localSecond === record.localSecond &&
      before.record.requestTarget === record.requestTarget &&
      before.record.httpMethod === record.httpMethod
    );
  }

  #addDeprecation(entry: E, record: Deprecation): PendingDeprecation<E> {
    const pending = new PendingDeprecation<E>(entry, record, this.#instants.secondsOf(record));
    const group = this.#findComplete(pending);
    if (group !== undefined) {
      this.#stopWaiting(group);
      pending.end(group);
      this.#noteBorrower(group, pending);
      this.#close(group, 'ended');
      if (group !== this.#preferred) this.#keepOrder(group);
      return pending;
    }
    if (!this.#waiting.isEmpty) {
      const starved = reassignEndings(pending, this.#queue, this.#end);
      if (starved !== undefined) {
        this.#stopWaiting(starved);
        this.#close(starved, 'ended');
        return pending;
      }
    }
    const broken = this.#findBroken(pending);
    if (broken !== undefined) {
      if (broken.next === this.#end) this.#stopWaiting(broken);
      else this.#shelfOf(broken).remove(broken);
      broken.isBroken = true;
      pending.end(broken);
      this.#close(broken, 'ended');
      return pending;
    }
    const alone = new OpenGroup<E>(entry, pending.instants[0] ?? record.localSecond);
    alone.isBroken = true;
    this.#enqueue(alone);
    pending.end(alone);
    this.#close(alone, 'given-up');
    return pending;
  }

  /** The complete group that a deprecation record ends. */
  #findComplete(pending: PendingDeprecation<E>): OpenGroup<E> | undefined {
    const waiting = this.#waiting;
    const latest = this.#completeBehind(pending.entry.line);
    let found: OpenGroup<E> | undefined;
    for (const instant of pending.instants) {
      const own = waiting.oldest(instant);
      if (latest?.second === instant) {
        // Uninterrupted, a record is most likely that of the group before. If older groups get theirs yet, `#keepOrder` sees to it.
        if (own !== latest) this.#preferred = latest;
        return latest;
      }
      const oldest = waiting.oldest(instant - MAX_SPAN_SECONDS);
      if (oldest !== undefined) return oldest;
      found ??= own;
    }
    found ??= this.#waitingBroken.oldest(pending.record.localSecond);
    if (found !== undefined) return found;
    for (const instant of pending.instants) found ??= oldestAbout(waiting, instant);
    return found ?? oldestAbout(this.#waitingLocally, pending.record.localSecond);
  }

  /** The complete group whose last record stands on the line before. A record alone may as well be one too many. */
  #completeBehind(line: number): OpenGroup<E> | undefined {
    const latest = this.#latest;
    if (latest?.state !== 'open' || latest.lastLine !== line - 1 || latest.next !== this.#end) return undefined;
    return latest.failures.length === 1 && (latest.isBroken || latest.isRepeat) ? undefined : latest;
  }

  /** Gives an older group the earlier of two deprecation records: the younger one was preferred, since the record stood behind it. */
  #keepOrder(group: OpenGroup<E>): void {
    const preferred = this.#preferred;
    const [own, earlier] = [group.ending, preferred?.ending];
    if (own === undefined || earlier === undefined || preferred === undefined || preferred.isSettled) return;
    const isOlder = group.firstLine < preferred.firstLine && group.second === preferred.second;
    if (!isOlder || group.lastFailureLine > earlier.entry.line || own.record.localSecond !== earlier.record.localSecond) return;
    earlier.end(group);
    own.end(preferred);
  }

  /** Takes note of a group whose deprecation record is of a later second: it may have to give that back. */
  #noteBorrower(group: OpenGroup<E>, { instants }: PendingDeprecation<E>): void {
    const second = instants.find((instant) => Math.abs(instant - group.second) <= MAX_SPAN_SECONDS);
    if (second === undefined || second <= group.second) return;
    group.borrowedSecond = second;
    const borrowers = this.#borrowers.get(second);
    if (borrowers === undefined) this.#borrowers.set(second, [group]);
    else borrowers.push(group);
  }

  #forgetBorrower(group: OpenGroup<E>): void {
    const second = group.borrowedSecond;
    if (second === undefined) return;
    const borrowers = this.#borrowers.get(second)?.filter((other) => other !== group) ?? [];
    if (borrowers.length === 0) this.#borrowers.delete(second);
    else this.#borrowers.set(second, borrowers);
    group.borrowedSecond = undefined;
  }

  /**
   * Ends a complete group that starves with a record that an older group borrowed, though it is nearer to this one. Then that one
   * starves, and so on to the group that was the first to wait in vain: the record that is missing is most likely its.
   */
  #payBack(starved: OpenGroup<E>): OpenGroup<E> {
    for (let group = starved; ;) {
      const borrower = this.#findBorrower(group);
      if (borrower === undefined) return group;
      this.#forgetBorrower(borrower);
      group = borrower;
    }
  }

  /** Finds a group that borrowed a record near a starved one, and ends that one: by this record, or by those of groups between. */
  #findBorrower(starved: OpenGroup<E>): OpenGroup<E> | undefined {
    for (let delta = 0; delta < MAX_SPAN_SECONDS; delta += 1) {
      for (const borrower of this.#borrowers.get(starved.second + delta) ?? []) {
        if (borrower.second >= starved.second || borrower.ending === undefined) continue;
        const takers = findTakers(borrower.ending, starved, this.#queue);
        if (takers === undefined) continue;
        let { ending } = borrower;
        borrower.ending = undefined;
        for (const taker of takers) {
          const own: PendingDeprecation<E> | undefined = taker.ending;
          ending.end(taker);
          this.#forgetBorrower(taker);
          this.#noteBorrower(taker, ending);
          if (own !== undefined) ending = own;
        }
        return borrower;
      }
    }
    return undefined;
  }

  /** True while a group may have to give a borrowed record back, to a group that waits or to one that may have to, too. */
  #mayPayBack({ second, borrowedSecond }: OpenGroup<E>): boolean {
    if (borrowedSecond === undefined || this.#queue.length > MAX_HELD_GROUPS) return false;
    let until = borrowedSecond;
    for (let lender = second + 1; lender <= until; lender += 1) {
      if (this.#waiting.oldest(lender) !== undefined) return true;
      for (let later = Math.max(until, lender) + 1; later <= lender + MAX_SPAN_SECONDS; later += 1) {
        if (this.#borrowers.get(later)?.some((group) => group.second === lender) === true) until = later;
      }
    }
    return false;
  }

  /** The broken group that a deprecation record ends, since no whole one waits for it. */
  #findBroken(pending: PendingDeprecation<E>): OpenGroup<E> | undefined {
    const latest = this.#latest;
    // Lines of other kinds may stand between: one of them may be a torn record of the group.
    const isBehind = latest?.state === 'open' && latest.lastLine === this.#latestEntry?.line;
    if (isBehind && (latest.next === this.#end || pending.distanceTo(latest) <= MAX_SPAN_SECONDS)) return latest;
    const { localSecond } = pending.record;
    return this.#waitingBroken.oldest(localSecond) ?? oldestAbout(this.#waitingBroken, localSecond);
  }

  #close(group: OpenGroup<E>, state: 'ended' | 'given-up'): void {
    group.state = state;
    this.#open -= 1;
    if (group.isWhole) {
      this.#latestWhole = group;
    } else if (state === 'ended') {
      this.#adopt(group);
    }
  }

  #giveUp(group: OpenGroup<E>): void {
    if (group.next === this.#end) this.#stopWaiting(group);
    else this.#shelfOf(group).remove(group);
    this.#open -= 1;
    const starved = group.next === this.#end && !group.isBroken ? this.#payBack(group) : group;
    starved.isBroken = true;
    starved.state = 'given-up';
  }

  /** Lets a broken group that has ended have the records that stand alone among its own. */
  #adopt(group: OpenGroup<E>): void {
    for (let index = this.#queue.length - 1; index >= 0; index -= 1) {
      const stray = this.#queue[index];
      if (stray === undefined || stray.firstLine < group.firstLine - 1) return;
      if (stray === group || stray.failures.length !== 1 || stray.ending !== undefined) continue;
      if (stray.firstLine > group.lastLine || !mend(group, stray, this.#end)) continue;
      if (stray.state === 'open') {
        this.#shelfOf(stray).remove(stray);
        stray.isBroken = true;
        this.#close(stray, 'given-up');
      }
      this.#queue.splice(index, 1);
      this.#openBytes -= stray.heldBytes;
      stray.isSettled = true;
    }
  }

  /** True where a record may still belong to a broken group that is held though nothing is open. */
  #mayJoinLatest({ line, record }: E): boolean {
    const latest = this.#latest;
    return (
      latest !== undefined &&
      !latest.isSettled &&
      latest.lastLine === line - 1 &&
      record.kind === 'load_failure' &&
      latest.firstFailure?.requestTarget === record.requestTarget
    );
  }

  #giveUpOverfull(): void {
    while (this.#openBytes > MAX_OPEN_BYTES && this.#queue.length > 1) {
      const [oldest] = this.#queue;
      if (oldest?.state === 'open') this.#giveUp(oldest);
      this.#giveOut(1);
    }
  }

  /** Gives out what no open group stands before. A broken group waits for its parts as long as any group near it is open. */
  #settle(): void {
    let count = 0;
    for (let group = this.#queue[0]; group !== undefined; group = this.#queue[count]) {
      if (group.state === 'open' && this.#isOverdue(group)) this.#giveUp(group);
      if (group.state === 'open' || (!group.isWhole && !this.#isFarBehind(group, MAX_SPAN_SECONDS))) break;
      if (group.interruption?.by.state === 'open' || this.#mayPayBack(group)) break;
      count += 1;
    }
    if (count > 0) this.#giveOut(count);
  }

  #isOverdue(group: OpenGroup<E>): boolean {
    return this.#isFarBehind(group, group.next === this.#end && !group.isBroken ? MAX_WAIT_SECONDS : MAX_SPAN_SECONDS);
  }

  #isFarBehind({ second, localSecond, firstLine }: OpenGroup<E>, span: number): boolean {
    const ended = this.#latestWhole;
    if (ended === undefined || ended.firstLine < firstLine) return false;
    return Math.abs(ended.second - second) > span && Math.abs(ended.localSecond - localSecond) > span;
  }

  /** Gives out the first groups of the queue, the parts of broken ones put together. */
  #giveOut(count: number): void {
    const groups = this.#queue.splice(0, count);
    for (const { heldBytes } of groups) this.#openBytes -= heldBytes;
    for (const [index, group] of groups.entries()) {
      if (group.isSettled) continue;
      if (!group.isWhole) {
        for (const part of groups.slice(index + 1, index + 1 + MAX_PARTS)) {
          if (!part.isWhole && !part.isSettled && mend(group, part, this.#end)) part.isSettled = true;
        }
      }
      group.isSettled = true;
      this.#forgetBorrower(group);
      this.#settled.push(group);
    }
  }
}

/** So many groups at most are held behind one that may have to give its deprecation record back. */
const MAX_HELD_GROUPS = 1024;

/** A group that misses more records in a row than this goes on as another one, which `mend` joins to it. */
const MAX_GAP = 16;

/** So many groups after a broken one may be parts of it. */
const MAX_PARTS = 16;

/**
 * The groups of a starved one's second, this one the last, of which each takes the deprecation record of the one before, and the first
 * takes a given record: undefined if that does not reach the starved one, which was complete only later.
 */
function findTakers<E extends Entry>(
  given: PendingDeprecation<E>,
  starved: OpenGroup<E>,
  groups: readonly OpenGroup<E>[],
): readonly OpenGroup<E>[] | undefined {
  const takers: OpenGroup<E>[] = [];
  let { line } = given.entry;
  if (line < starved.lastFailureLine) {
    const ended = groups.filter(
      (group) => group.isWhole && group.second === starved.second && (group.ending?.entry.line ?? 0) > line,
    );
    for (const group of ended.sort((one, other) => (one.ending?.entry.line ?? 0) - (other.ending?.entry.line ?? 0))) {
      if (group.lastFailureLine > line || group.ending === undefined) continue;
      takers.push(group);
      line = group.ending.entry.line;
      if (line > starved.lastFailureLine) break;
    }
  }
  return line > starved.lastFailureLine ? [...takers, starved] : undefined;
}

/** The oldest group near a second: 2 s before it first, as its deadline is the earliest. */
function oldestAbout<E extends Entry>(groups: WaitingGroups<E>, second: number): OpenGroup<E> | undefined {
  for (let key = second - MAX_SPAN_SECONDS; key <= second + MAX_SPAN_SECONDS; key += 1) {
    const group = groups.oldest(key);
    if (group !== undefined) return group;
  }
  return undefined;
}
