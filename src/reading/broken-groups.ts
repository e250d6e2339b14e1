import { haveSameDescriptor } from '../log/line.js';
import { MAX_SPAN_SECONDS, type RecordGroup } from './record-group.js';
import { Tally } from './tally.js';

/** The most broken groups to which another one is compared. */
const MAX_LATEST = 24;

/** The most seconds over which a lost record shifts the records of groups of one descriptor. */
const MAX_SHIFT_SECONDS = 60;

/** A broken group: the records that it is missing may still come as a group of their own. */
interface Broken {
  readonly first: RecordGroup;
  lastLine: number;
  /** The places of its records, each once. */
  places: ReadonlySet<number>;
}

/** Counts the groups of a log that are missing a record. Parts that can be those of one group count once, at the line of the first. */
export class BrokenGroups {
  readonly tally = new Tally();
  #latest: Broken[] = [];

  /** Takes the next broken group, in the order of first records. */
  add(group: RecordGroup): void {
    const part = { first: group, lastLine: group.lastLine, places: new Set(group.entries.map(({ place }) => place)) };
    for (const broken of this.#latest) {
      const places = joinPlaces(broken, part);
      if (places === undefined) continue;
      broken.places = places;
      broken.lastLine = Math.max(broken.lastLine, part.lastLine);
      return;
    }
    this.tally.add(group.firstLine);
    this.#latest.push(part);
    if (this.#latest.length > MAX_LATEST) this.#latest.shift();
  }
}

/**
 * The places of two parts together, if they can be those of one group; else undefined: parts of one descriptor near each other in time,
 * or a part directly behind the other. A record that stands alone there may have another plugin than it should.
 *
 * A record that is lost among groups of one descriptor makes each group take the records of the next one. The parts are then far from
 * each other, and they are all records but one.
 */
function joinPlaces(broken: Broken, part: Broken): Broken['places'] | undefined {
  const places = new Set([...broken.places, ...part.places]);
  const hasSurplus = places.size < broken.places.size + part.places.size;
  const isAlone = part.places.size === 1;
  if (hasSurplus && !(isAlone && broken.places.size > 1)) return undefined;
  const { second, localSecond, firstFailure: failure } = broken.first;
  const { second: ofPart, localSecond: localOfPart, firstFailure: other, firstLine } = part.first;
  const seconds = Math.min(Math.abs(ofPart - second), Math.abs(localOfPart - localSecond));
  const isNear = seconds <= MAX_SPAN_SECONDS;
  const isBeside = firstLine <= broken.lastLine + 1;
  if (isBeside && (isNear || isAlone || broken.places.size === 1)) return places;
  if (hasSurplus || !(failure === undefined || other === undefined || haveSameDescriptor(failure, other))) return undefined;
  return isNear || (seconds <= MAX_SHIFT_SECONDS && places.size >= Math.max(...places)) ? places : undefined;
}
