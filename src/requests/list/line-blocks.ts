import { BYTE_ORDER_MARK } from '../../input/log-lines.js';
import { countLines, cutLines, type Chunks } from '../../lines.js';
import type { Refusal } from '../request.js';

export const MAX_LINE_BYTES = 1 << 20;

export const OVERLONG: Refusal = { problem: 'the line is longer than 1 MiB', remedy: 'shorten it' };

const SHOWN_BYTES = 256;

/** Smaller than a read, to take less time and memory. */
const BLOCK_BYTES = 1 << 14;

interface LineBlock {
  readonly line: number;
  /** A byte string. The end of the last line may be missing. */
  readonly text: string;
  readonly overlong: boolean;
}

/** Reads the lines of a list in numbered blocks, without a byte order mark. */
export async function* readLines(chunks: Chunks): AsyncGenerator<LineBlock> {
  let line = 1;
  const options = { maxLineBytes: MAX_LINE_BYTES, shownBytes: SHOWN_BYTES, blockBytes: BLOCK_BYTES };
  for await (const { bytes, overlong } of cutLines(chunks, options)) {
    const text = bytes.toString('latin1');
    const hasMark = line === 1 && text.startsWith(BYTE_ORDER_MARK);
    yield { line, text: hasMark ? text.slice(BYTE_ORDER_MARK.length) : text, overlong };
    line += overlong ? 1 : countLines(bytes);
  }
}
