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
    const index = this.#indexOf(line);
    if (this.#lines[index]?.line !== line) this.#lines.splice(index, 0, { line, isHalf });
  }

  /** Forgets the lines that are too far above a line. */
  forget(line: number): void {
    const index = this.#indexOf(line - REACH_LINES);
    if (index > 0) this.#lines.splice(0, index);
  }

  /** True if a line can fill a gap. */
  readonly canFill: FillGap = (gap) => this.#find(gap) !== undefined;

  /** Fills a gap: the line fills no other one. */
  readonly fill: FillGap = (gap) => {
    const index = this.#find(gap);
    if (index !== undefined) this.#lines.splice(index, 1);
    return index !== undefined;
  };

  /** The index of the nearest line that can fill a gap. */
  #find({ above, below }: Gap): number | undefined {
    if (this.#lines.length === 0) return undefined;
    if (above === undefined && below !== undefined) {
      for (let index = this.#indexOf(below + 1) - 1; index >= 0; index -= 1) {
        const found = this.#lines[index];
        if (found === undefined || found.line < below - REACH_LINES) return undefined;
        if (found.isHalf || found.line >= below - 1) return index;
      }
      return undefined;
    }
    const first = (above ?? 0) + 1;
    const last = below ?? first + REACH_LINES - 1;
    for (let index = this.#indexOf(first); index < this.#lines.length; index += 1) {
      const found = this.#lines[index];
      if (found === undefined || found.line > last) return undefined;
      if (below !== undefined || found.isHalf || found.line === first) return index;
    }
    return undefined;
  }

  /** The index of the first line from a line on. */
  #indexOf(line: number): number {
    return this.#lines.findLastIndex((found) => found.line < line) + 1;
  }
}
