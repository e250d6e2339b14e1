import type { Deprecation, LoadFailure, LogRecord } from './line.js';
import { distanceOf, MomentReader } from './moment.js';
import type { Tally } from './tally.js';

/**
 * Which records belong together. The records of concurrent requests interleave; those of one group stay in order among themselves.
 *
 * A load failure joins the oldest open group of its descriptor that waits for that plugin and began at most 2 s before; that of the
 * first plugin begins a group. A deprecation record ends the oldest complete group of its second, else the nearest within 2 s.
 * (The clock may be set back a little in a group, so "2 s before" is 2 s either way.)
 *
 * A group is given up, as incomplete, when one that stands further on and more than 2 s away from it is ended, when this many
 * records have come since it began, or when open groups hold more than so many bytes: memory stays bounded whatever comes.
 */
const MAX_SPAN_SECONDS = 2;
const MAX_RECORDS_SINCE = 4096;
const MAX_OPEN_BYTES = 16 << 20;

/** Groups that began before the log did, or that broke, are remembered to tell which records are theirs: so many of them. */
const MAX_FRAGMENTS = 256;

/** From this length on, the records of a group share one copy of their target. */
const LONG_TARGET = 1024;

/** A group, as far as its records have come. */
export interface Group {
  /** The physical line of its first record. */
  readonly line: number;
  /** One for each plugin, in reporting order, once it is complete. */
  readonly failures: readonly LoadFailure[];
  readonly deprecation: Deprecation | undefined;
  /** `whole` when its last record has come, `given-up` when that is no longer waited for. */
  readonly state: 'open' | 'whole' | 'given-up';
}

class OpenGroup implements Group {
  readonly line: number;
  readonly first: LoadFailure;
  readonly failures: LoadFailure[];
  /** How many records of the log came before it. */
  readonly recordsBefore: number;
  deprecation: Deprecation | undefined;
  state: 'open' | 'whole' | 'given-up' = 'open';
  /** What may be the rest of this group, a record having been lost between; it counts for itself until this one is given up. */
  rest: { readonly line: number } | undefined;

  constructor(first: LoadFailure, line: number, recordsBefore: number) {
    this.first = first;
    this.failures = [first];
    this.line = line;
    this.recordsBefore = recordsBefore;
  }
}

/** The end of a group whose beginning is not there. */
interface Fragment {
  readonly line: number;
  readonly descriptor: string;
  readonly second: number;
  readonly localSecond: number;
  /** The place in reporting order of the last plugin that it has reported; -1 for one that is not in it. */
  plugin: number;
}

