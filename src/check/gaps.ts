import { UTC_OFFSET_END } from '../log/record.js';
import type { Entry } from '../reading/record-group.js';

/** Records that are missing between two others. */
export interface Gap {
  readonly places: readonly number[];
  /** The lines of the records beside it; undefined at an end of the group. */
  readonly above: number | undefined;
  readonly below: number | undefined;
}

export interface Alignment {
  /** The place that each record takes; undefined for a record too many. They rise, but for two records that changed places. */
  readonly taken: readonly (number | undefined)[];
  readonly gaps: readonly Gap[];
}

/**
 * Aligns records with the places of a group, one after the other. A record that names another place stands in the next one if the record
 * behind it goes on from there; it changed places with that record if that names the next one; else records are missing before it.
 * @param end the number of plugins, and the place of a deprecation record
 */
export function align(records: readonly Pick<Entry, 'line' | 'place'>[], end: number, count = end + 1): Alignment {
  const taken: (number | undefined)[] = [];
  const gaps: Gap[] = [];
  let next = 0;
  const skipTo = (place: number): void => {
    const places = Array.from({ length: place - next }, (_, index) => next + index);
    next = place;
    if (places.length > 0) gaps.push({ places, above: records[taken.length - 1]?.line, below: records[taken.length]?.line });
  };
  while (taken.length < records.length) {
    const [place = 0, following] = [records[taken.length]?.place, records[taken.length + 1]?.place];
    const isFailure = place !== end && next < end;
    const goesOn = following === undefined ? place < next && next + 1 === count : following === next + 1;
    if (place === next + 1 && following === next) {
      taken.push(place, next);
      next += 2;
    } else if (place === next || (isFailure && goesOn)) {
      taken.push(next);
      next += 1;
    } else if (place > next && (place !== end || following === undefined)) {
      skipTo(place);
      taken.push(place);
      next += 1;
    } else taken.push(undefined);
  }
  skipTo(count);
  return { taken, gaps };
}

/** Records, or half of one in their place, stand at most this many lines from the others of their group. */
export const REACH_LINES = 64;

/** Foreign lines that may stand in for the records of one gap: any line within a group or directly beside it, half a record further away. */
export class GapLines {
  readonly #lines = new Map<number, boolean>();

  add(line: number, isHalf: boolean): void {
    this.#lines.set(line, isHalf);
  }

  forget(until: number): void {
    for (const line of this.#lines.keys()) if (line < until - REACH_LINES) this.#lines.delete(line);
  }

  fill({ above, below }: Gap): boolean {
    const first = above === undefined ? (below ?? 0) - REACH_LINES : above + 1;
    const last = below ?? first + REACH_LINES - 1;
    // Outside of the group, only half a record may be further away.
    const [from, until] = [above === undefined ? last - 1 : first, below === undefined ? first : last];
    const lines = Array.from(this.#lines)
      .filter(([line, isHalf]) => (isHalf ? line >= first && line <= last : line >= from && line <= until))
      .map(([line]) => line)
      .sort((line, other) => line - other);
    const nearest = above === undefined ? lines.at(-1) : lines[0];
    return this.#lines.delete(nearest ?? NaN);
  }
}

/** True for text that begins with a bracket and behind any stamp as records do. @param openings the beginnings of records, with any stamp */
export function isHalfRecord(text: string, openings: readonly string[]): boolean {
  const isOpening = (opening: string): boolean =>
    opening.slice(UTC_OFFSET_END).startsWith(text.slice(UTC_OFFSET_END, opening.length));
  return text.startsWith('[') && openings.some(isOpening);
}
