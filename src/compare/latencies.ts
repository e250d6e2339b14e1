/** Latencies are kept to so many digits: any number of them takes bounded memory. */
const DIGITS = 3;

/** How long records took, in milliseconds. */
export interface LatencySummary {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Counts latencies. */
export class Latencies {
  readonly #counts = new Map<number, number>();
  #total = 0;
  #max = 0;

  /** @param delayMs a record cannot come before it is sent: below 0 is 0, of two looks that were taken one after the other */
  add(delayMs: number): void {
    const delay = Math.max(0, Math.round(delayMs));
    const kept = Number(delay.toPrecision(DIGITS));
    this.#counts.set(kept, (this.#counts.get(kept) ?? 0) + 1);
    this.#total += 1;
    this.#max = Math.max(this.#max, delay);
  }

  /** Undefined if there are none. */
  summarize(): LatencySummary | undefined {
    if (this.#total === 0) return undefined;
    const sorted = Array.from(this.#counts).sort(([one], [other]) => one - other);
    return { p50: quantile(sorted, 0.5 * this.#total), p99: quantile(sorted, 0.99 * this.#total), max: this.#max };
  }
}

/** The least value that, with those below it, comes to a rank. */
function quantile(sorted: readonly (readonly [value: number, count: number])[], rank: number): number {
  let passed = 0;
  for (const [value, count] of sorted) {
    passed += count;
    if (passed >= rank) return value;
  }
  return 0;
}
