import { MAX_LINE_BYTES } from '../input/whole-lines.js';
import { LineCutter, type LineBytes } from '../lines.js';
import { LF } from '../log/byte-string.js';
import type { FormMismatch } from './findings.js';

/** Consecutive records of one side. */
export interface RecordBlock {
  /** The records as they are compared, each ended by an LF. Valid until the next block is asked for. */
  readonly bytes: Buffer;
  /** The number of the input, from 0. The lines of input k are counted from k · 2^40 + 1. */
  readonly input: number;
  /** The address of the bytes, if they can be read there again: k · 2^40 and the offset in input k. Else NaN. */
  readonly address: number;
  /** True for records of a renamed file that come beside those of the next one: they have no order. */
  readonly isUnordered?: boolean;
  /** One for each record; left out where each record is a line, and none holds an LF. */
  readonly details?: readonly RecordDetails[];
}

/** A record in a block where lines alone do not tell everything. */
export interface RecordDetails {
  /** The record as it is compared, a byte string; left out where it is the next line of the block. */
  readonly compared?: string;
  /** The line; left out where it follows that of the record before. */
  readonly line?: number;
  /** The text of the line where other bytes are compared: a byte string without LF. */
  readonly text?: string | undefined;
  /** The reason that the line cannot be a record, in words that are safe for a terminal. Such a line equals no record. */
  readonly reason?: string | undefined;
}

/** Turns the bytes of one input into blocks of records. */
export interface RecordReader {
  /** The lines and objects so far that are not compared. */
  readonly passedOver: number;
  /**
   * Reads the next bytes. Blocks are to be taken before the bytes become invalid.
   *
   * @param chunk undefined at the end of the input: what stands after its last LF is a line
   */
  read(chunk: Uint8Array | undefined): Iterable<RecordBlock>;
}

/** The distance between the line numbers of two inputs, and between the addresses in them. */
export const INPUT_SPAN = 2 ** 40;

/** The number of inputs that lines and addresses can tell apart. */
export const MAX_INPUTS = Number.MAX_SAFE_INTEGER / INPUT_SPAN - 1;

/** The number of the input that a line number, or an address, is in. */
export function inputOf(line: number): number {
  return Math.floor(line / INPUT_SPAN);
}

export function firstLineOf(input: number): number {
  return input * INPUT_SPAN + 1;
}

/** The bytes of a line that is too long that are shown. */
const SHOWN_BYTES = 4096;

const LF_BYTES = Buffer.from('\n');

/**
 * Makes the reader of lines that are records, each unchanged.
 *
 * @param input its number, from 0
 * @param isRereadable true if it can be read again at any place
 * @param form is shown the first bytes
 */
export function createRawReader(input: number, isRereadable: boolean, form?: ReceivedForm): RecordReader {
  const cutter = new LineCutter({ maxLineBytes: MAX_LINE_BYTES, shownBytes: SHOWN_BYTES });
  const first = isRereadable ? input * INPUT_SPAN : NaN;
  return {
    passedOver: 0,
    *read(chunk) {
      if (chunk !== undefined) form?.addBytes(chunk);
      for (const { bytes, overlong, position } of cutLines(cutter, chunk)) {
        if (overlong) yield { bytes, input, address: NaN, details: [{ reason: OVERLONG }] };
        else yield { bytes, input, address: first + position };
      }
    },
  };
}

const OVERLONG = 'longer than 16 MiB';

/** Lines are read by blocks of this size: V8 gives texts of more than 128 KiB memory of their own, which takes a third more time. */
const BLOCK_BYTES = 1 << 16;

/** A record that is compared as a text, and its line. */
export type TextRecord = RecordDetails & Required<Pick<RecordDetails, 'compared' | 'line'>>;

/** Reads the records of a line, by its text, a byte string, and its number. Undefined for each object, or line, that is not compared. */
export type ReadLine = (text: string, line: number) => readonly (TextRecord | undefined)[];

/**
 * Makes the reader of records that are made of lines, one line after the other.
 *
 * @param input its number, from 0
 * @param reportsOverlong false if lines that are too long are passed over
 */
