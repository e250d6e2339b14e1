/** Counts of lines that begin anew at equal distances, as they do behind the one record of each group that is passed over. */
interface Counts {
  /** The first record, and its line. */
  readonly record: number;
  readonly line: number;
  /** The distance from one beginning to the next, in records and in lines; as long as there is one beginning, 0. */
  records: number;
  lines: number;
  /** The number of beginnings after the first. */
  more: number;
}

/**
 * The physical lines of records, by the records' numbers. Lines of records mostly follow one another; only where they do not (a line
 * that was passed over, two objects on one line) is something noted, and of places at equal distances only the first and their number.
 */
export class LineNumbers {
  /** In the order of records. */
  readonly #counts: Counts[] = [];
  #last: Counts = { record: 0, line: 1, records: 0, lines: 0, more: 0 };

  constructor() {
    this.#counts.push(this.#last);
  }

  /** Takes the line of a record; records are given in order, and may be left out where lines follow one another. */
  note(record: number, line: number): void {
    if (this.of(record) === line) return;
    const last = this.#last;
    if (last.more === 0 && record > last.record) {
      last.records = record - last.record;
      last.lines = line - last.line;
    }
    const next = last.more + 1;
    if (last.records > 0 && record === last.record + next * last.records && line === last.line + next * last.lines) {
      last.more = next;
      return;
    }
    this.#last = { record, line, records: 0, lines: 0, more: 0 };
    this.#counts.push(this.#last);
  }

  /** The line of a record. */
  of(record: number): number {
    let from = 0;
    let until = this.#counts.length;
    while (until - from > 1) {
      const middle = (from + until) >>> 1;
      if ((this.#counts[middle]?.record ?? 0) <= record) from = middle;
      else until = middle;
    }
    const { record: first, line, records, lines, more } = this.#counts[from] ?? this.#last;
    const begun = more === 0 ? 0 : Math.min(more, Math.floor((record - first) / records));
    return line + begun * lines + (record - first - begun * records);
  }
}