/** Puts the records of a log together to groups. */
export class Assembler {
  /** The place of each plugin in reporting order, by the path of its file. */
  readonly #order: ReadonlyMap<string, number>;
  readonly #moments = new MomentReader();
  readonly #tally: Tally;
  /** From the oldest open group on, all groups in the order of their first records. */
  readonly #queue: OpenGroup[] = [];
  /** Open groups that wait for a load failure, by descriptor; oldest first. */
  readonly #failing = new Map<string, OpenGroup[]>();
  /** Open groups that wait for their deprecation record alone; oldest first. */
  readonly #ending: OpenGroup[] = [];
  readonly #fragments: Fragment[] = [];
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
  }

  /** Whether no group is open, so that a group that stands whole in the log would be taken as it stands. */
  get isIdle(): boolean {
    return this.#queue.length === 0;
  }

  /** Takes the next record of the log. Gives the group that it belongs to; undefined if that one can never be whole. */
  add(record: LogRecord, line: number): Group | undefined {
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

  #addFailure(failure: LoadFailure, line: number): Group | undefined {
    const descriptor = `${failure.httpMethod} ${failure.requestTarget}`;
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
    if (group.failures.length === this.#order.size) {
      this.#dropFailing(group, descriptor);
      this.#awaitEnd(group);
    }
    return group;
  }

  #begin(failure: LoadFailure, descriptor: string, line: number): Group {
    const group = new OpenGroup(failure, line, this.#records);
    this.#queue.push(group);
    this.#openBytes += failure.requestTarget.length;
    if (this.#order.size === 1) {
      this.#awaitEnd(group);
    } else {
      const others = this.#failing.get(descriptor);
      if (others === undefined) this.#failing.set(descriptor, [group]);
      else others.push(group);
    }
    return group;
  }

  #awaitEnd(group: OpenGroup): void {
    const index = this.#ending.findLastIndex((one) => one.recordsBefore < group.recordsBefore);
    this.#ending.splice(index + 1, 0, group);
  }

  #addDeprecation(deprecation: Deprecation, line: number): Group | undefined {
    const group = this.#findEnding(deprecation);
    if (group === undefined) {
      this.#endFragment(deprecation, line);
      return undefined;
    }
    group.deprecation = deprecation;
    group.state = 'whole';
    remove(this.#ending, group);
    for (const earlier of this.#queue) {
      if (earlier === group) break;
      if (earlier.state === 'open' && !isNear(earlier.first, group.first)) this.#giveUp(earlier);
    }
    this.#settle();
    return group;
  }

  #findEnding(deprecation: Deprecation): OpenGroup | undefined {
    const seconds = this.#moments.secondsOf(deprecation);
    let nearest: OpenGroup | undefined;
    let least = MAX_SPAN_SECONDS + 1;
    for (const group of this.#ending) {
      const distance = distanceOf(deprecation, seconds, group.first);
      if (distance >= least) continue;
      least = distance;
      nearest = group;
      if (least === 0) break;
    }
    return nearest;
  }

  /** A load failure that no group waits for: the rest of a group that began before the log, or that lacks the record before. */
  #addFragment(failure: LoadFailure, descriptor: string, plugin: number, line: number, groups: readonly OpenGroup[] = []): void {
    const known = this.#fragments.find(
      (one) => one.descriptor === descriptor && isNear(one, failure) && (plugin === -1 || one.plugin < plugin),
    );
    if (known !== undefined) {
      known.plugin = Math.max(known.plugin, plugin);
      return;
    }
    const { second, localSecond } = failure;
    const fragment = { line, descriptor, second, localSecond, plugin };
    if (this.#fragments.length === MAX_FRAGMENTS) this.#fragments.shift();
    this.#fragments.push(fragment);
    this.#tally.add(line);
    const broken = groups.find((one) => one.rest === undefined && one.failures.length < plugin && isNear(one.first, failure));
    if (broken !== undefined) broken.rest = fragment;
  }

  /** A deprecation record that ends no whole group. */
  #endFragment(deprecation: Deprecation, line: number): void {
    const seconds = this.#moments.secondsOf(deprecation);
    const mayBeOf = (one: Pick<LoadFailure, 'second' | 'localSecond'>): boolean =>
      distanceOf(deprecation, seconds, one) <= MAX_SPAN_SECONDS;
    const fragments = this.#fragments.filter(mayBeOf);
    const ended = fragments.find((one) => one.plugin === this.#order.size - 1) ?? fragments[0];
    if (ended !== undefined) {
      remove(this.#fragments, ended);
      return;
    }
    this.#tally.add(line);
    const broken = this.#queue.find((one) => one.state === 'open' && one.rest === undefined && mayBeOf(one.first));
    if (broken !== undefined) broken.rest = { line };
  }

  #giveUpOverdue(): void {
    let group = this.#queue[0];
    while (
      group !== undefined &&
      (this.#records - group.recordsBefore > MAX_RECORDS_SINCE || (this.#openBytes > MAX_OPEN_BYTES && this.#queue.length > 1))
    ) {
      // The first of the queue is open: whole groups leave it at once.
      this.#giveUp(group);
      this.#settle();
      group = this.#queue[0];
    }
  }

  #giveUp(group: OpenGroup): void {
    group.state = 'given-up';
    if (group.failures.length === this.#order.size) remove(this.#ending, group);
    else this.#dropFailing(group, `${group.first.httpMethod} ${group.first.requestTarget}`);
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

function isNear(one: { readonly second: number }, other: { readonly second: number }): boolean {
  return Math.abs(one.second - other.second) <= MAX_SPAN_SECONDS;
}

function remove<T>(list: T[], member: T): void {
  const index = list.indexOf(member);
  if (index !== -1) list.splice(index, 1);
}
