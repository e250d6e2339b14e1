import { FINDING_KINDS, type ComparisonFinding } from './kinds.js';
import { Spill } from './spill.js';

/** So many findings are given at a time. */
export const BATCH_FINDINGS = 256;

/** Before each part of a finding stands its length, in so many bytes. */
const LENGTH_BYTES = 4;

/** Stands for the length of a part that is left out. */
const NO_PART = 0xffffffff;

/** Findings that are given later, in the order in which they were found; those that do not fit into memory are in a temporary file. */
export class HeldFindings {
  #count = 0;
  readonly #spill = new Spill();
  readonly #length = Buffer.alloc(LENGTH_BYTES);
  readonly #max: number;

  /** @param max no more are held */
  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#count >= this.#max;
  }

  add({ kind, source, line, text, expectedLine, expectedText, how }: ComparisonFinding): void {
    if (this.isFull) return;
    for (const part of [kind, source, String(line), expectedLine?.toString(), how]) this.#write(part, 'utf8');
    for (const part of [text, expectedText]) this.#write(part, 'latin1');
    this.#count += 1;
  }

  *take(): Generator<readonly ComparisonFinding[]> {
    const parts = new PartReader(this.#spill);
    let batch: ComparisonFinding[] = [];
    while (!parts.isAtEnd) {
      batch.push(readFinding(parts));
      if (batch.length < BATCH_FINDINGS) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  close(): void {
    this.#spill.close();
  }

  #write(part: string | undefined, encoding: 'utf8' | 'latin1'): void {
    const bytes = part === undefined ? undefined : Buffer.from(part, encoding);
    this.#length.writeUInt32LE(bytes?.length ?? NO_PART);
    this.#spill.append(this.#length);
    if (bytes !== undefined) this.#spill.append(bytes);
  }
}

/** Reads the parts of findings, one behind the other. */
class PartReader {
  readonly #spill: Spill;
  #place = 0;

  constructor(spill: Spill) {
    this.#spill = spill;
  }

  get isAtEnd(): boolean {
    return this.#place >= this.#spill.length;
  }

  read(encoding: 'utf8' | 'latin1'): string | undefined {
    const length = this.#spill.read(this.#place, LENGTH_BYTES).readUInt32LE();
    const start = this.#place + LENGTH_BYTES;
    this.#place = start + (length === NO_PART ? 0 : length);
    return length === NO_PART ? undefined : this.#spill.read(start, length).toString(encoding);
  }
}

function readFinding(parts: PartReader): ComparisonFinding {
  const kindName = parts.read('utf8');
  const source = parts.read('utf8') ?? '';
  const line = Number(parts.read('utf8'));
  const expectedLine = parts.read('utf8');
  const how = parts.read('utf8');
  const text = parts.read('latin1') ?? '';
  const expectedText = parts.read('latin1');
  return {
    kind: FINDING_KINDS.find((kind) => kind === kindName) ?? 'foreign',
    source,
    line,
    text,
    ...(expectedLine !== undefined && { expectedLine: Number(expectedLine) }),
    ...(expectedText !== undefined && { expectedText }),
    ...(how !== undefined && { how }),
  };
}
