import { isObject } from '../arguments.js';
import { parseJsonLine } from './json-lines.js';
import { overlongMark, type LineBlock } from './raw-records.js';
import type { ReceivedForm } from './received-form.js';
import type { RecordBlock, RecordMark } from './record-block.js';

/** The reason that an object cannot be a record. */
export interface ObjectFault {
  readonly fault: string;
  /** True if the field that is compared is absent. */
  readonly isAbsent?: boolean;
}

/** The reading of one object. */
export interface ObjectReader {
  /** The compared part of an object: a byte string; or the reason that it cannot be a record; undefined for an object that is passed over. */
  readonly read: (value: object) => string | ObjectFault | undefined;
  /** The line is kept beside what is compared of it, to be shown. */
  readonly keepsLines: boolean;
  /** Whole numbers of more digits than a number can hold are read as texts. */
  readonly keepsLongNumbers: boolean;
}

interface JsonRecordOptions {
  /** The number of the first line. */
  readonly firstLine: number;
  readonly objects: ObjectReader;
  /** Called with the number of objects that were passed over in each block. */
  readonly onPassedOver: (objects: number) => void;
  /** Is shown all lines and objects. */
  readonly form: ReceivedForm;
}

/** Reads NDJSON as records: what is found in each object. Blank lines are passed over, as `jq` does. */
export async function* readJsonRecords(
  blocks: AsyncIterable<LineBlock>,
  { firstLine, objects, onPassedOver, form }: JsonRecordOptions,
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
    const records = new JsonBlock(follows, objects.keepsLines);
    const lines = block.bytes.toString('latin1', 0, block.bytes.length - 1).split('\n');
    for (const text of lines) {
      readLine(text, line, objects, { records, form });
      line += 1;
    }
    onPassedOver(records.passedOver);
    follows = records.follows;
    if (!records.isEmpty) yield records.take();
  }
}

function readLine(
  line: string,
  number: number,
  { read, keepsLongNumbers }: ObjectReader,
  { records, form }: { readonly records: JsonBlock; readonly form: ReceivedForm },
): void {
  if (BLANK.test(line)) return;
  const { values, fault } = parseJsonLine(line, keepsLongNumbers);
  if (fault !== undefined) records.addFault(fault, line, number);
  form.addLine(values.some(isObject));
  for (const value of values) {
    const found = isObject(value) ? read(value) : NOT_AN_OBJECT;
    if (isObject(value)) form.addObject(value, found !== undefined && (typeof found === 'string' || found.isAbsent !== true));
    if (found === undefined) records.passedOver += 1;
    else if (typeof found === 'string') records.add(found, line, number);
    else records.addFault(found.fault, line, number);
  }
}

const BLANK = /^[ \t\r]*$/;
const NOT_AN_OBJECT: ObjectFault = { fault: 'not an object' };

/** The records of a block of lines. */
class JsonBlock {
  passedOver = 0;
  /** The line behind that of the last record. */
  follows: number;
  /** Lines alone do not say which records there are: marks are needed. */
  #isPlain: boolean;
  readonly #texts: string[] = [];
  readonly #lines: string[] = [];
  readonly #numbers: number[] = [];
  readonly #faults = new Map<number, string>();
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
    this.#texts.push(text);
    this.#lines.push(line);
    this.#numbers.push(number);
    this.follows = number + 1;
  }

  addFault(fault: string, line: string, number: number): void {
    this.#isPlain = false;
    this.#faults.set(this.#texts.length, fault);
    this.add('', line, number);
  }

  take(): RecordBlock {
    const bytes = Buffer.from(`${this.#texts.join('\n')}\n`, 'latin1');
    return this.#isPlain ? { bytes } : { bytes, marks: this.#marks() };
  }

  #marks(): RecordMark[] {
    let end = -1;
    return this.#texts.map((record, index) => {
      end += record.length + 1;
      const line = this.#numbers[index] ?? 0;
      const text = this.#lines[index] ?? '';
      const fault = this.#faults.get(index);
      if (fault !== undefined) return { end, line, text, fault };
      return this.#keepsLines ? { end, line, text } : { end, line };
    });
  }
}
