import { IANAZone } from 'luxon';

/**
 * Offsets are cached by cell: luxon is slow. A cell of 4 days has at most one transition: the shortest time between two since
 * 1970 is 6.96 days (time-zone database 2025b: Gaza, Recife, Boa Vista, Noronha).
 */
const CELL_SECONDS = 4 * 86_400;

/** 44 years. A list that jumps about in more years is only slower. */
const MAX_CELLS = 4096;

const MAX_OFFSET_SECONDS = 16 * 3600;

/** Unix seconds from `from` up to, but not including, `until`; the offset is in seconds east of UTC. */
interface ZoneInterval {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

export class Zone {
  readonly #luxonZone: IANAZone;
  /** The intervals before and behind the transition of each cell; the second is empty if there is none. */
  readonly #cells = new Map<number, readonly [ZoneInterval, ZoneInterval]>();
  #latest: ZoneInterval = { from: 0, until: 0, offset: 0 };

  constructor(name: string) {
    this.#luxonZone = IANAZone.create(name);
  }

  /** The UTC offset at a Unix second, in seconds, positive to the east: whole minutes since 8 January 1972 (Liberia was last). */
  offsetAt(second: number): number {
    return this.intervalAt(second).offset;
  }

  /**
   * The Unix seconds at which clocks show a local time (as if it were UTC): none in the gap of spring, two in the repeated hour
   * of autumn; in their order. Instants before 1970 are left out: transitions were closer together than a cell is long.
   */
  instantsOf(localSecond: number): number[] {
    const before = localSecond - this.offsetAt(Math.max(0, localSecond - MAX_OFFSET_SECONDS));
    const behind = localSecond - this.offsetAt(Math.max(0, localSecond + MAX_OFFSET_SECONDS));
    if (before === behind) return before >= 0 ? [before] : [];
    return [before, behind].filter((instant) => instant >= 0 && instant + this.offsetAt(instant) === localSecond);
  }

  /** An interval of constant offset around a Unix second; the next interval may have the same offset. */
  intervalAt(second: number): ZoneInterval {
    if (second >= this.#latest.from && second < this.#latest.until) return this.#latest;
    const index = Math.floor(second / CELL_SECONDS);
    const [before, behind] = this.#cells.get(index) ?? this.#findCell(index);
    this.#latest = second < before.until ? before : behind;
    return this.#latest;
  }

  #findCell(index: number): readonly [ZoneInterval, ZoneInterval] {
    const [from, until] = [index * CELL_SECONDS, (index + 1) * CELL_SECONDS];
    const [offset, offsetBehind] = [this.#luxonOffset(from), this.#luxonOffset(until)];
    let [before, transition] = [from, until];
    while (offset !== offsetBehind && transition - before > 1) {
      const middle = Math.floor((before + transition) / 2);
      if (this.#luxonOffset(middle) === offset) before = middle;
      else transition = middle;
    }
    const cell = [
      { from, until: transition, offset },
      { from: transition, until, offset: offsetBehind },
    ] as const;
    if (this.#cells.size === MAX_CELLS) this.#cells.clear();
    this.#cells.set(index, cell);
    return cell;
  }

  /** luxon gives minutes, with a fraction for offsets before 1972 that were not whole minutes. */
  #luxonOffset(second: number): number {
    return Math.round(this.#luxonZone.offset(second * 1000) * 60);
  }
}

export const UNKNOWN_ZONE = {
  problem: 'is not a time zone that this Node knows',
  remedy: 'give an IANA name such as Europe/Warsaw',
} as const;

const zones = new Map<string, Zone>();

/** @throws RangeError for a name that `isZoneName` refuses */
export function zoneNamed(name: string): Zone {
  const zone = zones.get(name) ?? (isZoneName(name) ? new Zone(name) : undefined);
  if (zone === undefined) throw new RangeError(`timezone ${UNKNOWN_ZONE.problem}; ${UNKNOWN_ZONE.remedy}`);
  zones.set(name, zone);
  return zone;
}

/** True for the name of an IANA time zone that this Node knows, in any case; false for an offset (`+02:00`). */
export function isZoneName(name: string): boolean {
  // The cache first: readers try to make a deployment from many groups, and luxon is slow.
  return zones.has(name) || (/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name) && IANAZone.isValidZone(name));
}
