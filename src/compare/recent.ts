import { LF } from '../log/byte-string.js';
import type { Digest, DigestRecord } from './equality.js';
import type { SpilledTexts } from './spilled-texts.js';

/** The records that are remembered at least, in four times the room: of a million records, sixteen come into one set with a probability of one in a hundred thousand. */
const REMEMBERED = 1 << 20;
const SETS = REMEMBERED / 4;
const WAYS = 16;

interface Lines {
  readonly address: number;
  readonly length: number;
  readonly records: number;
}

/** The digests of the last million records that were delivered: a record that came once more than it was sent is told by them. */
export class Recent {
  /** A set-associative cache of halves of digests, whose other halves choose the set: the newest of each set come first. */
  readonly #highs = new Int32Array(SETS * WAYS);
  /** Lines that are yet to be digested: those of logs that are equal never are. */
  #lines: Lines[] = [];
  #lineRecords = 0;
  readonly #digest: Digest = { low: 0, high: 0, exact: 0 };

  constructor(
    private readonly digestRecord: DigestRecord,
    private readonly texts: SpilledTexts,
  ) {}

  add({ low, high }: Pick<Digest, 'low' | 'high'>): void {
    const set = setOf(low);
    // Deprecation records are equal for a second.
    if (this.#highs[set] === high) return;
    this.#highs.copyWithin(set + 1, set, set + WAYS - 1);
    this.#highs[set] = high;
  }

  /** Takes records that were passed as bytes. @param address where the lines can be read again; NaN if they cannot */
  addLines(bytes: Buffer, address: number, records: number): void {
    if (Number.isNaN(address)) {
      this.#digestLines(bytes);
      return;
    }
    this.#lines.push({ address, length: bytes.length, records });
    this.#lineRecords += records;
    const oldest = this.#lines[0]?.records ?? 0;
    if (this.#lineRecords - oldest < REMEMBERED) return;
    this.#lineRecords -= oldest;
    this.#lines.shift();
  }

  has({ low, high }: Pick<Digest, 'low' | 'high'>): boolean {
    for (const { address, length } of this.#lines) this.#digestLines(this.texts.readBytes(address, length));
    this.#lines = [];
    this.#lineRecords = 0;
    const set = setOf(low);
    return this.#highs.subarray(set, set + WAYS).includes(high);
  }

  #digestLines(lines: Buffer): void {
    for (let start = 0; start < lines.length;) {
      const lf = lines.indexOf(LF, start);
      const end = lf === -1 ? lines.length : lf;
      this.digestRecord(lines, start, end, this.#digest);
      this.add(this.#digest);
      start = end + 1;
    }
  }
}

function setOf(low: number): number {
  return (low & (SETS - 1)) * WAYS;
}
