/**
 * Received records in a row that were delivered before, and the expected records that they are. Of equal records it is not known which
 * one was repeated, so that what one record says counts only where the next one agrees.
 */
export class RepeatedStretch {
  /** The last received record of it. */
  last: number;
  readonly #first: number;
  /** The distance from the received record to the expected one: of the last record, and of the first and the last two that agreed. */
  #shift: number;
  #firstShift: number | undefined;
  #lastShift: number | undefined;

  constructor(received: number, sent: number) {
    this.#first = received;
    this.last = received;
    this.#shift = sent - received;
  }

  /** Takes the next received record. */
  add(sent: number): void {
    this.last += 1;
    const shift = sent - this.last;
    if (shift === this.#shift) {
      this.#firstShift ??= shift;
      this.#lastShift = shift;
    }
    this.#shift = shift;
  }

  /** The expected records at both ends of it, and those beside them. */
  get ends(): readonly number[] {
    const first = this.#first + (this.#firstShift ?? this.#shift);
    const last = this.last + (this.#lastShift ?? this.#shift);
    return [first - 1, first, last, last + 1];
  }
}
