import { LF } from '../log/byte-string.js';
import type { Digest, DigestRecord } from './digest.js';
import type { Texts } from './texts.js';

/** The last sent records, at least, of which it is known that they were sent. */
const REMEMBERED_RECORDS = 1 << 20;

/** The sets that digests are in: when the youngest is full, the oldest is given up as a whole. */
const SETS = 3;
const SET_RECORDS = REMEMBERED_RECORDS / (SETS - 1);

/** The slots that a set begins with, and the factor by which they grow when more than half of them are used. */
const FIRST_SLOTS = 1 << 10;
const GROWTH = 1 << 5;

/** Sent records that were passed as bytes: they are digested when somebody asks. */
interface Stretch {
  readonly place: number;
  readonly length: number;
  readonly records: number;
}

/** The digests of the sent records, of the last million at least: a record that came once more than it was sent is told by them. */
export class Recent {
  /** The youngest first. */
  readonly #sets = Array.from({ length: SETS }, () => new DigestSet());
  /** In order; those that a million records have followed are left out. */
  readonly #stretches = new Set<Stretch>();
  #noted = 0;
  readonly #digest: Digest = { low: 0, high: 0 };
  readonly #digestRecord: DigestRecord;
  readonly #texts: Texts;

  /** @param texts those of the sent records */
  constructor(digestRecord: DigestRecord, texts: Texts) {
    this.#digestRecord = digestRecord;
    this.#texts = texts;
  }

  /** Takes the digest of a sent record. */
  add(digest: Digest): void {
    const [youngest] = this.#sets;
    const oldest = youngest === undefined || youngest.size >= SET_RECORDS ? this.#sets.pop() : undefined;
    if (oldest !== undefined) {
      oldest.clear();
      this.#sets.unshift(oldest);
    }
    this.#sets[0]?.add(digest);
  }

  /** Takes sent records that were passed as bytes. @param place where the lines can be read again; NaN if they cannot */
  addLines(lines: Buffer, place: number, records: number): void {
    if (Number.isNaN(place)) {
      this.#digestLines(lines);
      return;
    }
    this.#stretches.add({ place, length: lines.length, records });
    this.#noted += records;
    for (const oldest of this.#stretches) {
      if (this.#noted - oldest.records <= REMEMBERED_RECORDS) break;
      this.#stretches.delete(oldest);
      this.#noted -= oldest.records;
    }
  }

  /** True if a record with this digest is among the sent records that are remembered. */
  has(digest: Digest): boolean {
    // Even an empty set takes time and memory to clear.
    if (this.#noted > 0) {
      for (const { place, length } of this.#stretches) this.#digestLines(this.#texts.readBytes(place, length));
      this.#stretches.clear();
      this.#noted = 0;
    }
    return this.#sets.some((set) => set.has(digest));
  }

  #digestLines(bytes: Buffer): void {
    for (let start = 0; start < bytes.length;) {
      const lf = bytes.indexOf(LF, start);
      const end = lf === -1 ? bytes.length : lf;
      this.#digestRecord(bytes, start, end, this.#digest);
      this.add(this.#digest);
      start = end + 1;
    }
  }
}

/** A hash table with linear probing. */
class DigestSet {
  size = 0;
  /** The two halves of each digest. A slot is empty where both are 0: the digest of no record is, but with a chance of 2^-64. */
  #slots = new Int32Array(2 * FIRST_SLOTS);

  add({ low, high }: Digest): void {
    if (4 * this.size >= this.#slots.length) this.#grow();
    const slot = this.#slotOf(low, high);
    if (this.#slots[slot] === 0 && this.#slots[slot + 1] === 0) this.size += 1;
    this.#slots[slot] = low;
    this.#slots[slot + 1] = high;
  }

  has({ low, high }: Digest): boolean {
    const slot = this.#slotOf(low, high);
    return this.#slots[slot] === low && this.#slots[slot + 1] === high;
  }

  clear(): void {
    this.size = 0;
    this.#slots.fill(0);
  }

  /** The index of the slot that holds a digest, or would hold it. */
  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length / 2 - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const [first, second] = [this.#slots[2 * slot], this.#slots[2 * slot + 1]];
      if ((first === 0 && second === 0) || (first === low && second === high)) return 2 * slot;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(GROWTH * before.length);
    this.size = 0;
    for (let slot = 0; slot < before.length; slot += 2) {
      const [low = 0, high = 0] = before.subarray(slot, slot + 2);
      if (low !== 0 || high !== 0) this.add({ low, high });
    }
  }
}
