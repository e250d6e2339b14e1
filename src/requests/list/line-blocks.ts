import { countLines, cutLines, type Chunks } from '../../lines.js';
import type { Refusal } from '../request.js';

/** The most bytes of a line, without its end. */
export const MAX_LINE_BYTES = 1 << 20;

/** The refusal of a line of more than `MAX_LINE_BYTES`. */
export const OVERLONG: Refusal = { problem: 'the line is longer than 1 MiB', remedy: 'shorten it' };

/** The bytes of an overlong line that are kept for messages. */
const SHOWN_BYTES = 256;

/** The size of a block: smaller than a read, to take less time and memory. */
const BLOCK_BYTES = 1 << 14;

/** Whole lines of a list. */
interface LineBlock {
  /** The physical line number (from 1) of the first line. */
  readonly line: number;
  /** The lines, a byte string; each ends in LF, which may be missing at the end of the input. */
  readonly text: string;
  /** True for a single line of more than `MAX_LINE_BYTES`; `text` is only its beginning. */
  readonly overlong: boolean;
}

/** Reads the lines of a list in numbered blocks (see `cutLines`). @throws what `chunks` throws */
export async function* readLines(chunks: Chunks): AsyncGenerator<LineBlock> {
  let line = 1;
  const options = { maxLineBytes: MAX_LINE_BYTES, shownBytes: SHOWN_BYTES, blockBytes: BLOCK_BYTES };
  for await (const { bytes, overlong } of cutLines(chunks, options)) {
    yield { line, text: bytes.toString('latin1'), overlong };
    line += overlong ? 1 : countLines(bytes);
  }
}
