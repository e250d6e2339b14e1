import { IANAZone } from 'luxon';

/**
 * Offsets are found once per stretch of time in which they are constant, not once per record: luxon takes some 10 µs for each.
 * A cell of time holds one change of offset at most, because the shortest stretch between two changes since 1970 is
 * 6.96 days (the time-zone database 2025b: Gaza, Recife, Boa Vista, Noronha).
 */
const CELL_SECONDS = 4 * 86_400;

/** How many cells are kept: 44 years of them. A list that jumps about in more is served all the same, only slower. */
const MAX_CELLS = 4096;

/** No UTC offset since 1970 is larger than this, either way. */
const MAX_OFFSET_SECONDS = 16 * 3600;

/** A stretch of constant offset: Unix seconds from `from` up to, but not including, `until`. `offset` is in seconds east of UTC. */
interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

/** An IANA time zone: what its clocks show at an instant, and which instants a clock reading can mean. */
export class Zone {
  readonly #luxonZone: IANAZone;
  readonly #cells = new Map<number, readonly Stretch[]>();
  #latest: Stretch = { from: 0, until: 0, offset: 0 };
  /** A stretch of clock readings, each of which is shown once, at the same offset. */
  #latestLocal: Stretch = { from: 0, until: 0, offset: 0 };

  /** @param name an IANA zone name that `isZoneName` accepts */
  constructor(name: string) {
    this.#luxonZone = IANAZone.create(name);
  }

  /** The offset from UTC at a Unix second, in seconds, positive to the east; whole minutes from 8 January 1972 on (Liberia was the last). */
  offsetAt(second: number): number {
    const latest = this.#latest;
    if (second >= latest.from && second < latest.until) return latest.offset;
    this.#latest = this.stretchAt(second);
    return this.#latest.offset;
  }

  /**
   * The Unix seconds (from 0) at which clocks of the zone show a local time, in order: none in the gap of spring, two in the
   * repeated hour of autumn, else one. Instants before 1970 do not count, and no zone is asked about them: changes of offset
   * may lie closer together there than a cell is long, and offsets may be those of local mean time.
   *
   * @param localSecond the local time as if it were UTC, in seconds since 1970-01-01T00:00:00
   */
  instantsOf(localSecond: number): number[] {
    const latest = this.#latestLocal;
    if (localSecond >= latest.from && localSecond < latest.until) return [localSecond - latest.offset];
    const instants: number[] = [];
    const last = localSecond + MAX_OFFSET_SECONDS;
    for (let second = Math.max(0, localSecond - MAX_OFFSET_SECONDS); second <= last;) {
      const stretch = this.stretchAt(second);
      const instant = localSecond - stretch.offset;
      if (instant >= stretch.from && instant < stretch.until) {
        instants.push(instant);
        this.#latestLocal = this.#shownOnce(stretch);
      }
      second = stretch.until;
    }
    return instants;
  }

  /** What clocks show in a stretch, less what they may show again, or skip, in the stretches about it. */
  #shownOnce({ from, until, offset }: Stretch): Stretch {
    const before = this.#offsetsBetween(from - 2 * MAX_OFFSET_SECONDS, from);
    const after = this.#offsetsBetween(until, until + 2 * MAX_OFFSET_SECONDS);
    return { from: from + Math.max(offset, ...before), until: until + Math.min(offset, ...after), offset };
  }

  #offsetsBetween(from: number, until: number): number[] {
    const offsets: number[] = [];
    for (let second = Math.max(0, from); second < until;) {
      const stretch = this.stretchAt(second);
      offsets.push(stretch.offset);
      second = stretch.until;
    }
    return offsets;
  }

  /** A stretch of constant offset about a Unix second; the next one may have the same offset. */
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

  /** The one or two stretches between two seconds, the change between them found by bisection. */
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
    if (change === until) return [{ from, until, offset }];
    return [
      { from, until: change, offset },
      { from: change, until, offset: offsetAfter },
    ];
  }

  /** luxon's offset is in minutes, with a fraction where a zone had one (before 1972). */
  #luxonOffset(second: number): number {
    return Math.round(this.#luxonZone.offset(second * 1000) * 60);
  }
}

/** Zones that were asked for, by name: making one again would find its stretches again. */
const zones = new Map<string, Zone>();

/** The zone of a name that `isZoneName` accepts; the same object for the same name. */
export function zoneNamed(name: string): Zone {
  let zone = zones.get(name);
  if (zone === undefined) {
    zone = new Zone(name);
    zones.set(name, zone);
  }
  return zone;
}

/** Whether a text names an IANA time zone that this Node knows, in any case; a bare offset (`+02:00`) is none. */
export function isZoneName(name: string): boolean {
  // luxon takes some 50 µs to tell, and a deployment is made for each group that is tried for one.
  return zones.has(name) || (/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name) && IANAZone.isValidZone(name));
}
