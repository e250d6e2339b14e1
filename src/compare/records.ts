import { MAX_LINE_BYTES } from '../input/whole-lines.js';
import type { EnvelopeOpener } from '../envelope/envelope-opener.js';
import { countLines, LineCutter, type LineBytes } from '../lines.js';
import { LF } from '../log/byte-string.js';
import type { ReceivedForm } from './mismatch.js';

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
  /** Reads the next bytes; at the end undefined: what stands after the last LF is a line. Blocks are to be taken while the bytes are valid. */
  read(chunk: Uint8Array | undefined): Iterable<RecordBlock>;
}

/** The distance between the line numbers of two inputs, and between the addresses in them. */
export const INPUT_SPAN = 2 ** 40;

/** The number of inputs that lines and addresses can tell apart. */
export const MAX_INPUTS = Number.MAX_SAFE_INTEGER / INPUT_SPAN - 1;

export function inputOf(line: number): number {
  return Math.floor(line / INPUT_SPAN);
}

export function firstLineOf(input: number): number {
  return input * INPUT_SPAN + 1;
}

/** The bytes of a line that is too long that are shown. */
const SHOWN_BYTES = 4096;

const LF_BYTES = Buffer.from('\n');

/** The whole lines of an input, each ended by an LF, the last one too: as they are, or out of their envelopes. */
class InputLines {
  readonly #cutter: LineCutter;
  readonly #opener: EnvelopeOpener | undefined;
  #given = 0;

  /** @param opener left out for lines as they are */
  constructor(opener: EnvelopeOpener | undefined, blockBytes?: number) {
    const limits = { maxLineBytes: MAX_LINE_BYTES, shownBytes: SHOWN_BYTES };
    this.#cutter = new LineCutter(blockBytes === undefined ? limits : { ...limits, blockBytes });
    this.#opener = opener;
  }

  /** True for lines that are given as they stand in the input. */
  get areInPlace(): boolean {
    return this.#opener?.isPlain ?? true;
  }

