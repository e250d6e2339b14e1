import { formatPlace } from '../errors.js';
import type { LinePlaces } from './line-places.js';

/** The number of lines that a tally keeps, to show them. */
const SHOWN_LINES = 5;

/** A count of what was passed over, and the first lines of it. */
export interface Counted {
  readonly count: number;
  /** The physical lines of the first five at most, in order. */
  readonly lines: readonly number[];
}

/**
 * The lines of a count in words: `at line 7`, `at lines 1 and 85`, `the first at lines 1, 2, 3, 4 and 5`; of several files,
 * `at lines 7 and 9 of error.log.1, error.log:85`.
 *
 * @param verb is put before the lines: `begins at line 7` for `begin`
 */
export function placesOf({ count, lines }: Counted, { sources, placeOf }: LinePlaces, verb?: string): string {
  const what = verb === undefined ? '' : `${verb}${count === 1 ? 's' : ''} `;
  const linesOfFiles = new Map<string, number[]>();
  for (const { source, line } of lines.map(placeOf)) linesOfFiles.set(source, [...(linesOfFiles.get(source) ?? []), line]);
  const where = Array.from(linesOfFiles, ([source, ofFile]) => {
    if (sources.length === 1) return nameLines(ofFile);
    const [first, second] = ofFile;
    return first !== undefined && second === undefined
      ? formatPlace({ source, line: first })
      : `${nameLines(ofFile)} of ${formatPlace({ source })}`;
  });
  return `${count > lines.length ? 'the first ' : ''}${what}at ${where.join(', ')}`;
}

/** `line 7`, `lines 1, 2 and 85` */
function nameLines(lines: readonly number[]): string {
  const [first = '', ...others] = lines.map(String);
  const last = others.pop();
  return last === undefined ? `line ${first}` : `lines ${[first, ...others].join(', ')} and ${last}`;
}

/** Counts what is passed over, and keeps its first lines. */
export class Tally implements Counted {
  count = 0;
  lines: readonly number[] = [];

  add(line: number): void {
    this.count += 1;
    if (this.lines.length < SHOWN_LINES || line < (this.lines.at(-1) ?? 0))
      this.lines = [...this.lines, line].sort((counted, other) => counted - other).slice(0, SHOWN_LINES);
  }
}
