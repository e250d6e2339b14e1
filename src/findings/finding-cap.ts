/** Caps how many findings are shown (`--max`); the rest is counted all the same. */
export class FindingCap {
  /** How many findings have been shown. */
  shown = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** The findings of a batch that are to be shown. */
  take<F>(findings: readonly F[]): readonly F[] {
    const shown = findings.slice(0, this.#max - this.shown);
    this.shown += shown.length;
    return shown;
  }
}
