import { descriptorOf, type Deprecation, type LoadFailure, type LogRecord } from '../log/line.js';
import { OrphanTails } from './orphan-tails.js';
import { DeprecationInstants } from './deprecation-instants.js';
import { PendingDeprecation, isNear, MAX_SPAN_SECONDS, OpenGroup, type Group, type Membership } from './open-group.js';
import { reassignEndings } from './pass-on.js';
import type { Tally } from './tally.js';

/**
 * Which records belong together. The records of concurrent requests interleave; those of one group stay in order among themselves.
 *
 * A load failure joins the oldest open group of its descriptor that waits for that plugin and began at most 2 s before; that of the
 * first plugin begins a group. A deprecation record ends the oldest complete group of its second, else the nearest within 2 s.
 * (The clock may be set back a little in a group, so "2 s before" is 2 s either way.)
 *
 * A deprecation record that no group waits for makes the groups before it change theirs, if so a group that waits gets one (`reassignEndings`).
 *
 * A group is given up, as incomplete, when one that stands further on and more than 2 s away from it is ended (where it waits for its
 * deprecation record alone: away from the last group that could pass one on), when this many records have come since it began, or
 * when open groups hold more than so many bytes: memory stays bounded whatever comes.
 */
const MAX_RECORDS_SINCE = 4096;
const MAX_OPEN_BYTES = 16 << 20;

/** From this length on, the records of a group share one copy of their target. */
const LONG_TARGET = 1024;

/** Puts the records of a log together to groups. */
export class Assembler {
  /** The place of each plugin in reporting order, by the path of its file. */
  readonly #order: ReadonlyMap<string, number>;
  readonly #moments = new DeprecationInstants();
  readonly #tally: Tally;
  /** From the oldest open group on, all groups in the order of their first records. */
  readonly #queue: OpenGroup[] = [];
  /** Open groups that wait for a load failure, by descriptor; oldest first. */
  readonly #failing = new Map<string, OpenGroup[]>();
  /** Complete groups, which wait for their deprecation record alone; oldest first. */
  readonly #waiting: OpenGroup[] = [];
  readonly #fragments: OrphanTails;
  /** How many complete groups were given up though the record that they lacked may come yet. */
  #owed = 0;
  #settled: Group[] = [];
  #records = 0;
  #openBytes = 0;

  /**
   * @param pluginFilePaths in reporting order, none twice
   * @param incomplete counts the groups that lack a record: those that are given up, and those whose beginning was not there
   */
  constructor(pluginFilePaths: readonly string[], incomplete: Tally) {
    this.#tally = incomplete;
    this.#order = new Map(pluginFilePaths.map((path, index) => [path, index]));
    this.#fragments = new OrphanTails(pluginFilePaths.length - 1);
  }

  /** Whether no group is open, so that a group that stands whole in the log would be taken as it stands. */
  get isIdle(): boolean {
    return this.#queue.length === 0;
  }

  /** Takes the next record of the log. Says to which group it belongs; undefined if that one can never be whole. */
  add(record: LogRecord, line: number): Membership | undefined {
    this.#records += 1;
    this.#giveUpOverdue();
    return record.kind === 'load_failure' ? this.#addFailure(record, line) : this.#addDeprecation(record, line);
  }

  /** The whole groups that have come to stand first since the last call, in the order of their first records. */
  takeWhole(): readonly Group[] {
    const settled = this.#settled;
    if (settled.length > 0) this.#settled = [];
    return settled;
  }

  /** Gives up what is open: no more records come. */
  end(): void {
    for (const group of [...this.#queue]) if (group.state === 'open') this.#giveUp(group);
    this.#settle();
  }

  #addFailure(failure: LoadFailure, line: number): OpenGroup | undefined {
    const descriptor = descriptorOf(failure);
    const plugin = this.#order.get(failure.pluginFilePath) ?? -1;
    if (plugin === 0) return this.#begin(failure, descriptor, line);
    const candidates = this.#failing.get(descriptor);
    const group = candidates?.find((one) => one.failures.length === plugin && isNear(one.first, failure));
    if (group === undefined) {
      this.#addFragment(failure, descriptor, plugin, line, candidates);
      return undefined;
    }
    const { requestTarget } = group.first;
    group.failures.push(requestTarget.length < LONG_TARGET ? failure : { ...failure, requestTarget });
    group.failureLine = line;
    if (this.#isComplete(group)) {
      this.#dropFailing(group, descriptor);
      this.#wait(group);
    }
    return group;
  }

  #begin(failure: LoadFailure, descriptor: string, line: number): OpenGroup {
    const group = new OpenGroup(failure, line, this.#records);
    this.#queue.push(group);
    this.#openBytes += failure.requestTarget.length;
    if (this.#isComplete(group)) {
      this.#wait(group);
    } else {
      const others = this.#failing.get(descriptor);
      if (others === undefined) this.#failing.set(descriptor, [group]);
      else others.push(group);
    }
    return group;
  }

  #wait(group: OpenGroup): void {
    const index = this.#waiting.findLastIndex((one) => one.recordsBefore < group.recordsBefore);
    this.#waiting.splice(index + 1, 0, group);
  }

