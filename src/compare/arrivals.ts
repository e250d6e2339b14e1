import { createHistogram } from 'node:perf_hooks';
import type { Digest, DigestRecord } from './digest.js';
import { DigestIndex } from './digest-index.js';

/** So many records of a side are remembered: beyond that the oldest is forgotten. */
const MAX_RECORDS = 1 << 20;

const MICROSECONDS_PER_MS = 1000;

/** The times that records took from one side to the other, in milliseconds. */
interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * Tells while both sides grow whether all that was sent has come: a multiset of digests, to which each record sent adds one and from
 * which each record received takes one away. Equal records are interchangeable.
 */
export class Arrivals {
  /** Records sent that have not come. */
  readonly #awaited = new SeenRecords();
  /** Records received before they were seen on the sending side. */
  readonly #early = new SeenRecords();
  /** In microseconds, one more than each latency was: a histogram holds nothing below 1. */
  readonly #latencies = createHistogram();
  readonly #digest: Digest = { low: 0, high: 0 };
  readonly #digestRecord: DigestRecord;
  #sent = 0;

  /** @param digestRecord gives records that count as equal the same digest */
  constructor(digestRecord: DigestRecord) {
    this.#digestRecord = digestRecord;
  }

  /** True once something was sent and all of it has come. */
  get isComplete(): boolean {
    return this.#sent > 0 && this.#awaited.size === 0;
  }

  /**
   * Takes in a record that was sent.
   *
   * @param record a byte string
   * @param seenMs when it was seen; NaN for a record that was there at the start, whose latency is not known
   */
  addSent(record: string, seenMs: number): void {
    this.#sent += 1;
    const digest = this.#digestOf(record);
    const cameMs = this.#early.take(digest);
    if (cameMs === undefined) this.#awaited.add(digest, seenMs);
    else this.#addLatency(cameMs - seenMs);
  }

  /** Takes in a record that was received. */
  addReceived(record: string, seenMs: number): void {
    const digest = this.#digestOf(record);
    const sentMs = this.#awaited.take(digest);
    if (sentMs === undefined) this.#early.add(digest, seenMs);
    else this.#addLatency(seenMs - sentMs);
  }

  /** Undefined where no record was seen to appear on both sides. */
  get latency(): Latency | undefined {
    const histogram = this.#latencies;
    if (histogram.count === 0) return undefined;
    const inMs = (microseconds: number): number => (microseconds - 1) / MICROSECONDS_PER_MS;
    return { p50: inMs(histogram.percentile(50)), p99: inMs(histogram.percentile(99)), max: inMs(histogram.max) };
  }

  /** @param latencyMs NaN if not known; below 0 is 0: a record cannot come before it is sent, but may be seen before */
  #addLatency(latencyMs: number): void {
    if (!Number.isNaN(latencyMs)) this.#latencies.record(1 + Math.max(0, Math.floor(latencyMs * MICROSECONDS_PER_MS)));
  }

  #digestOf(record: string): Digest {
    const bytes = Buffer.from(record, 'latin1');
    this.#digestRecord(bytes, 0, bytes.length, this.#digest);
    return this.#digest;
  }
}

/** Digests of records, and when each was seen: a ring of slots in typed arrays. */
class SeenRecords {
  /** The number of records that were added and not taken, those that were forgotten among them. */
  size = 0;
  readonly #index = new DigestIndex(MAX_RECORDS);
  readonly #seenMs = new Float64Array(MAX_RECORDS);
  readonly #isUsed = new Uint8Array(MAX_RECORDS);
  #next = 0;

  add(digest: Digest, seenMs: number): void {
    const slot = this.#next;
    if (this.#isUsed[slot] === 1) this.#index.unlink(slot);
    this.#index.link(slot, digest);
    this.#seenMs[slot] = seenMs;
    this.#isUsed[slot] = 1;
    this.size += 1;
    this.#next = (slot + 1) % MAX_RECORDS;
  }

  /** Takes the oldest of the records with a digest away; gives when it was seen, undefined if there is none. */
  take(digest: Digest): number | undefined {
    const slot = this.#index.find(digest);
    if (slot === -1) return undefined;
    this.#index.unlink(slot);
    this.#isUsed[slot] = 0;
    this.size -= 1;
    return this.#seenMs[slot];
  }
}
