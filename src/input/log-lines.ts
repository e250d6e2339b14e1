import type { EnvelopeOpener } from '../envelope/envelope-opener.js';
import { requireBytes, type Chunks, type LineBytes } from '../lines.js';
import { LF } from '../log/byte-string.js';
import { parseRecord, type LogRecord } from '../log/line.js';
import { MAX_RECORD_BYTES } from '../log/record.js';

const BYTE_ORDER_MARK = '\xef\xbb\xbf';
const MAX_END_BYTES = 2;

interface LogLineOptions {
  /** The most bytes of a line, without its LF or CRLF. A longer line is dropped, so memory stays bounded. Default 1 MiB. */
  readonly maxLineBytes?: number;
  /** The number of bytes of an overlong line that are kept for messages. Default 0. */
  readonly shownBytes?: number;
  /** The most bytes of a chunk that go into one block, at most `maxLineBytes`. Default `maxLineBytes`. */
  readonly blockBytes?: number;
  /** True to leave a byte order mark on the first line. */
  readonly keepsMark?: boolean;
  readonly opener?: EnvelopeOpener | undefined;
}

/**
 * Cuts a log into blocks of whole lines, wherever its chunks end. Only LF ends a line. Every chunk gives at least one block, possibly empty,
 * so that the reader can act on each arrival. An overlong line is given alone, by its beginning, as soon as it exceeds the limit.
 */
export class LogLineCutter {
  readonly #limits: Readonly<Record<'maxLineBytes' | 'shownBytes' | 'blockBytes', number>>;
  #mayHaveMark: boolean;
  /** The offset of the next chunk in the input. */
  #position = 0;
  /** A copy of the beginning of the line whose end has not arrived: a chunk is valid only until the next one is requested. */
  #kept: Buffer = Buffer.alloc(0);
  #length = 0;
  #begin = 0;
  #isGiven = false;

  constructor(private readonly options: LogLineOptions = {}) {
    const { maxLineBytes = MAX_RECORD_BYTES, shownBytes = 0, blockBytes = maxLineBytes, keepsMark = false } = options;
    this.#limits = { maxLineBytes, shownBytes, blockBytes };
    this.#mayHaveMark = !keepsMark;
  }

  /** Take the blocks before the chunk becomes invalid. */
  *cut(chunk: Uint8Array): Generator<LineBytes> {
    requireBytes(chunk);
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const { maxLineBytes, shownBytes, blockBytes } = this.#limits;
    const start = this.#position;
    this.#position += chunk.length;
    for (let from = 0; from < chunk.length; from += blockBytes) {
      let position = start + from;
      let block = bytes.subarray(from, from + blockBytes);
      const end = block.indexOf(LF) + 1;
      if (this.#length > 0 && end > 0) {
        this.#append(block.subarray(0, end), position);
        block = block.subarray(end);
        position += end;
        yield* this.#endLine();
      }
      const wholeUntil = block.lastIndexOf(LF) + 1;
      this.#append(block.subarray(wholeUntil), position + wholeUntil);
      yield* this.#give(block.subarray(0, wholeUntil), position);
      if (this.#isGiven || this.#length <= maxLineBytes + MAX_END_BYTES) continue;
      this.#isGiven = true;
      yield* this.#give(this.#kept.subarray(0, shownBytes), this.#begin, true);
    }
  }

  /** Gives the line that has been begun: at the end of the input the last line may not end in LF. */
  *end(): Generator<LineBytes> {
    yield* this.#endLine();
    if (this.options.opener !== undefined) yield* this.options.opener.end();
  }

  #append(bytes: Uint8Array, position: number): void {
    if (this.#length === 0) this.#begin = position;
    const { maxLineBytes, shownBytes } = this.#limits;
    const length = this.#length + bytes.length;
    const keptBytes = length <= maxLineBytes + MAX_END_BYTES ? length : Math.min(length, shownBytes);
    if (keptBytes > this.#length) {
      if (keptBytes > this.#kept.length) this.#kept = Buffer.concat([this.#kept], Math.max(keptBytes, 2 * this.#kept.length));
      this.#kept.set(bytes.subarray(0, keptBytes - this.#length), this.#length);
    }
    this.#length = length;
  }

  *#endLine(): Generator<LineBytes> {
    const [length, isGiven] = [this.#length, this.#isGiven];
    [this.#length, this.#isGiven] = [0, false];
    if (isGiven || length === 0) return;
    const end = this.#kept.toString('latin1', Math.max(0, length - MAX_END_BYTES), length);
    const endBytes = end.endsWith('\r\n') ? 2 : end.endsWith('\n') ? 1 : 0;
    const overlong = length - endBytes > this.#limits.maxLineBytes;
    yield* this.#give(this.#kept.subarray(0, overlong ? this.#limits.shownBytes : length), this.#begin, overlong);
  }

  /** Gives a block, and its records out of their envelopes. */
  *#give(bytes: Buffer, position: number, overlong = false): Generator<LineBytes> {
    let from = 0;
    if (this.#mayHaveMark && bytes.length > 0) {
      this.#mayHaveMark = false;
      if (bytes.toString('latin1', 0, BYTE_ORDER_MARK.length) === BYTE_ORDER_MARK) from = BYTE_ORDER_MARK.length;
    }
    const block = { bytes: bytes.subarray(from), overlong, position: position + from };
    if (this.options.opener === undefined) yield block;
    else yield* this.options.opener.open(block);
  }
}

export async function* cutLogLines(chunks: Chunks, options: LogLineOptions = {}): AsyncGenerator<LineBytes> {
  const cutter = new LogLineCutter(options);
  for await (const chunk of chunks) yield* cutter.cut(chunk);
  yield* cutter.end();
}

/** The record on a line of a log, a byte string without its LF: the one test of a line. */
export function recordOn(line: string): LogRecord | undefined {
  return line.length > MAX_RECORD_BYTES ? undefined : parseRecord(line);
}
