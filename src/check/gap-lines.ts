/** The place where records are missing from a group: the lines of the records above and below it; undefined at an end of the group. */
export interface Gap {
  readonly above: number | undefined;
  readonly below: number | undefined;
}

/** Returns true if a foreign line stands in for the records that are missing in a gap. */
export type FillGap = (gap: Gap) => boolean;

/** The first or last record of a group that was torn stands at most this far from the others. */
const REACH_LINES = 64;

/** A foreign line. */
interface GapLine {
  readonly line: number;
  /** True for a line that begins as a record of this log does. */
  readonly isHalf: boolean;
}

/**
 * Foreign lines that may stand in for missing records: each for those of one gap. Any line does that within a group and directly beside
 * it, half a record up to 64 lines outside of it.
 */
export class GapLines {
  /** In the order of lines. */
  #lines: GapLine[] = [];

  /** Takes a foreign line, or a line on which something stands before a record. */
  add(line: number, isHalf: boolean): void {
    this.#lines.splice(this.#indexOf(line), 0, { line, isHalf });
  }

  /** Forgets the lines that are too far above a line. */
  forget(line: number): void {
    const index = this.#indexOf(line - REACH_LINES);
    if (index > 0) this.#lines.splice(0, index);
  }

  /** True if a line can fill a gap. */
  readonly canFill: FillGap = (gap) => this.#find(gap) !== -1;

  /** Fills a gap: the line fills no other one. */
  readonly fill: FillGap = (gap) => {
    const index = this.#find(gap);
    if (index !== -1) this.#lines.splice(index, 1);
    return index !== -1;
  };

  /** The index of the nearest line that can fill a gap; -1 for none. */
  #find({ above, below }: Gap): number {
    if (above === undefined && below !== undefined) {
      const first = below - REACH_LINES;
      return this.#lines.findLastIndex(({ line, isHalf }) => line <= below && line >= (isHalf ? first : below - 1));
    }
    const first = (above ?? 0) + 1;
    const last = below ?? first + REACH_LINES - 1;
    const lastOfAny = below ?? first;
    return this.#lines.findIndex(({ line, isHalf }) => line >= first && line <= (isHalf ? last : lastOfAny));
  }

  /** The index of the first line from a line on. */
  #indexOf(line: number): number {
    return this.#lines.findLastIndex((found) => found.line < line) + 1;
  }
}
