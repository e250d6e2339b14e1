/** Lines are counted in cells of this size, so that there are few cells. */
const CELL_BYTES = 1 << 16;

/** Lines that follow each other. */
interface Cell {
  lastLine: number;
  byteLength: number;
}

/** Counts the bytes of lines that wait for the groups before them to be given out. */
export class WaitingLines {
  /** In the order of lines. */
  readonly #cells: Cell[] = [];
  #byteLength = 0;

  /** Takes the next line. @param byteLength what it counts for (`waitingBytesOf`) */
  add(line: number, byteLength: number): void {
    const cell = this.#cells.at(-1);
    if (cell === undefined || cell.byteLength >= CELL_BYTES) {
      this.#cells.push({ lastLine: line, byteLength });
    } else {
      cell.lastLine = line;
      cell.byteLength += byteLength;
    }
    this.#byteLength += byteLength;
  }

  /** The bytes of the lines behind a line, up to a cell too many. Lines before that line are forgotten. */
  bytesBehind(line: number): number {
    for (let [first] = this.#cells; first !== undefined && first.lastLine < line; [first] = this.#cells) {
      this.#cells.shift();
      this.#byteLength -= first.byteLength;
    }
    return this.#byteLength;
  }
}
