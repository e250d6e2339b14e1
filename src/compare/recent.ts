import { LF } from '../log/byte-string.js';
import type { Digest, DigestRecord } from './digest.js';
import type { SpilledTexts } from './spilled-texts.js';

/** Records are remembered in two generations of this many, a million and a block: when the young one is full, the old one is forgotten. */
const GENERATION_RECORDS = (1 << 20) + (1 << 16);

/** The first slots of a hash table, and the factor by which they grow when three quarters are used: to 2^21 for a generation. */
const FIRST_SLOTS = 1 << 11;
const GROWTH = 1 << 2;

/** The digests of the last million records that were delivered: a record that came once more than it was sent is told by them. */
export class Recent {
  #young = new Generation();
  #old = new Generation();
  readonly #digest: Digest = { low: 0, high: 0, exact: 0 };
  readonly #digestRecord: DigestRecord;
  readonly #texts: SpilledTexts;

  constructor(digestRecord: DigestRecord, texts: SpilledTexts) {
    this.#digestRecord = digestRecord;
    this.#texts = texts;
  }

  add(digest: Digest): void {
    this.#generationFor(1).add(digest);
  }

  /** Takes records that were passed as bytes. @param address where the lines can be read again; NaN if they cannot */
  addLines(lines: Buffer, address: number, records: number): void {
    const generation = this.#generationFor(records);
    if (Number.isNaN(address)) this.#digestLines(lines, generation);
    else generation.ranges.push({ address, length: lines.length });
  }

  has(digest: Digest): boolean {
    return [this.#young, this.#old].some((generation) => {
      for (const { address, length } of generation.ranges) this.#digestLines(this.#texts.readBytes(address, length), generation);
      generation.ranges.length = 0;
      return generation.has(digest);
    });
  }

  #generationFor(records: number): Generation {
    if (this.#young.records + records > GENERATION_RECORDS) [this.#young, this.#old] = [new Generation(), this.#young];
    this.#young.records += records;
    return this.#young;
  }

  #digestLines(lines: Buffer, generation: Generation): void {
    for (let start = 0; start < lines.length;) {
      const lf = lines.indexOf(LF, start);
      const end = lf === -1 ? lines.length : lf;
      this.#digestRecord(lines, start, end, this.#digest);
      generation.add(this.#digest);
      start = end + 1;
    }
  }
}

class Generation {
  records = 0;
  readonly ranges: { readonly address: number; readonly length: number }[] = [];
  #size = 0;
  /** The two halves of each digest. A slot is empty where both are 0: the digest of no record is, but with a chance of 2^-64. */
  #slots = new Int32Array(2 * FIRST_SLOTS);

  add({ low, high }: Omit<Digest, 'exact'>): void {
    if (8 * this.#size >= 3 * this.#slots.length) this.#grow();
    const slot = this.#slotOf(low, high);
    if (this.#slots[slot] === 0 && this.#slots[slot + 1] === 0) this.#size += 1;
    this.#slots[slot] = low;
    this.#slots[slot + 1] = high;
  }

  has({ low, high }: Digest): boolean {
    const slot = this.#slotOf(low, high);
    return this.#slots[slot] === low && this.#slots[slot + 1] === high;
  }

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
    this.#size = 0;
    for (let slot = 0; slot < before.length; slot += 2) {
      const [low = 0, high = 0] = before.subarray(slot, slot + 2);
      if (low !== 0 || high !== 0) this.add({ low, high });
    }
  }
}
