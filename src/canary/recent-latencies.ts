import { Latencies, type LatencySummary } from '../findings/latencies.js';

/** The times of the last minute are kept in slots of ten seconds. */
const SLOT_MS = 10_000;
const SLOTS = 6;

/** The times that records took which came within the last minute. */
export class RecentLatencies {
  /** The latest last, each with the number of its ten seconds. */
  #slots: { readonly slot: number; readonly latencies: Latencies }[] = [];

  add(ms: number, nowMs: number): void {
    const slot = Math.floor(nowMs / SLOT_MS);
    let last = this.#slots.at(-1);
    if (last?.slot !== slot) {
      last = { slot, latencies: new Latencies() };
      this.#slots = [...this.#recent(nowMs), last];
    }
    last.latencies.add(ms);
  }

  summary(nowMs: number): LatencySummary | undefined {
    const all = new Latencies();
    for (const { latencies } of this.#recent(nowMs)) all.include(latencies);
    return all.summary;
  }

  #recent(nowMs: number) {
    return this.#slots.filter(({ slot }) => slot > Math.floor(nowMs / SLOT_MS) - SLOTS);
  }
}
