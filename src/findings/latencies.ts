import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Some times, in milliseconds. */
export interface LatencySummary {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const MICROSECONDS_PER_MS = 1000;

/** Times, such as those that records took from one side to the other. */
export class Latencies {
  /** In microseconds, one more than each time was: a histogram holds nothing below 1. Made when it is first used. */
  #histogram: RecordableHistogram | undefined;

  /**
   * Adds the time of some records.
   *
   * @param ms NaN if it is not known; below 0 is 0, since a record cannot come before it is sent, but may be seen before
   */
  add(ms: number, records = 1): void {
    if (Number.isNaN(ms)) return;
    this.#histogram ??= createHistogram();
    const microseconds = 1 + Math.max(0, Math.floor(ms * MICROSECONDS_PER_MS));
    for (let count = 0; count < records; count += 1) this.#histogram.record(microseconds);
  }

  get count(): number {
    return this.#histogram?.count ?? 0;
  }

  include(others: Latencies): void {
    if (others.#histogram === undefined) return;
    this.#histogram ??= createHistogram();
    this.#histogram.add(others.#histogram);
  }

  /** Undefined where no time is known. */
  get summary(): LatencySummary | undefined {
    const histogram = this.#histogram;
    if (histogram === undefined) return undefined;
    const inMs = (microseconds: number): number => (microseconds - 1) / MICROSECONDS_PER_MS;
    return { p50: inMs(histogram.percentile(50)), p99: inMs(histogram.percentile(99)), max: inMs(histogram.max) };
  }
}

/** Times are kept for a minute, in slots of ten seconds. */
const SLOT_MS = 10_000;
const SLOTS = 6;

export class RecentLatencies {
  /** The latest last, each with the number of its ten seconds. */
  #slots: { readonly slot: number; readonly latencies: Latencies }[] = [];

  add(ms: number, nowMs: number): void {
    const slot = Math.floor(nowMs / SLOT_MS);
    if (this.#slots.at(-1)?.slot !== slot) this.#slots = [...this.#recent(nowMs), { slot, latencies: new Latencies() }];
    this.#slots.at(-1)?.latencies.add(ms);
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

/** The times that records took, in milliseconds; null where no record was seen to appear on both sides. */
export interface FollowedLatency extends Record<keyof LatencySummary, number | null> {
  /** The time between two looks. */
  readonly resolution: number;
}

const NOT_MEASURED = { p50: null, p99: null, max: null } as const;

export function followedLatency(latency: LatencySummary | undefined, resolution: number): FollowedLatency {
  return { ...(latency ?? NOT_MEASURED), resolution };
}

/** The part of a summary about the times that records took; empty if none were measured. */
export function latencyOf(latency: FollowedLatency | undefined): string[] {
  if (latency === undefined || latency.max === null) return [];
  const times = (['p50', 'p99', 'max'] as const).map((name) => `${(latency[name] ?? 0).toFixed(0)} ms (${name})`);
  return [`records took ${times.join(', ')}, looked at every ${String(latency.resolution)} ms`];
}
