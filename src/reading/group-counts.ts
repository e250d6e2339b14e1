import { haveSameDescriptor } from '../log/line.js';
import type { Counted } from './line-places.js';
import { Tally } from './passed-over.js';
import { MAX_SPAN_SECONDS, UNKNOWN, type RecordGroup } from './record-group.js';

const MAX_LATEST = 24;

/** The most seconds over which a lost record shifts the records of groups of one descriptor. */
const MAX_SHIFT_SECONDS = 60;

/** A broken group: the records that it is missing may still come as a group of their own. */
interface Broken {
  readonly first: RecordGroup;
  lastLine: number;
  /** The places of its records, but for plugins that are not in the list. */
  places: ReadonlySet<number>;
}

/** Counts the groups of a log, and those that are missing a record: parts that can be those of one group once, at the first line. */
export class GroupCounts {
  groups = 0;
  readonly #broken = new Tally();
  /** Groups with all load failures, without a deprecation record: they are missing it where another group of the log has one. */
  readonly #unended = new Tally();
  #hasEndings = false;
  #latest: Broken[] = [];

  get incomplete(): Counted {
    return this.#hasEndings ? this.#broken.with(this.#unended) : this.#broken;
  }

  addComplete(line: number, hasEnding: boolean): void {
    this.groups += 1;
    if (hasEnding) this.#hasEndings = true;
    else this.#unended.add(line);
  }

  add(group: RecordGroup): void {
    const { isComplete, firstLine, lastLine, entries } = group;
    if (isComplete) this.addComplete(firstLine, group.hasEnding);
    if (isComplete && group.hasEnding) return;
    const part = {
      first: group,
      lastLine,
      places: new Set(entries.map(({ place }) => place).filter((place) => place !== UNKNOWN)),
    };
    if (!isComplete) {
      for (const broken of this.#latest) {
        const places = joinPlaces(broken, part);
        if (places === undefined) continue;
        broken.places = places;
        broken.lastLine = Math.max(broken.lastLine, lastLine);
        return;
      }
      this.#broken.add(firstLine);
    }
    this.#latest.push(part);
    if (this.#latest.length > MAX_LATEST) this.#latest.shift();
  }
}

/**
 * The places of two parts together, if they can be those of one group: parts near each other that have one descriptor or stand one
 * directly behind the other. A record that is lost among groups of one descriptor makes each group take the records of the next one: the
 * parts are then far from each other, and they are all records but one.
 */
function joinPlaces(broken: Broken, part: Broken): Broken['places'] | undefined {
  const { second, localSecond, firstFailure: failure, isComplete } = broken.first;
  const { second: ofPart, localSecond: localOfPart, firstFailure: other, firstLine } = part.first;
  const places = new Set([...broken.places, ...part.places]);
  // A group with all its load failures is missing its deprecation record alone.
  if (isComplete && other !== undefined) return undefined;
  const seconds = Math.min(Math.abs(ofPart - second), Math.abs(localOfPart - localSecond));
  const isDirect = firstLine <= broken.lastLine + 1;
  const isBeside = isDirect && seconds <= MAX_SPAN_SECONDS;
  const hasSurplus = places.size < broken.places.size + part.places.size;
  // A load failure that stands alone there may have another plugin than it should.
  const mayReplace = part.places.size <= 1 && other !== undefined && broken.places.size > 1;
  if (isBeside && (!hasSurplus || mayReplace)) return places;
  if (hasSurplus) return undefined;
  if (failure !== undefined && other !== undefined && !haveSameDescriptor(failure, other)) return undefined;
  if (seconds <= MAX_SPAN_SECONDS || (isDirect && Math.min(broken.places.size, part.places.size) <= 1)) return places;
  return seconds <= MAX_SHIFT_SECONDS && places.size >= Math.max(...places) ? places : undefined;
}
