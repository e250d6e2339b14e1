import { descriptorOf, type LoadFailure } from '../log/line.js';
import { MAX_SPAN_SECONDS } from '../reading/open-group.js';
import { zoneNamed, type Zone } from '../log/zone.js';
import { UNKNOWN, type Entry } from './entry.js';
import { GatheredGroup, isNear, isOfGroup, isSameDescriptor, lastLineOf, nextPlaceOf, sizeOf } from './gathered-group.js';

/**
 * Which records belong together, broken ones too. Where nothing is broken: a load failure goes on with a group of its descriptor, not more
 * than 2 s away, that waits for its plugin; a deprecation record ends a group that waits for it; of several, the one that was written to last.
 * What fits nowhere goes to the group of the record before it, if it takes the place that is next there; else it is a group of its own.
 *
 * The first record of a group twice looks like two groups at first, and a plugin that is not known like one of its own.
 *
 * A group is given up when one that stands further on and more than 2 s away is ended, when this many lines have come since it began, or
 * when too many groups, or bytes, are open: memory stays bounded whatever comes.
 */
const MAX_LINES_SINCE = 4096;
const MAX_OPEN_GROUPS = 512;
const MAX_OPEN_BYTES = 16 << 20;

/** A group holds at most this many times the records that belong in it. */
const MAX_SURPLUS = 4;

/** Gathers the records of a log to groups, and gives these in the order of their first records. */
export class LenientAssembler {
  readonly #end: number;
  readonly #zone: Zone;
  readonly #queue: GatheredGroup[] = [];
  /** The group of the record before. */
  #latest: GatheredGroup | undefined;
  /** The deprecation record that came last. */
  #endLine = 0;
  #endTimestamp = '';
  #openBytes = 0;

  /** @param end how many plugins there are: the place of the deprecation record */
  constructor(end: number, timezone: string) {
    this.#end = end;
    this.#zone = zoneNamed(timezone);
  }

  /** Whether no group is waited for, so that a group that stands whole would be gathered as it stands. */
  get isIdle(): boolean {
    return this.#queue.length === 0;
  }

  /** The line from which on groups have not been given yet. */
  get firstOpenLine(): number {
    return this.#queue[0]?.firstLine ?? Infinity;
  }

