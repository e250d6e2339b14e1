import { MAX_LINE_BYTES } from '../input/whole-lines.js';
import type { EnvelopeOpener } from '../envelope/envelope-opener.js';
import { LogLineCutter } from '../input/log-lines.js';
import { countLines, type LineBytes } from '../lines.js';
import { LF } from '../log/byte-string.js';
import type { ReceivedForm } from './mismatch.js';

export interface RecordBlock {
  /** The records as they are compared, each ended by an LF. Valid until the next block is asked for. */
  readonly bytes: Buffer;
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

const SHOWN_BYTES = 4096;
const OVERLONG = 'longer than 16 MiB';

const LIMITS = { maxLineBytes: MAX_LINE_BYTES, shownBytes: SHOWN_BYTES, keepsMark: true };

const LF_BYTES = Buffer.from('\n');

/** The next whole lines of an input, each ended by an LF, the last one too. @param chunk undefined at the end of the input */
function* cutWhole(cutter: LogLineCutter, chunk: Uint8Array | undefined): Generator<LineBytes> {
  yield* withLf(chunk === undefined ? cutter.end() : cutter.cut(chunk));
}

function* withLf(blocks: Iterable<LineBytes>): Generator<LineBytes> {
  for (const block of blocks) {
    const { bytes } = block;
    if (bytes.length > 0) yield bytes.at(-1) === LF ? block : { ...block, bytes: Buffer.concat([bytes, LF_BYTES]) };
  }
}

/** Makes a function that gives the line of an input in which the next line that was cut begins. To be asked once for each. */
function lineCounter(input: number, opener: EnvelopeOpener | undefined): () => number {
  let given = 0;
  return () => {
    given += 1;
    return firstLineOf(input) - 1 + (opener?.lineOf(given) ?? given);
  };
}

function textsIn(bytes: Buffer): readonly string[] {
  return bytes.toString('latin1', 0, bytes.length - 1).split('\n');
}

interface RawReaderOptions {
  readonly isRereadable: boolean;
  readonly observed?: ReceivedForm | undefined;
  readonly opener?: EnvelopeOpener | undefined;
}

/** Makes the reader of lines that are records. @param input its number, from 0 */
export function createRawReader(input: number, { isRereadable, observed, opener }: RawReaderOptions): RecordReader {
  const cutter = new LogLineCutter({ ...LIMITS, opener });
  const nextLine = lineCounter(input, opener);
  const first = isRereadable ? input * INPUT_SPAN : NaN;
  return {
    passedOver: 0,
    *read(chunk) {
      if (chunk !== undefined) observed?.addBytes(chunk);
      for (const { bytes, overlong, position } of cutWhole(cutter, chunk)) {
        const isInPlace = opener?.isPlain ?? true;
        if (isInPlace && !overlong) {
          yield { bytes, input, address: first + position };
          continue;
        }
        const place = (): RecordDetails => (isInPlace ? {} : { line: nextLine() });
        const reason = overlong ? OVERLONG : undefined;
        const details = Array.from({ length: countLines(bytes) }, () => ({ ...place(), reason }));
        yield { bytes, input, address: NaN, details };
      }
    },
  };
}

/** Lines are read by blocks of this size: V8 gives texts of more than 128 KiB memory of their own, which takes a third more time. */
const BLOCK_BYTES = 1 << 16;

export type TextRecord = RecordDetails & Required<Pick<RecordDetails, 'compared' | 'line'>>;

/** Reads the records of lines, byte strings; undefined for each object, or line, that is not compared. */
export interface LineReading {
  readonly read: (text: string, line: number) => readonly (TextRecord | undefined)[];
  readonly end?: () => readonly TextRecord[];
}

interface LineReaderOptions extends LineReading, Pick<RawReaderOptions, 'opener'> {
  readonly reportsOverlong: boolean;
}

/** Makes the reader of records that are made of lines, one line after the other. @param input its number, from 0 */
export function createLineReader(input: number, { read, end, reportsOverlong, opener }: LineReaderOptions): RecordReader {
  const cutter = new LogLineCutter({ ...LIMITS, blockBytes: BLOCK_BYTES, opener });
  const nextLine = lineCounter(input, opener);
  const readOverlong: LineReading['read'] = (text, line) => [
    reportsOverlong ? { compared: '', line, text, reason: OVERLONG } : undefined,
  ];
  const reader = {
    passedOver: 0,
    *read(chunk: Uint8Array | undefined): Generator<RecordBlock> {
      for (const { bytes, overlong } of cutWhole(cutter, chunk)) {
        const records: TextRecord[] = [];
        for (const text of textsIn(bytes)) {
          for (const record of (overlong ? readOverlong : read)(text, nextLine())) {
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
    for (const { bytes } of withLf(blocks)) {
      for (const compared of textsIn(bytes)) {
        given += 1;
        records.push({ compared, line: places[Math.max(0, opener.lineOf(given) - from)] ?? 0 });
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

export function blocksOf(input: number, records: readonly TextRecord[]): readonly RecordBlock[] {
  if (records.length === 0) return [];
  const bytes = Buffer.from(`${records.map(({ compared }) => compared).join('\n')}\n`, 'latin1');
  return [{ bytes, input, address: NaN, details: records }];
}
