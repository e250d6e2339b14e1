import { LineCutter, type LineBytes } from '../lines.js';
import { LF } from '../log/byte-string.js';
import type { ReceivedForm } from './received-form.js';

/** Consecutive records of one side. */
export interface RecordBlock {
  /** The records as they are compared, each ended by an LF. Valid until the next block is asked for. */
  readonly bytes: Buffer;
  /** The number of the input, from 0. The lines of input k are counted from k · 2^40 + 1. */
  readonly input: number;
  /** The address of the bytes, if they can be read there again: k · 2^40 and the offset in input k. Else NaN. */
  readonly address: number;
  /** One for each record; left out where each record is a line, and none holds an LF. */
  readonly details?: readonly RecordDetails[];
}

/** A record in a block where lines alone do not tell everything. */
export interface RecordDetails {
  /** The bytes of the record, without its LF. */
  readonly length: number;
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

export function firstLineOf(input: number): number {
  return input * INPUT_SPAN + 1;
}

/** A longer line is not kept: memory stays bounded whatever comes. No record of this log is a tenth of that (JSON may escape it). */
const MAX_LINE_BYTES = 16 << 20;

/** The bytes of a line that is too long that are shown. */
const SHOWN_BYTES = 4096;

const LF_BYTES = Buffer.from('\n');

/** Reads the lines of an input as records, each unchanged. */
export class RawRecords implements RecordReader {
  readonly passedOver = 0;
  readonly #cutter = new LineCutter({ maxLineBytes: MAX_LINE_BYTES, shownBytes: SHOWN_BYTES });
  readonly #input: number;
  readonly #address: number;
  readonly #form: ReceivedForm | undefined;

  /** @param input its number, from 0 @param isRereadable it can be read again at any place @param form is shown the first bytes */
  constructor(input: number, isRereadable: boolean, form?: ReceivedForm) {
    this.#input = input;
    this.#address = isRereadable ? input * INPUT_SPAN : NaN;
    this.#form = form;
  }

  *read(chunk: Uint8Array | undefined): Generator<RecordBlock> {
    if (chunk !== undefined) this.#form?.addBytes(chunk);
    for (const { bytes, overlong, position } of cutLines(this.#cutter, chunk)) {
      const block = { bytes, input: this.#input, address: this.#address + position };
      if (!overlong) yield block;
      else yield { ...block, address: NaN, details: [{ length: bytes.length - 1, reason: OVERLONG }] };
    }
  }
}

const OVERLONG = 'longer than 16 MiB';

/** Lines are read by blocks of this size: V8 gives texts of more than 128 KiB memory of their own, which takes a third more time. */
const BLOCK_BYTES = 1 << 16;

/** Adds the records of a line to a block. @returns the number of objects, or lines, that are not compared */
export type ReadLine = (line: string, block: BlockBuilder) => number;

/** Reads records that are made of lines, one line after the other. */
export class LineRecords implements RecordReader {
  passedOver = 0;
  readonly #cutter = new LineCutter({ maxLineBytes: MAX_LINE_BYTES, shownBytes: SHOWN_BYTES, blockBytes: BLOCK_BYTES });
  readonly #readLine: ReadLine;
  readonly #block: BlockBuilder;
  readonly #reportsOverlong: boolean;

  /** @param input its number, from 0 @param reportsOverlong false if lines that are too long are passed over */
  constructor(input: number, readLine: ReadLine, reportsOverlong: boolean) {
    this.#block = new BlockBuilder(input);
    this.#readLine = readLine;
    this.#reportsOverlong = reportsOverlong;
  }

  *read(chunk: Uint8Array | undefined): Generator<RecordBlock> {
    for (const { bytes, overlong } of cutLines(this.#cutter, chunk)) {
      for (const line of bytes.toString('latin1', 0, bytes.length - 1).split('\n')) {
        if (!overlong) this.passedOver += this.#readLine(line, this.#block);
        else if (this.#reportsOverlong) this.#block.add('', line, OVERLONG);
        else this.passedOver += 1;
        this.#block.line += 1;
      }
      yield* this.#block.take();
    }
  }
}

/** Makes a block of records that are texts. */
export class BlockBuilder {
  /** The line of the records that are added. */
  line: number;
  readonly #input: number;
  #texts: string[] = [];
  #details: RecordDetails[] = [];

  /** @param input the number of the input, from 0 */
  constructor(input: number) {
    this.#input = input;
    this.line = firstLineOf(input);
  }

  /** Adds a record. @param compared a byte string @param text its line, where that is another @param reason why the line is no record */
  add(compared: string, text?: string, reason?: string): void {
    this.#texts.push(compared);
    this.#details.push({ length: compared.length, line: this.line, text, reason });
  }

  /** Takes out the block, if there are records. */
  take(): readonly RecordBlock[] {
    const [texts, details] = [this.#texts, this.#details];
    if (texts.length === 0) return [];
    this.#texts = [];
    this.#details = [];
    return [{ bytes: Buffer.from(`${texts.join('\n')}\n`, 'latin1'), input: this.#input, address: NaN, details }];
  }
}

/** The next whole lines of an input, each ended by an LF, the last one too. @param chunk undefined at the end of the input */
function* cutLines(cutter: LineCutter, chunk: Uint8Array | undefined): Generator<LineBytes> {
  for (const block of chunk === undefined ? cutter.end() : cutter.cut(chunk)) {
    const { bytes } = block;
    if (bytes.length > 0) yield bytes.at(-1) === LF ? block : { ...block, bytes: Buffer.concat([bytes, LF_BYTES]) };
  }
}