  /** The next blocks. @param chunk undefined at the end of the input */
  *cut(chunk: Uint8Array | undefined): Generator<LineBytes> {
    for (const block of chunk === undefined ? this.#cutter.end() : this.#cutter.cut(chunk)) yield* this.#open(block);
    if (chunk === undefined && this.#opener !== undefined) for (const block of this.#opener.end()) yield* withLf(block);
  }

  /** The number, from 1, of the line of the input in which the next line that was given begins. To be asked once for each line. */
  nextLine(): number {
    this.#given += 1;
    return this.#opener?.lineOf(this.#given) ?? this.#given;
  }

  *#open(block: LineBytes): Generator<LineBytes> {
    if (this.#opener === undefined) yield* withLf(block);
    else for (const opened of this.#opener.open(block)) yield* withLf(opened);
  }
}

/** A block whose last line has an LF; nothing for an empty one. */
function* withLf(block: LineBytes): Generator<LineBytes> {
  const { bytes } = block;
  if (bytes.length > 0) yield bytes.at(-1) === LF ? block : { ...block, bytes: Buffer.concat([bytes, LF_BYTES]) };
}

interface RawReaderOptions {
  /** True if the input can be read again at any place. */
  readonly isRereadable: boolean;
  /** Is shown the first bytes. */
  readonly observed?: ReceivedForm | undefined;
  /** Opens the envelopes of the lines. Left out, lines are read as they are. */
  readonly opener?: EnvelopeOpener | undefined;
}

/** Makes the reader of lines that are records. @param input its number, from 0 */
export function createRawReader(input: number, { isRereadable, observed, opener }: RawReaderOptions): RecordReader {
  const lines = new InputLines(opener);
  const first = isRereadable ? input * INPUT_SPAN : NaN;
  const nextLine = (): number => firstLineOf(input) - 1 + lines.nextLine();
  return {
    passedOver: 0,
    *read(chunk) {
      if (chunk !== undefined) observed?.addBytes(chunk);
      for (const { bytes, overlong, position } of lines.cut(chunk)) {
        const place = lines.areInPlace ? [] : Array.from({ length: countLines(bytes) }, () => ({ line: nextLine() }));
        if (overlong) yield { bytes, input, address: NaN, details: [{ ...place[0], reason: OVERLONG }] };
        else if (lines.areInPlace) yield { bytes, input, address: first + position };
        else yield { bytes, input, address: NaN, details: place };
      }
    },
  };
}

const OVERLONG = 'longer than 16 MiB';

/** Lines are read by blocks of this size: V8 gives texts of more than 128 KiB memory of their own, which takes a third more time. */
const BLOCK_BYTES = 1 << 16;

export type TextRecord = RecordDetails & Required<Pick<RecordDetails, 'compared' | 'line'>>;

/** Reads the records of lines, byte strings; undefined for each object, or line, that is not compared. */
export interface LineReading {
  readonly read: (text: string, line: number) => readonly (TextRecord | undefined)[];
  /** Gives what has been held back, at the end of the input. */
  readonly end?: () => readonly TextRecord[];
}

interface LineReaderOptions extends LineReading {
  /** False if lines that are too long are passed over. */
  readonly reportsOverlong: boolean;
  /** Opens the envelopes of the lines. Left out, lines are read as they are. */
  readonly opener?: EnvelopeOpener | undefined;
}

/** Makes the reader of records that are made of lines, one line after the other. @param input its number, from 0 */
export function createLineReader(input: number, { read, end, reportsOverlong, opener }: LineReaderOptions): RecordReader {
  const lines = new InputLines(opener, BLOCK_BYTES);
  const readOverlong: LineReading['read'] = (text, line) => [
    reportsOverlong ? { compared: '', line, text, reason: OVERLONG } : undefined,
  ];
  const reader = {
    passedOver: 0,
    *read(chunk: Uint8Array | undefined): Generator<RecordBlock> {
      for (const { bytes, overlong } of lines.cut(chunk)) {
        const records: TextRecord[] = [];
        for (const text of bytes.toString('latin1', 0, bytes.length - 1).split('\n')) {
          const line = firstLineOf(input) - 1 + lines.nextLine();
          for (const record of overlong ? readOverlong(text, line) : read(text, line)) {
            if (record === undefined) reader.passedOver += 1;
            else records.push(record);
          }
        }
        yield* blocksOf(input, records);
      }
      if (chunk === undefined) yield* blocksOf(input, end?.() ?? []);
    },
  };
  return reader;
}

/** Texts whose lines are kept until records have been made of them. */
const MAX_PLACES = 1 << 12;

/** Opens the envelopes of the texts that were read. A record that came in pieces is at the line of the first one. */
export function openTexts({ read }: LineReading, opener: EnvelopeOpener): LineReading {
  /** The lines of the texts that were opened, from number `from` on. */
  const places: number[] = [];
  let [from, given] = [1, 0];
  const take = (blocks: Iterable<LineBytes>): readonly TextRecord[] => {
    const records: TextRecord[] = [];
    for (const block of blocks) {
      for (const { bytes } of withLf(block)) {
        for (const compared of bytes.toString('latin1', 0, bytes.length - 1).split('\n')) {
          given += 1;
          records.push({ compared, line: places[Math.max(0, opener.lineOf(given) - from)] ?? 0 });
        }
      }
    }
    if (places.length > 2 * MAX_PLACES) from += places.splice(0, MAX_PLACES).length;
    return records;
  };
  return {
    read: (text, line) =>
      read(text, line).flatMap((record): readonly (TextRecord | undefined)[] => {
        // A text with an LF in it is in no envelope.
        const isOpened = record !== undefined && record.reason === undefined && !record.compared.includes('\n');
        if (opener.isPlain || !isOpened) return [record];
        places.push(line);
        return take(opener.open({ bytes: Buffer.from(`${record.compared}\n`, 'latin1'), overlong: false, position: 0 }));
      }),
    end: () => take(opener.end()),
  };
}

/** The block of records that are texts, if there are any. */
export function blocksOf(input: number, records: readonly TextRecord[]): readonly RecordBlock[] {
  if (records.length === 0) return [];
  const bytes = Buffer.from(`${records.map(({ compared }) => compared).join('\n')}\n`, 'latin1');
  return [{ bytes, input, address: NaN, details: records }];
}
