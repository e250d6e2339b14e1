/** The number of lines that a tally keeps, to show them. */
const SHOWN_LINES = 5;

/** A count of what was passed over, and the first lines of it. */
export interface Counted {
  readonly count: number;
  /** The physical lines of the first five at most, in order. */
  readonly lines: readonly number[];
}

/**
 * The lines of a count in words: `at line 7`, `at lines 1 and 85`, `the first at lines 1, 2, 3, 4 and 5`.
 *
 * @param verb is put before the lines: `begins at line 7` for `begin`
 */
export function placesOf({ count, lines }: Counted, verb?: string): string {
  const what = verb === undefined ? '' : `${verb}${count === 1 ? 's' : ''} `;
  const [first = '', ...others] = lines.map(String);
  const last = others.pop();
  const where = last === undefined ? `line ${first}` : `lines ${[first, ...others].join(', ')} and ${last}`;
  return `${count > lines.length ? 'the first ' : ''}${what}at ${where}`;
}

/** Counts what is passed over, and keeps its first lines. */
export class Tally implements Counted {
  count = 0;
  lines: readonly number[] = [];

  add(line: number): void {
    this.count += 1;
    if (this.lines.length < SHOWN_LINES || line < (this.lines.at(-1) ?? 0)) this.#show([...this.lines, line]);
  }

  /** Moves what was counted at a line to another line. */
  replace(line: number, by: number): void {
    this.#show([...this.lines.filter((counted) => counted !== line), by]);
  }

  #show(lines: readonly number[]): void {
    this.lines = lines.toSorted((line, other) => line - other).slice(0, SHOWN_LINES);
  }
}
