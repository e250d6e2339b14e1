import { createHistogram } from 'node:perf_hooks';
import { digestBytes, type Digest } from './digest.js';

/** So many records that were received and not sent are remembered: beyond that the oldest is forgotten. */
const MAX_EARLY = 1_000_000;

const TWO_TO_32 = 2 ** 32;
const MICROSECONDS_PER_MS = 1000;

/** How long records took from one side to the other, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * Tells while both sides grow whether all that was sent has come: a multiset of digests, to which each record sent adds one and from
 * which each record received takes one away. Equal records are interchangeable.
 */
export class Arrivals {
  /** Records sent that have not come: how many, and when the first of them was seen. */
  readonly #awaited = new Map<number, { count: number; readonly seenMs: number | undefined }>();
  /** Records received before they were seen on the sending side. */
  readonly #early = new Map<number, number>();
  /** In microseconds, one more than each latency was: a histogram holds nothing below 1. */
  readonly #latencies = createHistogram();
  readonly #digest: Digest = { low: 0, high: 0 };
  #sent = 0;

  /** True once something was sent and all of it has come. */
  get isComplete(): boolean {
    return this.#sent > 0 && this.#awaited.size === 0;
  }

  /**
   * Takes in a record that was sent.
   *
   * @param record a byte string
   * @param seenMs when it was seen; undefined for a record that was there at the start, whose latency is not known
   */
  addSent(record: string, seenMs: number | undefined): void {
    this.#sent += 1;
    const key = this.#keyOf(record);
    const early = this.#early.get(key);
    if (early !== undefined) {
      if (early === 1) this.#early.delete(key);
      else this.#early.set(key, early - 1);
      if (seenMs !== undefined) this.#addLatency(0);
      return;
    }
    const awaited = this.#awaited.get(key);
    if (awaited === undefined) this.#awaited.set(key, { count: 1, seenMs });
    else awaited.count += 1;
  }

  /** Takes in a record that was received. */
  addReceived(record: string, seenMs: number | undefined): void {
    const key = this.#keyOf(record);
    const awaited = this.#awaited.get(key);
    if (awaited === undefined) {
      this.#early.set(key, (this.#early.get(key) ?? 0) + 1);
      const [oldest] = this.#early.size > MAX_EARLY ? this.#early.keys() : [];
      if (oldest !== undefined) this.#early.delete(oldest);
      return;
    }
    if (awaited.seenMs !== undefined && seenMs !== undefined) this.#addLatency(seenMs - awaited.seenMs);
    awaited.count -= 1;
    if (awaited.count === 0) this.#awaited.delete(key);
  }

  /** Undefined where no record was seen to appear on both sides. */
  get latency(): Latency | undefined {
    const histogram = this.#latencies;
    if (histogram.count === 0) return undefined;
    const inMs = (microseconds: number): number => (microseconds - 1) / MICROSECONDS_PER_MS;
    return { p50: inMs(histogram.percentile(50)), p99: inMs(histogram.percentile(99)), max: inMs(histogram.max) };
  }

  #addLatency(latencyMs: number): void {
    this.#latencies.record(1 + Math.max(0, Math.floor(latencyMs * MICROSECONDS_PER_MS)));
  }

  /** 53 bits of the digest: what a number can hold. */
  #keyOf(record: string): number {
    const bytes = Buffer.from(record, 'latin1');
    digestBytes(bytes, 0, bytes.length, this.#digest);
    return (this.#digest.high & 0x1f_ffff) * TWO_TO_32 + (this.#digest.low >>> 0);
  }
}
