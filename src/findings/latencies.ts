import { createHistogram } from 'node:perf_hooks';

/** In milliseconds. */
export interface LatencySummary {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const MICROSECONDS_PER_MS = 1000;

export class Latencies {
  /** In microseconds, one more than each time was: a histogram holds nothing below 1. */
  readonly histogram = createHistogram();

  /** @param ms NaN if it is not known; below 0 is 0, since a record cannot come before it is sent, but may be seen before */
  add(ms: number, records = 1): void {
    if (Number.isNaN(ms)) return;
    const microseconds = 1 + Math.max(0, Math.floor(ms * MICROSECONDS_PER_MS));
    for (let count = 0; count < records; count += 1) this.histogram.record(microseconds);
  }

  get count(): number {
    return this.histogram.count;
  }

  /** Undefined where no time is known. */
  get summary(): LatencySummary | undefined {
    const { histogram } = this;
    if (histogram.count === 0) return undefined;
    const inMs = (microseconds: number): number => (microseconds - 1) / MICROSECONDS_PER_MS;
    return { p50: inMs(histogram.percentile(50)), p99: inMs(histogram.percentile(99)), max: inMs(histogram.max) };
  }
}

/** Times are kept for a minute. */
const SLOT_MS = 10_000;
const SLOTS = 6;

export class RecentLatencies {
  #slots: readonly (readonly [slot: number, Latencies])[] = [];

  add(ms: number, nowMs: number): void {
    const slot = Math.floor(nowMs / SLOT_MS);
    if (this.#slots.at(-1)?.[0] !== slot) this.#slots = [...this.#slots.slice(1 - SLOTS), [slot, new Latencies()]];
    this.#slots.at(-1)?.[1].add(ms);
  }

  summary(nowMs: number): LatencySummary | undefined {
    const all = new Latencies();
    for (const [slot, latencies] of this.#slots) if (slot > nowMs / SLOT_MS - SLOTS) all.histogram.add(latencies.histogram);
    return all.summary;
  }
}

/** The times that records took, in milliseconds; null where no record was seen to appear on both sides. */
export interface FollowedLatency extends Record<keyof LatencySummary, number | null> {
  /** The time between two looks. */
  readonly resolution: number;
}

export function followedLatency(latency: LatencySummary | undefined, resolution: number): FollowedLatency {
  return { ...(latency ?? { p50: null, p99: null, max: null }), resolution };
}

/** The part of a summary about the times that records took; empty if none were measured. */
export function latencyOf(latency: FollowedLatency | undefined): string[] {
  if (latency === undefined || latency.max === null) return [];
  const times = (['p50', 'p99', 'max'] as const).map((name) => `${(latency[name] ?? 0).toFixed(0)} ms (${name})`);
  return [`records took ${times.join(', ')}, looked at every ${String(latency.resolution)} ms`];
}
