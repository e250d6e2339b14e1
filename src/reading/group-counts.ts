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
  readonly places: Set<number>;
}

/** Counts the groups of a log, and those that are missing a record: parts that can be those of one group once, at the first line. */
export class GroupCounts {
  groups = 0;
  readonly #broken = new Tally();
  /** Groups with all load failures, without a deprecation record: they are missing it where another group of the log has one. */
  readonly #unended = new Tally();
  #hasEndings = false;
  readonly #latest: Broken[] = [];

  get incomplete(): Counted {
    return this.#hasEndings ? this.#broken.with(this.#unended) : this.#broken;
  }

  addComplete(line: number, hasEnding: boolean): void {
    this.groups += 1;
    if (hasEnding) this.#hasEndings = true;
    else this.#unended.add(line);
  }

  add(group: RecordGroup): void {
    const { isComplete, hasEnding, firstLine, lastLine, entries } = group;
    if (isComplete) this.addComplete(firstLine, hasEnding);
    if (isComplete && hasEnding) return;
    const places = entries.map(({ place }) => place).filter((place) => place !== UNKNOWN);
    const broken = isComplete ? undefined : this.#latest.find((known) => isPartOf(known, group, places));
    if (broken !== undefined) {
      for (const place of places) broken.places.add(place);
      broken.lastLine = Math.max(broken.lastLine, lastLine);
      return;
    }
    if (!isComplete) this.#broken.add(firstLine);
    this.#latest.push({ first: group, lastLine, places: new Set(places) });
    if (this.#latest.length > MAX_LATEST) this.#latest.shift();
  }
}

/**
 * True for a part that can be of a broken group: it has none of its records, and is near it and of its descriptor or directly behind it.
 * A record that is lost among groups of one descriptor makes each take one of the next group: parts that are far from each other are then
 * all records but one. A record that stands alone may have another time or plugin than it should.
 */
function isPartOf({ first, lastLine, places }: Broken, part: RecordGroup, ofPart: readonly number[]): boolean {
  const [failure, other] = [first.firstFailure, part.firstFailure];
  // A group with all its load failures is missing its deprecation record alone.
  if (first.isComplete && other !== undefined) return false;
  const seconds = Math.min(Math.abs(first.second - part.second), Math.abs(first.localSecond - part.localSecond));
  const isDirect = part.firstLine <= lastLine + 1;
  const isAlone = isDirect && Math.min(places.size, ofPart.length) <= 1;
  if (isAlone && seconds <= MAX_SPAN_SECONDS && other !== undefined && places.size > 1) return true;
  const areAlike = failure === undefined || other === undefined || haveSameDescriptor(failure, other);
  if (!(isDirect || areAlike) || ofPart.some((place) => places.has(place))) return false;
  const areMost = areAlike && places.size + ofPart.length >= Math.max(...places, ...ofPart);
  return isAlone || seconds <= (areMost ? MAX_SHIFT_SECONDS : MAX_SPAN_SECONDS);
}
