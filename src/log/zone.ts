import { IANAZone } from 'luxon';

/**
 * An offset is looked up once per stretch of time in which it is constant, not once per record: luxon takes some 10 µs for each.
 * A cell of time holds at most one change of offset, because the shortest stretch between two changes since 1970 is
 * 6.96 days (time-zone database 2025b: Gaza, Recife, Boa Vista, Noronha).
 */
const CELL_SECONDS = 4 * 86_400;

/** Up to this many cells are cached: 44 years. A list that jumps about in more years is only slower. */
const MAX_CELLS = 4096;

/** The bound of UTC offsets since 1970, in both directions. */
const MAX_OFFSET_SECONDS = 16 * 3600;

/** A stretch of constant offset: Unix seconds from `from` up to, but not including, `until`. `offset` is in seconds east of UTC. */
interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

/** An IANA time zone: converts instants to the clock readings of the zone, and back. */
export class Zone {
  readonly #luxonZone: IANAZone;
  readonly #cells = new Map<number, readonly Stretch[]>();
  #latest: Stretch = { from: 0, until: 0, offset: 0 };
  /** A stretch of clock readings that are all shown once, at one offset: reading a list of local times is 10 % faster with it. */
  #latestLocal: Stretch = { from: 0, until: 0, offset: 0 };

  /** @param name an IANA zone name that `isZoneName` accepts */
  constructor(name: string) {
    this.#luxonZone = IANAZone.create(name);
  }

  /** The offset from UTC at a Unix second, in seconds, positive to the east. Whole minutes since 8 January 1972 (Liberia was the last). */
  offsetAt(second: number): number {
    const latest = this.#latest;
    if (second >= latest.from && second < latest.until) return latest.offset;
    this.#latest = this.stretchAt(second);
    return this.#latest.offset;
  }

  /**
   * The Unix seconds (from 0) at which clocks of the zone show a local time, in order: none in the gap of spring, two in the
   * repeated hour of autumn, else one. Instants before 1970 are left out. Changes of offset were closer together then than
   * a cell is long, and offsets could be those of local mean time.
   *
   * @param localSecond the local time as if it were UTC, in seconds since 1970-01-01T00:00:00
   */
  instantsOf(localSecond: number): number[] {
    const latest = this.#latestLocal;
    if (localSecond >= latest.from && localSecond < latest.until) return [localSecond - latest.offset];
    const instants: number[] = [];
    for (const stretch of this.#stretchesBetween(localSecond - MAX_OFFSET_SECONDS, localSecond + MAX_OFFSET_SECONDS + 1)) {
      const instant = localSecond - stretch.offset;
      if (instant >= stretch.from && instant < stretch.until) {
        instants.push(instant);
        this.#latestLocal = this.#shownOnce(stretch);
      }
    }
    return instants;
  }

  /** The clock readings of a stretch, without those that the neighbouring stretches may show as well. */
  #shownOnce({ from, until, offset }: Stretch): Stretch {
    const before = Array.from(this.#stretchesBetween(from - 2 * MAX_OFFSET_SECONDS, from), (stretch) => stretch.offset);
    const after = Array.from(this.#stretchesBetween(until, until + 2 * MAX_OFFSET_SECONDS), (stretch) => stretch.offset);
    return { from: from + Math.max(offset, ...before), until: until + Math.min(offset, ...after), offset };
  }

  *#stretchesBetween(from: number, until: number): Generator<Stretch> {
    for (let second = Math.max(0, from), stretch; second < until; second = stretch.until) {
      stretch = this.stretchAt(second);
      yield stretch;
    }
  }

  /** A stretch of constant offset around a Unix second; the next stretch may have the same offset. */
  stretchAt(second: number): Stretch {
    const stretches = this.#cell(Math.floor(second / CELL_SECONDS));
    const [first, next] = stretches;
    const stretch = next !== undefined && second >= next.from ? next : first;
    if (stretch === undefined) throw new RangeError(`no offset is known at ${String(second)}`);
    return stretch;
  }

  #cell(index: number): readonly Stretch[] {
    const known = this.#cells.get(index);
    if (known !== undefined) return known;
    if (this.#cells.size === MAX_CELLS) this.#cells.clear();
    const stretches = this.#findStretches(index * CELL_SECONDS, (index + 1) * CELL_SECONDS);
    this.#cells.set(index, stretches);
    return stretches;
  }

  /** The one or two stretches between two seconds; bisection finds the change between them. */
  #findStretches(from: number, until: number): Stretch[] {
    const offset = this.#luxonOffset(from);
    const offsetAfter = this.#luxonOffset(until);
    if (offset === offsetAfter) return [{ from, until, offset }];
    let before = from;
    let change = until;
    while (change - before > 1) {
      const middle = Math.floor((before + change) / 2);
      if (this.#luxonOffset(middle) === offset) before = middle;
      else change = middle;
    }
    return [
      { from, until: change, offset },
      { from: change, until, offset: offsetAfter },
    ];
  }

  /** luxon gives minutes, with a fraction for offsets that were not whole minutes (before 1972). */
  #luxonOffset(second: number): number {
    return Math.round(this.#luxonZone.offset(second * 1000) * 60);
  }
}

/** The message about a name that `isZoneName` refuses: what is wrong, and what to do. */
export const UNKNOWN_ZONE = {
  problem: 'is not a time zone that this Node knows',
  remedy: 'give an IANA name such as Europe/Warsaw',
} as const;

/** A cache of zones by name, so that the cells of each are found once. */
const zones = new Map<string, Zone>();

/** The zone of a name that `isZoneName` accepts; always the same object for a name. @throws RangeError for any other name */
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
  // luxon takes some 50 µs, and a deployment is made for each group that is tried for one.
  return zones.has(name) || (/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name) && IANAZone.isValidZone(name));
}
