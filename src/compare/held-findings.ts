import type { ComparisonFinding } from './kinds.js';
import { Spill } from './spill.js';

/** So many findings are given at a time. */
export const BATCH_FINDINGS = 256;

/** Findings that are given later, in the order in which they were found; those that do not fit into memory are in a temporary file. */
export class HeldFindings {
  #count = 0;
  readonly #spill = new Spill();
  readonly #max: number;

  /** @param max no more are held */
  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#count >= this.#max;
  }

  add(finding: ComparisonFinding): void {
    if (this.isFull) return;
    const bytes = Buffer.from(JSON.stringify(finding));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    this.#spill.append(length);
    this.#spill.append(bytes);
    this.#count += 1;
  }

  *take(): Generator<readonly ComparisonFinding[]> {
    let batch: ComparisonFinding[] = [];
    for (let place = 0; place < this.#spill.length;) {
      const length = this.#spill.read(place, 4).readUInt32LE();
      const finding: ComparisonFinding = JSON.parse(this.#spill.read(place + 4, length).toString());
      batch.push(finding);
      place += 4 + length;
      if (batch.length === BATCH_FINDINGS) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }

  close(): void {
    this.#spill.close();
  }
}
