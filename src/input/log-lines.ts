import type { EnvelopeOpener } from '../envelope/envelope-opener.js';
import { LineCutter, type Chunks, type CutOptions, type LineBytes } from '../lines.js';
import { parseRecord, type LogRecord } from '../log/line.js';
import { MAX_RECORD_BYTES } from '../log/record.js';

/** The byte order mark of UTF-8, which editors and shells put before the first line of a file. */
export const BYTE_ORDER_MARK = '\xef\xbb\xbf';

/** A line may have 1 MiB, unless another limit is given. */
interface LogLineOptions extends Partial<CutOptions> {
  /** True to leave a byte order mark on the first line. */
  readonly keepsMark?: boolean;
  readonly opener?: EnvelopeOpener | undefined;
}

/** Cuts a log into blocks of whole lines: the one way to the lines of a log. Of an overlong line, the beginning is given alone. */
export class LogLineCutter {
  readonly #cutter: LineCutter;
  readonly #opener: EnvelopeOpener | undefined;
  #isAtStart: boolean;

  constructor({ keepsMark = false, opener, ...limits }: LogLineOptions = {}) {
    this.#cutter = new LineCutter({ maxLineBytes: MAX_RECORD_BYTES, ...limits });
    this.#isAtStart = !keepsMark;
    this.#opener = opener;
  }

  /** Take the blocks before the chunk becomes invalid. */
  *cut(chunk: Uint8Array): Generator<LineBytes> {
    for (const block of this.#cutter.cut(chunk)) yield* this.#open(this.#passMark(block));
  }

  *end(): Generator<LineBytes> {
    for (const block of this.#cutter.end()) yield* this.#open(this.#passMark(block));
    if (this.#opener !== undefined) yield* this.#opener.end();
  }

  #open(block: LineBytes): Iterable<LineBytes> {
    return this.#opener?.open(block) ?? [block];
  }

  #passMark(block: LineBytes): LineBytes {
    const { bytes, position } = block;
    if (!this.#isAtStart || bytes.length === 0) return block;
    this.#isAtStart = false;
    const { length } = BYTE_ORDER_MARK;
    const hasMark = bytes.toString('latin1', 0, length) === BYTE_ORDER_MARK;
    return hasMark ? { ...block, bytes: bytes.subarray(length), position: position + length } : block;
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
