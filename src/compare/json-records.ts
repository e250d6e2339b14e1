import { parseJsonLine } from './json-lines.js';
import { overlongMark, type LineBlock } from './raw-records.js';
import type { RecordBlock, RecordMark } from './record-block.js';

/** What is compared of an object: a byte string; or why it cannot be a record; undefined for one that is passed over. */
export type ReadObject = (value: object) => { readonly text: string } | { readonly fault: string } | undefined;

interface JsonRecordOptions {
  /** The number of the first line. */
  readonly firstLine: number;
  readonly readObject: ReadObject;
  /** The line is kept beside what is compared of it, to be shown. */
  readonly keepsLines: boolean;
  /** Called with the number of objects that were passed over in each block. */
  readonly onPassedOver: (objects: number) => void;
}

/** Reads NDJSON as records: what `readObject` finds in each object. Blank lines are passed over, as `jq` does. */
export async function* readJsonRecords(
  blocks: AsyncIterable<LineBlock>,
  { firstLine, readObject, keepsLines, onPassedOver }: JsonRecordOptions,
): AsyncGenerator<RecordBlock> {
  let line = firstLine;
  /** The line behind the last record: as long as records follow it, and hold no LF, they need no marks. */
  let follows = firstLine;
  for await (const block of blocks) {
    if (block.isOverlong) {
      yield { bytes: block.bytes, marks: [{ ...overlongMark(block), line }] };
      line += 1;
      follows = line;
      continue;
    }
    const records = new JsonBlock(follows, keepsLines);
    const lines = block.bytes.toString('latin1', 0, block.bytes.length - 1).split('\n');
    for (const text of lines) {
      readLine(text, line, readObject, records);
      line += 1;
    }
    onPassedOver(records.passedOver);
    follows = records.follows;
    if (!records.isEmpty) yield records.take();
  }
}

function readLine(line: string, number: number, readObject: ReadObject, records: JsonBlock): void {
  if (/^[ \t\r]*$/.test(line)) return;
  const { values, fault } = parseJsonLine(line);
  if (fault !== undefined) records.addFault(fault, line, number);
  for (const value of values) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      records.addFault('not an object', line, number);
      continue;
    }
    const found = readObject(value);
    if (found === undefined) records.passedOver += 1;
    else if ('fault' in found) records.addFault(found.fault, line, number);
    else records.add(found.text, line, number);
  }
}

/** The records of a block of lines. */
class JsonBlock {
  passedOver = 0;
  /** The line behind that of the last record. */
  follows: number;
  #length = 0;
  #isPlain: boolean;
  readonly #texts: string[] = [];
  readonly #marks: RecordMark[] = [];
  readonly #keepsLines: boolean;

  constructor(follows: number, keepsLines: boolean) {
    this.follows = follows;
    this.#isPlain = !keepsLines;
    this.#keepsLines = keepsLines;
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  add(text: string, line: string, number: number): void {
    if (number !== this.follows || text.includes('\n')) this.#isPlain = false;
    this.#push(text, this.#keepsLines ? { line: number, text: line } : { line: number }, number);
  }

  addFault(fault: string, line: string, number: number): void {
    this.#isPlain = false;
    this.#push('', { line: number, text: line, fault }, number);
  }

  take(): RecordBlock {
    const bytes = Buffer.from(`${this.#texts.join('\n')}\n`, 'latin1');
    return this.#isPlain ? { bytes } : { bytes, marks: this.#marks };
  }

  #push(text: string, mark: Omit<RecordMark, 'end'>, number: number): void {
    this.#length += text.length;
    this.#texts.push(text);
    this.#marks.push({ ...mark, end: this.#length });
    this.#length += 1;
    this.follows = number + 1;
  }
}
