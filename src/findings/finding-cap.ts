/** Caps the number of findings that are shown (`--max`). It has no effect on what is counted. */
export class FindingCap {
  /** The number of findings shown so far. */
  shown = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** The findings of a batch that are to be shown. Counts them as shown. */
  take<F>(findings: readonly F[]): readonly F[] {
    const shown = findings.slice(0, this.#max - this.shown);
    this.shown += shown.length;
    return shown;
  }
}