export function createLineReader(input: number, readLine: ReadLine, reportsOverlong: boolean): RecordReader {
  const cutter = new LineCutter({ maxLineBytes: MAX_LINE_BYTES, shownBytes: SHOWN_BYTES, blockBytes: BLOCK_BYTES });
  const readOverlong: ReadLine = (text, line) => [reportsOverlong ? { compared: '', line, text, reason: OVERLONG } : undefined];
  let line = firstLineOf(input);
  const reader = {
    passedOver: 0,
    *read(chunk: Uint8Array | undefined): Generator<RecordBlock> {
      for (const { bytes, overlong } of cutLines(cutter, chunk)) {
        const records: TextRecord[] = [];
        for (const text of bytes.toString('latin1', 0, bytes.length - 1).split('\n')) {
          for (const record of overlong ? readOverlong(text, line) : readLine(text, line)) {
            if (record === undefined) reader.passedOver += 1;
            else records.push(record);
          }
          line += 1;
        }
        yield* blocksOf(input, records);
      }
    },
  };
  return reader;
}

/** The block of records that are texts, if there are any. */
export function blocksOf(input: number, records: readonly TextRecord[]): readonly RecordBlock[] {
  if (records.length === 0) return [];
  const bytes = Buffer.from(`${records.map(({ compared }) => compared).join('\n')}\n`, 'latin1');
  return [{ bytes, input, address: NaN, details: records }];
}

/** The next whole lines of an input, each ended by an LF, the last one too. @param chunk undefined at the end of the input */
function* cutLines(cutter: LineCutter, chunk: Uint8Array | undefined): Generator<LineBytes> {
  for (const block of chunk === undefined ? cutter.end() : cutter.cut(chunk)) {
    const { bytes } = block;
    if (bytes.length > 0) yield bytes.at(-1) === LF ? block : { ...block, bytes: Buffer.concat([bytes, LF_BYTES]) };
  }
}

/** From this share on, nearly all received lines or objects cannot be compared: the call is likelier to be wrong than the pipeline. */
const NEARLY_ALL = 0.9;

const OPENING_BRACE = 0x7b;

/** Observes the form of the received input, to tell a wrong option from what a pipeline has done. */
export class ReceivedForm {
  /** True if each line in the first chunk begins with a brace; undefined before that. */
  #beginsWithBraces: boolean | undefined;
  #lines = 0;
  #linesWithoutObject = 0;
  #objects = 0;
  #objectsWithoutField = 0;
  #keys: readonly string[] = [];

  /** Observes bytes of a comparison of raw lines. Only the first chunk is looked at. */
  addBytes(chunk: Uint8Array): void {
    if (this.#beginsWithBraces !== undefined || chunk.length === 0) return;
    // The first byte is tested by itself: a log is not scanned.
    this.#beginsWithBraces = chunk[0] === OPENING_BRACE && !/\n[^{\n]/.test(Buffer.from(chunk).toString('latin1'));
  }

  /** Observes a line of NDJSON. */
  addLine(hasObject: boolean): void {
    this.#lines += 1;
    if (!hasObject) this.#linesWithoutObject += 1;
  }

  /** Observes an object of NDJSON. @param hasField false if the field, or every named field, is absent */
  addObject(value: object, hasField: boolean): void {
    this.#objects += 1;
    if (hasField) return;
    if (this.#objectsWithoutField === 0) this.#keys = Object.keys(value);
    this.#objectsWithoutField += 1;
  }

  /** Finds the likely reason, if nearly nothing of the input can be compared. @param as what is compared @param isDelivered true if any record was delivered */
  findMismatch(as: 'lines' | 'field' | 'fields', isDelivered: boolean): FormMismatch | undefined {
    if (as === 'lines') return this.#beginsWithBraces === true && !isDelivered ? { cause: 'is-json' } : undefined;
    if (isNearlyAll(this.#linesWithoutObject, this.#lines)) return { cause: 'not-json' };
    // With --fields, objects without any of the fields are passed over: a pipeline may deliver others.
    const isWrong = as === 'field' || !isDelivered;
    if (!isWrong || !isNearlyAll(this.#objectsWithoutField, this.#objects)) return undefined;
    return { cause: 'no-field', objects: this.#objects, without: this.#objectsWithoutField, keys: this.#keys };
  }
}

function isNearlyAll(part: number, whole: number): boolean {
  return part > 0 && part >= NEARLY_ALL * whole;
}
