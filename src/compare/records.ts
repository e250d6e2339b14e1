import type { EnvelopeOpener } from '../envelope/envelope-opener.js';
import { LogLineCutter } from '../input/log-lines.js';
import { MAX_LINE_BYTES } from '../input/whole-lines.js';
import { linesIn, type LineBytes } from '../lines.js';
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
  /** Left out where each record is the next line of the input. */
  readonly records?: readonly TextRecord[];
}

export interface TextRecord {
  /** The record: a byte string. */
  readonly compared: string;
  /** Left out where it is the line behind that of the record before. */
  readonly line?: number | undefined;
  /** The text of the line where that is another: a byte string without LF. */
  readonly text?: string | undefined;
  /** The reason that the line cannot be a record, in words that are safe for a terminal. Such a line equals no record. */
  readonly reason?: string | undefined;
}

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

const LIMITS = { maxLineBytes: MAX_LINE_BYTES, shownBytes: 4096, keepsMark: true };

/** Texts are read by blocks of this size: V8 gives texts of more than 128 KiB memory of their own, which takes a third more time. */
const TEXT_BLOCK = { blockBytes: 1 << 16 };

/** Texts whose lines are kept until records have been made of them. */
const MAX_PIECES = 1 << 13;

const LF_BYTES = Buffer.from('\n');

/** Reads the records of a line, a byte string; undefined for each object, or line, that is not compared. */
export type ReadLine = (text: string, line: number | undefined) => readonly (TextRecord | undefined)[];

interface ReaderOptions {
  readonly read?: ReadLine | undefined;
  readonly passesOverlong?: boolean;
  readonly isRereadable?: boolean;
  readonly observed?: ReceivedForm | undefined;
  /** Those of the envelopes of lines, and of the texts that are read of lines. */
  readonly opener?: EnvelopeOpener | undefined;
  readonly textOpener?: EnvelopeOpener | undefined;
}

/** Makes the reader of one input. @param input its number, from 0 */
export function createReader(input: number, options: ReaderOptions): RecordReader {
  const { read, passesOverlong = false, isRereadable = false, observed, opener } = options;
  const cutter = new LogLineCutter({ ...LIMITS, ...(read && TEXT_BLOCK), opener });
  const opened = options.textOpener && openTexts(options.textOpener);
  const readText: ReadLine = read ?? ((compared, line) => [{ compared, line }]);
  const readOverlong: ReadLine = (text, line) => [
    passesOverlong ? undefined : { compared: '', line, text, reason: 'longer than 16 MiB' },
  ];
  const firstAddress = isRereadable ? input * INPUT_SPAN : NaN;
  let lines = 0;
  const reader = {
    passedOver: 0,
    *read(chunk: Uint8Array | undefined): Generator<RecordBlock> {
      if (chunk !== undefined) observed?.addBytes(chunk);
      for (const { bytes, overlong, position } of chunk === undefined ? cutter.end() : cutter.cut(chunk)) {
        const isInPlace = read === undefined && (opener?.isPlain ?? true);
        if (isInPlace && !overlong) {
          const whole = bytes.at(-1) === LF ? bytes : Buffer.concat([bytes, LF_BYTES]);
          if (bytes.length > 0) yield { bytes: whole, input, address: firstAddress + position };
          continue;
        }
        const records: TextRecord[] = [];
        for (const text of linesIn(bytes)) {
          lines += 1;
          const line = isInPlace ? undefined : input * INPUT_SPAN + (opener?.lineOf(lines) ?? lines);
          for (const record of (overlong ? readOverlong : readText)(text, line)) {
            if (record === undefined) reader.passedOver += 1;
            else if (opened === undefined) records.push(record);
            else records.push(...opened.open(record));
          }
        }
        yield* blocksOf(input, records);
      }
      if (chunk === undefined) yield* blocksOf(input, opened?.end() ?? []);
    },
  };
  return reader;
}

/** Opens the envelopes of the texts that were read of lines. A record that came in pieces is at the line of the first one. */
function openTexts(opener: EnvelopeOpener) {
  const lines: (number | undefined)[] = [];
  let [texts, records] = [0, 0];
  const take = (blocks: Iterable<LineBytes>): readonly TextRecord[] =>
    Array.from(blocks, ({ bytes }) => linesIn(bytes)).flatMap((opened) =>
      opened.map((compared) => {
        records += 1;
        return { compared, line: lines[opener.lineOf(records) % MAX_PIECES] };
      }),
    );
  return {
    open: (record: TextRecord): readonly TextRecord[] => {
      const { compared, line, reason } = record;
      // A text with an LF in it is in no envelope.
      if (opener.isPlain || reason !== undefined || compared.includes('\n')) return [record];
      texts += 1;
      lines[texts % MAX_PIECES] = line;
      return take(opener.open({ bytes: Buffer.from(`${compared}\n`, 'latin1'), overlong: false, position: 0 }));
    },
    end: () => take(opener.end()),
  };
}

export function blocksOf(input: number, records: readonly TextRecord[]): readonly RecordBlock[] {
  if (records.length === 0) return [];
  const bytes = Buffer.from(`${records.map(({ compared }) => compared).join('\n')}\n`, 'latin1');
  return [{ bytes, input, address: NaN, records }];
}
