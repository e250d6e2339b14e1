/** Runs work after a delay, the same for all; what is still waiting at the end runs at once. */
export class Delays {
  readonly #delayMs: number;
  #isOver = false;
  readonly #waiting = new Map<NodeJS.Timeout, () => void>();

  /** @param delayMs 0 for none */
  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  run(work: () => void): void {
    if (this.#delayMs === 0 || this.#isOver) {
      work();
      return;
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      work();
    }, this.#delayMs);
    this.#waiting.set(timer, work);
  }

  /** Runs what is waiting, and from now on everything at once. */
  end(): void {
    this.#isOver = true;
    for (const [timer, work] of this.#waiting) {
      clearTimeout(timer);
      work();
    }
    this.#waiting.clear();
  }
}
