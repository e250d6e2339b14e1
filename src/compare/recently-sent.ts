import type { Digest } from './digest.js';
import { DigestIndex } from './digest-index.js';

/** So many records back a repeated record is told from a foreign one. */
export const REMEMBERED_RECORDS = 1 << 20;

/** The digests of the last million records of the expected log, so that a record that comes once more is known. */
export class RecentlySent {
  readonly #index = new DigestIndex(REMEMBERED_RECORDS);
  /** The number of the first record that is remembered, and of the record that comes next. */
  #first = 0;
  #next = 0;

  /** Forgets all; the record that comes next has this number. */
  restart(number: number): void {
    this.#index.clear();
    this.#first = number;
    this.#next = number;
  }

  /** Takes the next record. */
  add(digest: Digest): void {
    if (this.#next - this.#first === REMEMBERED_RECORDS) {
      this.#index.unlink(this.#first % REMEMBERED_RECORDS);
      this.#first += 1;
    }
    this.#index.link(this.#next % REMEMBERED_RECORDS, digest);
    this.#next += 1;
  }

  /** The number of the first remembered record with this digest; -1 for none. */
  find(digest: Digest): number {
    const slot = this.#index.find(digest);
    if (slot === -1) return -1;
    const number = this.#first - (this.#first % REMEMBERED_RECORDS) + slot;
    return number < this.#first ? number + REMEMBERED_RECORDS : number;
  }

  /** True if the record of a number is remembered and has this digest. */
  isAt(number: number, digest: Digest): boolean {
    return number >= this.#first && number < this.#next && this.#index.holds(number % REMEMBERED_RECORDS, digest);
  }
}
