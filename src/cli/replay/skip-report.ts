import { DataError } from '../../errors.js';
import type { SkipReason } from '../../requests/access-log/read-access-log.js';
import { countOf, escapeText } from '../../wording.js';
import { say } from '../messages.js';

/** Counts the rows and lines of an input that gave no request, and reports them. */
export class SkipReport {
  readonly #source: string;
  #badRows = 0;
  /** The number of requests that the input has given. */
  requests = 0;
  readonly #lines: Record<SkipReason, number> = { unhandled: 0, broken: 0 };

  /** @param source the input as messages call it */
  constructor(source: string) {
    this.#source = source;
  }

  /** Reports a bad row of a request list, and counts it. */
  addBadRow(message: string): void {
    this.#badRows += 1;
    say(message);
  }

  /** Counts a line of an access log that gave no request. */
  addLine(reason: SkipReason): void {
    this.#lines[reason] += 1;
  }

  /** The error for an access log in which no line is well-formed; undefined for any other input. */
  get fault(): DataError | undefined {
    const { unhandled, broken } = this.#lines;
    if (broken === 0 || unhandled + this.requests > 0) return undefined;
    const remedy = 'no line is one of the Common or Combined format, check the file and --from';
    return new DataError({ source: this.#source }, this.#counts, remedy);
  }

  /** Reports the counts, if there is anything to report that is not in the error. */
  say(): void {
    const { unhandled, broken } = this.#lines;
    const source = escapeText(this.#source);
    if (this.#badRows > 0) say(`${source}: ${countOf(this.#badRows, 'bad row')} passed over`);
    if (unhandled + broken > 0 && this.fault === undefined) say(`${source}: ${this.#counts}`);
  }

  get #counts(): string {
    const { unhandled, broken } = this.#lines;
    return `${countOf(unhandled, 'line')} passed over that the webmail did not handle, ${countOf(broken, 'broken line')}`;
  }
}
