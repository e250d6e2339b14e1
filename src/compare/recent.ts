import { LF } from '../log/byte-string.js';
import type { Digest, DigestRecord } from './digest.js';
import type { SpilledTexts } from './spilled-texts.js';

/** The records that are remembered at least. */
const REMEMBERED = 1 << 20;

/** Room for as many that were passed as bytes: those are digested later. */
const SLOTS = 2 * REMEMBERED;

const CHAINS = REMEMBERED / 4;

interface Lines {
  readonly address: number;
  readonly length: number;
  readonly records: number;
}

/**
 * The digests of the last million records that were delivered: a record that came once more than it was sent is told by them. A hash table
 * chains them from the latest one on; a chain ends where they are too old.
 */
export class Recent {
  #next = 1;
  readonly #lasts = new Float64Array(CHAINS);
  readonly #lows = new Int32Array(SLOTS);
  readonly #highs = new Int32Array(SLOTS);
  /** The distance of each to the one before it in its chain. */
  readonly #distances = new Int32Array(SLOTS);
  /** Lines that are yet to be digested: those of logs that are equal never are. */
  #lines: Lines[] = [];
  #lineRecords = 0;
  readonly #digest: Digest = { low: 0, high: 0, exact: 0 };
  readonly #digestRecord: DigestRecord;
  readonly #texts: SpilledTexts;

  constructor(digestRecord: DigestRecord, texts: SpilledTexts) {
    this.#digestRecord = digestRecord;
    this.#texts = texts;
  }

  add({ low, high }: Pick<Digest, 'low' | 'high'>): void {
    const [slot, chain] = [this.#next % SLOTS, low & (CHAINS - 1)];
    this.#lows[slot] = low;
    this.#highs[slot] = high;
    this.#distances[slot] = Math.min(SLOTS, this.#next - (this.#lasts[chain] ?? 0));
    this.#lasts[chain] = this.#next;
    this.#next += 1;
  }

  /** Takes records that were passed as bytes. @param address where the lines can be read again; NaN if they cannot */
  addLines(bytes: Buffer, address: number, records: number): void {
    if (Number.isNaN(address)) {
      this.#digestLines(bytes);
      return;
    }
    this.#lines.push({ address, length: bytes.length, records });
    this.#lineRecords += records;
    for (
      let [first] = this.#lines;
      first !== undefined && this.#lineRecords - first.records > REMEMBERED;
      [first] = this.#lines
    ) {
      this.#lineRecords -= first.records;
      this.#lines.shift();
    }
  }

  has({ low, high }: Pick<Digest, 'low' | 'high'>): boolean {
    for (const { address, length } of this.#lines) this.#digestLines(this.#texts.readBytes(address, length));
    this.#lines = [];
    this.#lineRecords = 0;
    const last = this.#lasts[low & (CHAINS - 1)] ?? 0;
    for (let at = last; at > 0 && at >= this.#next - SLOTS; at -= this.#distances[at % SLOTS] ?? 0)
      if (this.#lows[at % SLOTS] === low && this.#highs[at % SLOTS] === high) return true;
    return false;
  }

  #digestLines(lines: Buffer): void {
    for (let start = 0; start < lines.length;) {
      const lf = lines.indexOf(LF, start);
      const end = lf === -1 ? lines.length : lf;
      this.#digestRecord(lines, start, end, this.#digest);
      this.add(this.#digest);
      start = end + 1;
    }
  }
}
