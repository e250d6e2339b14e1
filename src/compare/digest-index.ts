import type { Digest } from './digest.js';

/**
 * A hash table with chaining over numbered slots, all in typed arrays: which slots hold a digest, those linked first before others.
 * Equal digests may stand in any number of slots. No chain is cut off at a length: equal records would be lost.
 */
export class DigestIndex {
  readonly #low: Int32Array;
  readonly #high: Int32Array;
  /**
   * The first slot of each bucket, and the slots beside each slot in its chain; 0 for none, else the slot + 1. Before the first slot of a
   * chain stands its last one.
   */
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #mask: number;

  /** @param slots a power of two */
  constructor(slots: number) {
    this.#low = new Int32Array(slots);
    this.#high = new Int32Array(slots);
    this.#first = new Int32Array(slots);
    this.#next = new Int32Array(slots);
    this.#previous = new Int32Array(slots);
    this.#mask = slots - 1;
  }

  /** Puts a digest into a slot, as the last of its chain. */
  link(slot: number, { low, high }: Digest): void {
    const bucket = low & this.#mask;
    const first = this.#first[bucket] ?? 0;
    const last = first === 0 ? slot + 1 : (this.#previous[first - 1] ?? 0);
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#next[slot] = 0;
    this.#previous[slot] = last;
    if (first === 0) {
      this.#first[bucket] = slot + 1;
    } else {
      this.#next[last - 1] = slot + 1;
      this.#previous[first - 1] = slot + 1;
    }
  }

  unlink(slot: number): void {
    const bucket = (this.#low[slot] ?? 0) & this.#mask;
    const first = this.#first[bucket] ?? 0;
    const next = this.#next[slot] ?? 0;
    const previous = this.#previous[slot] ?? 0;
    if (first === slot + 1) this.#first[bucket] = next;
    else this.#next[previous - 1] = next;
    const behind = next === 0 ? (this.#first[bucket] ?? 0) : next;
    if (behind !== 0) this.#previous[behind - 1] = previous;
  }

  /** The first slot that holds a digest; -1 for none. */
  find(digest: Digest): number {
    return this.#findFrom(this.#first[digest.low & this.#mask] ?? 0, digest);
  }

  /** The next slot in the chain that holds a digest; -1 for none. */
  findNext(slot: number, digest: Digest): number {
    return this.#findFrom(this.#next[slot] ?? 0, digest);
  }

  /** True if a slot holds a digest. */
  holds(slot: number, { low, high }: Digest): boolean {
    return this.#low[slot] === low && this.#high[slot] === high;
  }

  /** Copies the digest of a slot. */
  read(slot: number, digest: Digest): void {
    digest.low = this.#low[slot] ?? 0;
    digest.high = this.#high[slot] ?? 0;
  }

  #findFrom(from: number, { low, high }: Digest): number {
    for (let link = from; link !== 0; link = this.#next[link - 1] ?? 0) {
      if (this.#low[link - 1] === low && this.#high[link - 1] === high) return link - 1;
    }
    return -1;
  }
}
