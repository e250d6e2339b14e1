/** How many lines are kept to be shown. */
const SHOWN_LINES = 5;

/** What was passed over: how much, and where the first of it stand. */
export interface Counted {
  readonly count: number;
  /** The physical lines of the first five at most, in order. */
  readonly lines: readonly number[];
}

/**
 * Where what was counted stands: `at line 7`, `at lines 1 and 85`, `the first at lines 1, 2, 3, 4 and 5`.
 *
 * @param verb what it does there: with `begin`, `begins at line 7`
 */
export function placesOf({ count, lines }: Counted, verb?: string): string {
  const what = verb === undefined ? '' : `${verb}${count === 1 ? 's' : ''} `;
  const [first = '', ...others] = lines.map(String);
  const last = others.pop();
  const where = last === undefined ? `line ${first}` : `lines ${[first, ...others].join(', ')} and ${last}`;
  return `${count > lines.length ? 'the first ' : ''}${what}at ${where}`;
}

/** Counts what is passed over. */
export class Tally implements Counted {
  count = 0;
  lines: readonly number[] = [];

  add(line: number): void {
    this.count += 1;
    if (this.lines.length < SHOWN_LINES || line < (this.lines.at(-1) ?? 0)) this.#show([...this.lines, line]);
  }

  /** What was counted at a line is found to have begun at another. */
  replace(line: number, by: number): void {
    this.#show([...this.lines.filter((one) => one !== line), by]);
  }

  #show(lines: readonly number[]): void {
    this.lines = lines.toSorted((one, other) => one - other).slice(0, SHOWN_LINES);
  }
}
