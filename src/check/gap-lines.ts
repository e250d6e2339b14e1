import { UTC_OFFSET_END } from '../log/record.js';

/** Records in a row that are missing from a group. */
export interface Gap {
  readonly places: readonly number[];
  /** The lines of the records above and below; undefined at an end of the group. */
  readonly above: number | undefined;
  readonly below: number | undefined;
}

/** Half a record that stands for the first or last ones of a group is at most this many lines away from the others. */
const REACH_LINES = 64;

/**
 * Foreign lines that may stand in for missing records: each for those of one gap. Any line does that within a group and directly beside
 * it, half a record up to 64 lines outside of it.
 */
export class GapLines {
  readonly #lines = new Map<number, boolean>();

  add(line: number, isHalf: boolean): void {
    this.#lines.set(line, isHalf);
  }

  /** Forgets the lines that are too far above a line. */
  forget(until: number): void {
    for (const line of this.#lines.keys()) if (line < until - REACH_LINES) this.#lines.delete(line);
  }

  /** Fills a gap with the nearest line that can stand in for its records, if there is one: the line fills no other gap. */
  fill({ above, below }: Gap): boolean {
    const first = above === undefined ? (below ?? 0) - REACH_LINES : above + 1;
    const last = below ?? first + REACH_LINES - 1;
    let nearest: number | undefined;
    for (const [line, isHalf] of this.#lines) {
      // Outside of the group, only half a record may be further away.
      const from = isHalf || above !== undefined ? first : last - 1;
      const until = isHalf || below !== undefined ? last : first;
      const isNearer = nearest === undefined || (above === undefined ? line > nearest : line < nearest);
      if (line >= from && line <= until && isNearer) nearest = line;
    }
    return this.#lines.delete(nearest ?? NaN);
  }
}

/** True for text that begins with a bracket and behind any stamp as records do. @param openings the beginnings of records, with any stamp */
export function isHalfRecord(text: string, openings: readonly string[]): boolean {
  const isOpening = (opening: string): boolean =>
    opening.slice(UTC_OFFSET_END).startsWith(text.slice(UTC_OFFSET_END, opening.length));
  return text.startsWith('[') && openings.some(isOpening);
}
