import { BoundedCounts } from './bounded-counts.js';
import { messagePatternOf } from './message-pattern.js';

/** Counts the foreign messages of a log. A message begins at a line with `[`; foreign lines without one, directly below it, belong to it. */
export class ForeignMessages {
  /** By what occurrences of a message have in common. */
  readonly counts = new BoundedCounts();
  /** The last line of the last message, if that began with `[`. */
  #lastLine: number | undefined;

  /** Takes the next foreign line. @param text a byte string */
  add(line: number, text: string): void {
    const begins = text.startsWith('[');
    const belongs = !begins && this.#lastLine === line - 1;
    if (!belongs) this.counts.add(messagePatternOf(text));
    this.#lastLine = begins || belongs ? line : undefined;
  }
}