  #addDeprecation(deprecation: Deprecation, line: number): PendingDeprecation | undefined {
    const ending = new PendingDeprecation(deprecation, this.#moments.secondsOf(deprecation), line);
    const group = this.#findWaiting(ending);
    if (group !== undefined) {
      ending.give(group);
      remove(this.#waiting, group);
      this.#giveUpFarFrom(group);
    } else if (!this.#reassignEndings(ending)) {
      this.#endFragment(ending);
      return undefined;
    }
    this.#settle();
    return ending;
  }

  #findWaiting(ending: PendingDeprecation): OpenGroup | undefined {
    let nearest: OpenGroup | undefined;
    let least = MAX_SPAN_SECONDS + 1;
    for (const group of this.#waiting) {
      const distance = ending.distanceTo(group.first);
      if (distance >= least) continue;
      least = distance;
      nearest = group;
      if (least === 0) break;
    }
    return nearest;
  }

  /** Whether it makes a group whole that waits, though not as that one's own. */
  #reassignEndings(ending: PendingDeprecation): boolean {
    const [oldest] = this.#waiting;
    if (oldest === undefined) return false;
    const fragment = this.#fragments.findEndedBy(ending);
    if (fragment !== undefined && this.#fragments.isAtEnd(fragment)) return false;
    const group = reassignEndings(
      ending,
      this.#queue.filter((one) => this.#isComplete(one)),
    );
    // Each search takes time, and makes one less that can follow, whatever the log holds.
    if (group === undefined) this.#giveUp(oldest);
    else remove(this.#waiting, group);
    return group !== undefined;
  }

  #giveUpFarFrom(ended: OpenGroup): void {
    const { second } = ended.first;
    for (const earlier of this.#queue) {
      if (earlier === ended) break;
      if (earlier.state !== 'open') continue;
      if (Math.abs(second - (this.#isComplete(earlier) ? earlier.reach : earlier.first.second)) > MAX_SPAN_SECONDS) {
        this.#giveUp(earlier);
      } else {
        earlier.reach = Math.max(earlier.reach, second);
      }
    }
  }

  #isComplete({ failures }: OpenGroup): boolean {
    return failures.length === this.#order.size;
  }

  /** A load failure that no group waits for: the rest of a group that began before the log, or that lacks the record before. */
  #addFragment(failure: LoadFailure, descriptor: string, plugin: number, line: number, groups: readonly OpenGroup[] = []): void {
    const fragment = this.#fragments.add(failure, descriptor, plugin, line);
    if (fragment === undefined) return;
    this.#tally.add(line);
    const broken = groups.find((one) => one.rest === undefined && one.failures.length < plugin && isNear(one.first, failure));
    if (broken !== undefined) broken.rest = fragment;
  }

  /** A deprecation record that ends no whole group. */
  #endFragment(ending: PendingDeprecation): void {
    const ended = this.#fragments.findEndedBy(ending);
    if (ended !== undefined) {
      this.#fragments.forget(ended);
      return;
    }
    if (this.#owed > 0) {
      this.#owed -= 1;
      return;
    }
    this.#tally.add(ending.line);
    const broken = this.#queue.find((one) => one.state === 'open' && one.rest === undefined && ending.mayBeOf(one.first));
    if (broken !== undefined) broken.rest = ending;
  }

  #giveUpOverdue(): void {
    let group = this.#queue[0];
    while (
      group !== undefined &&
      (this.#records - group.recordsBefore > MAX_RECORDS_SINCE || (this.#openBytes > MAX_OPEN_BYTES && this.#queue.length > 1))
    ) {
      // The first of the queue is open: whole groups leave it at once.
      if (this.#isComplete(group)) this.#owed += 1;
      this.#giveUp(group);
      this.#settle();
      group = this.#queue[0];
    }
  }

  #giveUp(group: OpenGroup): void {
    group.state = 'given-up';
    if (this.#isComplete(group)) remove(this.#waiting, group);
    else this.#dropFailing(group, descriptorOf(group.first));
    if (group.rest === undefined) this.#tally.add(group.line);
    else this.#tally.replace(group.rest.line, group.line);
  }

  #dropFailing(group: OpenGroup, descriptor: string): void {
    const others = this.#failing.get(descriptor) ?? [];
    remove(others, group);
    if (others.length === 0) this.#failing.delete(descriptor);
  }

  /** Takes from the queue what no open group stands before. */
  #settle(): void {
    for (let group = this.#queue[0]; group !== undefined && group.state !== 'open'; group = this.#queue[0]) {
      this.#queue.shift();
      this.#openBytes -= group.first.requestTarget.length;
      if (group.state === 'whole') this.#settled.push(group);
    }
  }
}

function remove<T>(list: T[], member: T): void {
  const index = list.indexOf(member);
  if (index !== -1) list.splice(index, 1);
}
