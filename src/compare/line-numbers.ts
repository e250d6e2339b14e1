/**
 * The physical lines of records, by the records' numbers. Lines of records mostly follow one another; only where they do not (a line
 * that was passed over, two objects on one line) is something noted.
 */
export class LineNumbers {
  /** The beginnings of new counts: record numbers, ascending, and their lines. */
  readonly #records: number[] = [0];
  readonly #lines: number[] = [1];

  /** Takes the line of a record; records are given in order, and may be left out where lines follow one another. */
  note(record: number, line: number): void {
    if (this.of(record) === line) return;
    this.#records.push(record);
    this.#lines.push(line);
  }

  /** The line of a record. */
  of(record: number): number {
    let from = 0;
    let until = this.#records.length;
    while (until - from > 1) {
      const middle = (from + until) >>> 1;
      if ((this.#records[middle] ?? 0) <= record) from = middle;
      else until = middle;
    }
    return (this.#lines[from] ?? 0) + record - (this.#records[from] ?? 0);
  }
}
