import { haveSameDescriptor } from '../log/line.js';
import type { Counted } from './line-places.js';
import { Tally, type PassedOver } from './passed-over.js';
import { MAX_SPAN_SECONDS, UNKNOWN, type RecordGroup } from './record-group.js';

const MAX_LATEST = 24;

/** The most seconds over which a lost record shifts the records of groups of one descriptor. */
const MAX_SHIFT_SECONDS = 60;

/** A broken group: the records that it is missing may still come as a group of their own. */
interface Broken {
  readonly first: RecordGroup;
  lastLine: number;
  /** The places of its records, each once, but for plugins that are not in the list. */
  places: ReadonlySet<number>;
}

/** Counts the groups of a log, and those that are missing a record: parts that can be those of one group once, at the first line. */
export class GroupCounts implements Pick<PassedOver, 'groups' | 'incomplete'> {
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
    if (group.isComplete) this.addComplete(group.firstLine, group.hasEnding);
    if (group.isComplete && group.hasEnding) return;
    const part = {
      first: group,
      lastLine: group.lastLine,
      places: new Set(group.entries.flatMap(({ place }) => (place === UNKNOWN ? [] : [place]))),
    };
    if (!group.isComplete) {
      for (const broken of this.#latest) {
        // A group with all its load failures is missing its deprecation record alone.
        const places = broken.first.isComplete && group.firstFailure !== undefined ? undefined : joinPlaces(broken, part);
        if (places === undefined) continue;
        broken.places = places;
        broken.lastLine = Math.max(broken.lastLine, part.lastLine);
        return;
      }
      this.#broken.add(group.firstLine);
    }
    this.#latest.push(part);
    if (this.#latest.length > MAX_LATEST) this.#latest.shift();
  }
}

/**
 * The places of two parts together, if they can be those of one group; else undefined: parts near each other that have one descriptor or
 * stand one directly behind the other. A record that stands alone there may have another plugin or time than it should.
 *
 * A record that is lost among groups of one descriptor makes each group take the records of the next one. The parts are then far from
 * each other, and they are all records but one.
 */
function joinPlaces(broken: Broken, part: Broken): Broken['places'] | undefined {
  const places = new Set([...broken.places, ...part.places]);
  const hasSurplus = places.size < broken.places.size + part.places.size;
  const isAlone = part.places.size <= 1;
  const { second, localSecond, firstFailure: failure } = broken.first;
  const { second: ofPart, localSecond: localOfPart, firstFailure: other, firstLine } = part.first;
  const seconds = Math.min(Math.abs(ofPart - second), Math.abs(localOfPart - localSecond));
  const isNear = seconds <= MAX_SPAN_SECONDS;
  const isBeside = firstLine <= broken.lastLine + 1;
  if (hasSurplus) return isBeside && isNear && isAlone && other !== undefined && broken.places.size > 1 ? places : undefined;
  if (isBeside && isNear) return places;
  if (!(failure === undefined || other === undefined || haveSameDescriptor(failure, other))) return undefined;
  if (isBeside && (isAlone || broken.places.size <= 1)) return places;
  return isNear || (seconds <= MAX_SHIFT_SECONDS && places.size >= Math.max(...places)) ? places : undefined;
}
