import { waitingBytesOf, type ForeignLine, type RecordAtLine } from './record-at-line.js';

/** The order of plugins is inferred from so much of a log. */
const MAX_RECORDS = 512;
const MAX_BYTES = 16 << 20;

/** The first lines of a log, until the order of its plugins is known. */
export class Prelude {
  #lines: (RecordAtLine | ForeignLine)[] = [];
  #recordCount = 0;
  #bytes = 0;

  /** True once no more lines are to be kept. */
  get isFull(): boolean {
    return this.#recordCount >= MAX_RECORDS || this.#bytes > MAX_BYTES;
  }

  get hasRecords(): boolean {
    return this.#recordCount > 0;
  }

  get records(): readonly RecordAtLine[] {
    return this.#lines.filter((line) => 'record' in line);
  }

  add(line: RecordAtLine | ForeignLine): void {
    this.#lines.push(line);
    this.#bytes += waitingBytesOf(line.text);
    if ('record' in line) this.#recordCount += 1;
  }

  /** Takes out all lines, in order. */
  take(): readonly (RecordAtLine | ForeignLine)[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#recordCount = 0;
    this.#bytes = 0;
    return lines;
  }
}
