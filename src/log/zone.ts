import { IANAZone } from 'luxon';

/**
 * Offsets are cached by cell, because asking luxon for each record is slow. A cell of 4 days has at most one transition: the shortest time
 * between two transitions since 1970 is 6.96 days (time-zone database 2025b: Gaza, Recife, Boa Vista, Noronha).
 */
const CELL_SECONDS = 4 * 86_400;

/** The most cached cells: 44 years. A list that jumps about in more years is only slower. */
const MAX_CELLS = 4096;

/** The bound of UTC offsets since 1970, in both directions. */
const MAX_OFFSET_SECONDS = 16 * 3600;

/** An interval of constant offset: Unix seconds from `from` up to, but not including, `until`. `offset` is in seconds east of UTC. */
interface ZoneInterval {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

/** An IANA time zone: converts instants to the clock readings of the zone, and back. */
export class Zone {
  readonly #luxonZone: IANAZone;
  readonly #cells = new Map<number, readonly ZoneInterval[]>();
  #latest: ZoneInterval = { from: 0, until: 0, offset: 0 };
  /** A cached interval of clock readings, each of which occurs once, at one offset. */
  #latestLocal: ZoneInterval = { from: 0, until: 0, offset: 0 };

  /** @param name an IANA zone name that `isZoneName` accepts */
  constructor(name: string) {
    this.#luxonZone = IANAZone.create(name);
  }

  /** The UTC offset at a Unix second, in seconds, positive to the east: whole minutes since 8 January 1972 (Liberia was last). */
  offsetAt(second: number): number {
    const latest = this.#latest;
    if (second >= latest.from && second < latest.until) return latest.offset;
    this.#latest = this.intervalAt(second);
    return this.#latest.offset;
  }

  /**
   * The Unix seconds (from 0) at which clocks of the zone show a local time, in order. There are none in the gap of spring, two in
   * the repeated hour of autumn, otherwise one. Instants before 1970 are left out: transitions were closer together than a cell is long,
   * and offsets could be those of local mean time.
   *
   * @param localSecond the local time as if it were UTC, in seconds since 1970-01-01T00:00:00
   */
  instantsOf(localSecond: number): number[] {
    const latest = this.#latestLocal;
    if (localSecond >= latest.from && localSecond < latest.until) return [localSecond - latest.offset];
    const instants: number[] = [];
    for (const interval of this.#intervalsBetween(localSecond - MAX_OFFSET_SECONDS, localSecond + MAX_OFFSET_SECONDS + 1)) {
      const instant = localSecond - interval.offset;
      if (instant >= interval.from && instant < interval.until) {
        instants.push(instant);
        this.#latestLocal = this.#shownOnce(interval);
      }
    }
    return instants;
  }

  /** The clock readings of an interval that no neighbouring interval shows. */
  #shownOnce({ from, until, offset }: ZoneInterval): ZoneInterval {
    const before = Array.from(this.#intervalsBetween(from - 2 * MAX_OFFSET_SECONDS, from), (interval) => interval.offset);
    const after = Array.from(this.#intervalsBetween(until, until + 2 * MAX_OFFSET_SECONDS), (interval) => interval.offset);
    return { from: from + Math.max(offset, ...before), until: until + Math.min(offset, ...after), offset };
  }

  *#intervalsBetween(from: number, until: number): Generator<ZoneInterval> {
    for (let second = Math.max(0, from), interval; second < until; second = interval.until) {
      interval = this.intervalAt(second);
      yield interval;
    }
  }

  /** An interval of constant offset around a Unix second; the next interval may have the same offset. */
  intervalAt(second: number): ZoneInterval {
    const intervals = this.#cell(Math.floor(second / CELL_SECONDS));
    const [first, next] = intervals;
    const interval = next !== undefined && second >= next.from ? next : first;
    if (interval === undefined) throw new RangeError(`no offset is known at ${String(second)}`);
    return interval;
  }

  #cell(index: number): readonly ZoneInterval[] {
    const known = this.#cells.get(index);
    if (known !== undefined) return known;
    if (this.#cells.size === MAX_CELLS) this.#cells.clear();
    const intervals = this.#findIntervals(index * CELL_SECONDS, (index + 1) * CELL_SECONDS);
    this.#cells.set(index, intervals);
    return intervals;
  }

  /** The one or two intervals between two seconds; bisection finds the transition. */
  #findIntervals(from: number, until: number): ZoneInterval[] {
    const offset = this.#luxonOffset(from);
    const offsetAfter = this.#luxonOffset(until);
    if (offset === offsetAfter) return [{ from, until, offset }];
    let before = from;
    let transition = until;
    while (transition - before > 1) {
      const middle = Math.floor((before + transition) / 2);
      if (this.#luxonOffset(middle) === offset) before = middle;
      else transition = middle;
    }
    return [
      { from, until: transition, offset },
      { from: transition, until, offset: offsetAfter },
    ];
  }

  /** luxon gives minutes, with a fraction for offsets before 1972 that were not whole minutes. */
  #luxonOffset(second: number): number {
    return Math.round(this.#luxonZone.offset(second * 1000) * 60);
  }
}

/** Problem and remedy of a name that `isZoneName` refuses. */
export const UNKNOWN_ZONE = {
  problem: 'is not a time zone that this Node knows',
  remedy: 'give an IANA name such as Europe/Warsaw',
} as const;

/** A cache of zones by name: all users of a zone share its cells. */
const zones = new Map<string, Zone>();

/** The zone of a name, always the same object. @throws RangeError for a name that `isZoneName` refuses */
export function zoneNamed(name: string): Zone {
  let zone = zones.get(name);
  if (zone === undefined) {
    if (!isZoneName(name)) {
      throw new RangeError(`timezone ${UNKNOWN_ZONE.problem}; ${UNKNOWN_ZONE.remedy}`);
    }
    zone = new Zone(name);
    zones.set(name, zone);
  }
  return zone;
}

/** True for the name of an IANA time zone that this Node knows, in any case; false for an offset (`+02:00`). */
export function isZoneName(name: string): boolean {
  // The cache first: readers try to make a deployment from many groups, and luxon is slow.
  return zones.has(name) || (/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name) && IANAZone.isValidZone(name));
}
