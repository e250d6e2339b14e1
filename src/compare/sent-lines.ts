import { ReadAhead, type ReadAt } from './read-ahead.js';

/** The positions of every so many lines are remembered. */
const LINES_APART = 1024;

/** The lines of the expected log, read once more by their numbers. Nothing is read unless a line is asked for. */
export class SentLines {
  readonly #ahead: ReadAhead;
  /** The positions of lines 1, 1025, 2049, …, as far as the log has been gone through. */
  readonly #positions: number[] = [0];
  /** The line that was gone to last, and its position. */
  #line = 1;
  #position = 0;

  constructor(readAt: ReadAt) {
    this.#ahead = new ReadAhead(readAt);
  }

  /** The bytes of a line (from 1), without its LF; good until the next call. */
  read(line: number): Buffer {
    return this.#ahead.readLine(this.positionOf(line) ?? 0);
  }

  /** The beginning of a line in the log; undefined if the log has no such line. */
  positionOf(line: number): number | undefined {
    if (line < this.#line || line >= this.#line + LINES_APART) this.#goNear(line);
    while (this.#line < line) {
      const lf = this.#ahead.findLf(this.#position);
      if (lf === -1) return undefined;
      this.#line += 1;
      this.#position = lf + 1;
      if (this.#line === this.#positions.length * LINES_APART + 1) this.#positions.push(this.#position);
    }
    return this.#position;
  }

  /** Goes to the last remembered line before a line, unless the line at hand is nearer. */
  #goNear(line: number): void {
    const index = Math.min(Math.floor((line - 1) / LINES_APART), this.#positions.length - 1);
    const first = index * LINES_APART + 1;
    if (line >= this.#line && this.#line >= first) return;
    this.#line = first;
    this.#position = this.#positions[index] ?? 0;
  }
}