  add(entry: Entry): void {
    this.#giveUpOverdue(entry.line);
    const group = entry.record.kind === 'load_failure' ? this.#findGroup(entry, entry.record) : this.#findEnding(entry);
    if (group === undefined) this.#begin(entry);
    else this.#append(group, entry);
    if (entry.place !== this.#end) return;
    if (this.#latest?.state === 'open') this.#endGroup(this.#latest);
    // Behind half a record more is lost than can be told: what follows counts as incomplete.
    this.#endLine = entry.prefix === '' ? entry.line : 0;
    this.#endTimestamp = entry.record.timestamp;
  }

  /** Takes note of a whole group that was read in another way while `isIdle`. @param line its last one */
  passWhole(line: number, timestamp: string): void {
    this.#latest = undefined;
    this.#endLine = line;
    this.#endTimestamp = timestamp;
  }

  /** Takes note of a line that is no record. */
  passLine(line: number): void {
    this.#giveUpOverdue(line);
    if (this.isIdle) this.#latest = undefined;
  }

  /** The groups that nothing more will come to, in the order of their first records. */
  drain(): readonly GatheredGroup[] {
    const taken: GatheredGroup[] = [];
    for (let group = this.#queue[0]; group !== undefined && this.#isSettled(group); group = this.#queue[0]) {
      this.#queue.shift();
      this.#openBytes -= sizeOf(group);
      taken.push(group);
    }
    return taken;
  }

  /** Gives up what is open: its records do not come any more. */
  end(): void {
    for (const group of [...this.#queue]) if (group.state === 'open') this.#giveUp(group);
    this.#latest = undefined;
  }

  #isSettled(group: GatheredGroup): boolean {
    if (group.state === 'open' || group.interruption?.by.state === 'open') return false;
    // The record that changed places with the deprecation record may come yet.
    return group !== this.#latest || group.state === 'given-up' || this.#isClean(group);
  }

  #isClean({ entries }: GatheredGroup): boolean {
    return entries.length === this.#end + 1 && entries.every(({ place }, index) => place === index);
  }

  #findGroup(entry: Entry, failure: LoadFailure): GatheredGroup | undefined {
    const { place } = entry;
    const latest = this.#latest;
    if (latest !== undefined && isOfGroup(failure, latest) && this.#isSwapped(latest, place)) return latest;
    if (place === 0) return undefined;
    let best: GatheredGroup | undefined;
    let least = Infinity;
    for (const group of this.#queue) {
      if (group.state !== 'open' || this.#isFull(group)) continue;
      const next = nextPlaceOf(group);
      const jump = place === UNKNOWN ? 0 : place - next;
      const cost = jump >= 0 ? jump : group === latest ? this.#end - jump : Infinity;
      if (cost === Infinity || cost > least || !isOfGroup(failure, group)) continue;
      if (cost < least || lastLineOf(group) > lastLineOf(best)) best = group;
      least = cost;
    }
    return best ?? (latest !== undefined && this.#isNextOf(latest, failure, place) ? latest : undefined);
  }

  /** Whether it takes the place that is next in the group of the record before, or is not known, but for its time or its descriptor. */
  #isNextOf(latest: GatheredGroup, failure: LoadFailure, place: number): boolean {
    if (latest.state !== 'open' || this.#isFull(latest)) return false;
    if (place !== UNKNOWN && place !== nextPlaceOf(latest)) return false;
    return isNear(failure, latest) || isSameDescriptor(failure, latest);
  }

  /** Whether a load failure changed places with the record just before it. */
  #isSwapped(latest: GatheredGroup, place: number): boolean {
    if (latest.last?.place !== place + 1) return false;
    if (latest.state === 'open') return place === 0 && latest.entries.length === 1;
    return latest.state === 'ended' && place === this.#end - 1 && latest.entries.every((one) => one.place !== place);
  }

  #findEnding(entry: Entry): GatheredGroup | undefined {
    const waiting = this.#queue.filter((group) => group.state === 'open' && this.#isNearEnd(entry, group));
    const complete = waiting.filter((group) => nextPlaceOf(group) === this.#end);
    const latest = this.#latest;
    if (complete.length > 0) return complete.reduce((one, other) => (lastLineOf(other) > lastLineOf(one) ? other : one));
    if (latest?.state !== 'open') return undefined;
    return waiting.includes(latest) || nextPlaceOf(latest) === this.#end ? latest : undefined;
  }

  #isNearEnd({ record: { localSecond } }: Entry, group: GatheredGroup): boolean {
    const nearLocally = group.entries.some(({ record }) => Math.abs(record.localSecond - localSecond) <= MAX_SPAN_SECONDS);
    // Across a change of the clocks.
    const { failure } = group;
    return (
      nearLocally ||
      (failure !== undefined &&
        Math.abs(failure.localSecond - localSecond) <= 86_400 &&
        this.#zone.instantsOf(localSecond).some((second) => Math.abs(second - failure.second) <= MAX_SPAN_SECONDS))
    );
  }

  #isFull({ entries }: GatheredGroup): boolean {
    return entries.length >= MAX_SURPLUS * (this.#end + 1);
  }

  #begin(entry: Entry): void {
    const { line, record } = entry;
    const isRepeatedEnd = record.kind === 'deprecation' && line === this.#endLine + 1 && record.timestamp === this.#endTimestamp;
    const group = new GatheredGroup(entry, isRepeatedEnd);
    for (const other of this.#queue) {
      if (other.state === 'open') other.interruption ??= { by: group, line };
    }
    this.#queue.push(group);
    this.#latest = group;
    this.#openBytes += sizeOf(group);
  }

  #append(group: GatheredGroup, entry: Entry): void {
    const { record } = entry;
    const { failure } = group;
    // The records of a group share one copy of their target.
    if (record.kind === 'load_failure' && failure?.requestTarget === record.requestTarget) {
      group.entries.push({ ...entry, record: { ...record, requestTarget: failure.requestTarget } });
    } else {
      this.#openBytes -= sizeOf(group);
      group.entries.push(entry);
      this.#openBytes += sizeOf(group);
    }
    this.#latest = group;
  }

  #endGroup(ended: GatheredGroup): void {
    ended.state = 'ended';
    if (!this.#isClean(ended)) this.#adoptStrays(ended);
    const { failure } = ended;
    if (failure === undefined) return;
    for (const earlier of [...this.#queue]) {
      if (earlier === ended) break;
      const isSurplus = lastLineOf(earlier) === ended.firstLine - 1 && earlier.isSurplus;
      if (earlier.state === 'open' && (isSurplus || !isNear(failure, earlier))) this.#giveUp(earlier);
    }
  }

  #giveUp(group: GatheredGroup): void {
    group.state = 'given-up';
    const { entries, interruption } = group;
    const [first, ...more] = entries;
    const twin = interruption?.by;
    const [second] = twin?.entries ?? [];
    if (first === undefined || twin === undefined || more.length > 0 || !isTwice(first, second)) return;
    // Nothing went on with the first of two equal records: they are one record of one group, twice.
    this.#moveInto(twin, group, 0);
    for (const other of this.#queue) if (other.interruption?.by === group) other.interruption = { by: twin, line: first.line };
  }

  /** A record that looks like the beginning of another group, but stands where one of this group lacks, is one of this group. */
  #adoptStrays(group: GatheredGroup): void {
    for (const stray of [...this.#queue]) {
      const [entry, ...more] = stray.entries;
      if (stray === group || stray.state !== 'open' || entry?.record.kind !== 'load_failure' || more.length > 0) continue;
      const index = group.entries.findIndex(({ line }) => line > entry.line);
      const [before, after] = [group.entries[index - 1], group.entries[index]];
      if (before === undefined || after === undefined || after.place <= before.place + 1 || !isOfGroup(entry.record, group))
        continue;
      this.#moveInto(group, stray, index);
      for (const other of this.#queue) if (other.interruption?.by === stray) other.interruption = undefined;
    }
  }

  /** Makes all of a group a part of another one. */
  #moveInto(group: GatheredGroup, part: GatheredGroup, index: number): void {
    this.#openBytes -= sizeOf(group) + sizeOf(part);
    group.entries.splice(index, 0, ...part.entries);
    this.#openBytes += sizeOf(group);
    this.#queue.splice(this.#queue.indexOf(part), 1);
  }

  #giveUpOverdue(line: number): void {
    const overdue: GatheredGroup[] = [];
    let open = this.#queue.length;
    for (const group of this.#queue) {
      const isOverdue = line - group.firstLine > MAX_LINES_SINCE || open > MAX_OPEN_GROUPS;
      if (!isOverdue && (this.#openBytes <= MAX_OPEN_BYTES || this.#queue.length === 1)) break;
      open -= 1;
      // It has been given up, but waits for the group that interrupted it: that one is next.
      if (group.state !== 'open') continue;
      overdue.push(group);
      if (this.#openBytes > MAX_OPEN_BYTES) break;
    }
    for (const group of overdue) this.#giveUp(group);
  }
}

/** True where the record of one line stands on the next line once more. */
function isTwice(one: Entry, other: Entry | undefined): boolean {
  if (other?.line !== one.line + 1 || one.record.kind !== 'load_failure' || other.record.kind !== 'load_failure') return false;
  return one.place === 0 && isSameFailure(one.record, other.record);
}

function isSameFailure(one: LoadFailure, other: LoadFailure): boolean {
  return (
    one.timestamp === other.timestamp &&
    one.utcOffset === other.utcOffset &&
    one.runtimeTag === other.runtimeTag &&
    one.pluginFilePath === other.pluginFilePath &&
    one.pluginLoaderFilePath === other.pluginLoaderFilePath &&
    one.lineNumber === other.lineNumber &&
    descriptorOf(one) === descriptorOf(other)
  );
}
