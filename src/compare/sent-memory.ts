import type { Digest } from './digest.js';
import { RecentlySent, REMEMBERED_RECORDS } from './recently-sent.js';

interface SentMemoryOptions {
  /** Reading that is not the same as what was compared, or takes long: expected records are remembered from the first one on. */
  readonly remembersAll: boolean;
  /** Puts the digest of an expected record that has been passed into `digest`. */
  readonly digestSent: (record: number, digest: Digest) => void;
}

/** Remembers expected records from the first difference on until a million records have been delivered without one. */
export class SentMemory {
  /** Expected records are being remembered. */
  isOn: boolean;
  readonly recent = new RecentlySent();
  readonly #options: SentMemoryOptions;

  constructor(options: SentMemoryOptions) {
    this.#options = options;
    this.isOn = options.remembersAll;
  }

  /** Begins to remember, with the last million expected records before the next one. */
  begin(next: number): void {
    if (this.isOn) return;
    const from = Math.max(0, next - REMEMBERED_RECORDS);
    const digest: Digest = { low: 0, high: 0 };
    this.recent.restart(from);
    for (let record = from; record < next; record += 1) {
      this.#options.digestSent(record, digest);
      this.recent.add(digest);
    }
    this.isOn = true;
  }

  /** Takes the next expected record, if records are remembered. */
  add(digest: Digest): void {
    if (this.isOn) this.recent.add(digest);
  }

  /** Ends remembering if nothing has come to wait for so many expected records that no memory of them is needed. */
  endAfter(quietRecords: number): void {
    if (quietRecords > REMEMBERED_RECORDS && !this.#options.remembersAll) this.isOn = false;
  }

  forget(): void {
    this.recent.restart(0);
  }
}
