import { haveSameDescriptor, type LoadFailure } from '../log/line.js';
import { MAX_SPAN_SECONDS } from './grouper.js';
import type { RecordGroup } from './record-group.js';
import { Tally } from './tally.js';

/** The most broken groups to which another one is compared. */
const MAX_LATEST = 24;

/** What is known of a broken group: the records that it is missing may still come as a group of their own. */
interface Broken {
  readonly firstLine: number;
  lastLine: number;
  readonly failure: LoadFailure | undefined;
  readonly second: number;
  readonly localSecond: number;
  /** The places of its records. */
  places: readonly number[];
}

/** Counts the groups of a log that are missing a record. Parts that can be those of one group count once, at the line of the first. */
export class BrokenGroups {
  readonly tally = new Tally();
  #latest: Broken[] = [];

  /** Takes the next broken group, in the order of first records. */
  add(group: RecordGroup): void {
    const part: Broken = {
      firstLine: group.firstLine,
      lastLine: group.lastLine,
      failure: group.firstFailure,
      second: group.second,
      localSecond: group.localSecond,
      places: group.entries.map(({ place }) => place),
    };
    for (const broken of this.#latest) {
      const places = joinPlaces(broken, part);
      if (places === undefined) continue;
      broken.places = places;
      broken.lastLine = Math.max(broken.lastLine, part.lastLine);
      return;
    }
    this.tally.add(part.firstLine);
    this.#latest.push(part);
    if (this.#latest.length > MAX_LATEST) this.#latest.shift();
  }
}

/** The places of two parts together, if they can be those of one group; else undefined. */
function joinPlaces(broken: Broken, part: Broken): Broken['places'] | undefined {
  const isAlone = part.places.length === 1 || broken.places.length === 1;
  const isNear =
    Math.abs(part.second - broken.second) <= MAX_SPAN_SECONDS ||
    Math.abs(part.localSecond - broken.localSecond) <= MAX_SPAN_SECONDS;
  const isBeside = part.firstLine <= broken.lastLine + 1;
  const [failure, other] = [broken.failure, part.failure];
  const isOfOne = failure === undefined || other === undefined || haveSameDescriptor(failure, other);
  if (!(isNear && isOfOne) && !(isAlone && isBeside)) return undefined;
  const places = [...broken.places, ...part.places];
  return new Set(places).size === places.length ? places : undefined;
}
