import { cutLines } from '../../lines.js';
import { LF } from '../../log/byte-string.js';

/** A line may hold this many bytes, its end not counted. */
export const MAX_LINE_BYTES = 1 << 20;

/** How much of a line that is too long is kept, to show it. */
const SHOWN_BYTES = 256;

/** Chunks are taken in pieces of this size: what is made of one block is let go before the next, so memory stays low. */
const PIECE_BYTES = 1 << 14;

/** Some whole lines of a list. */
export interface LineBlock {
  /** The physical line number (from 1) of the first of them. */
  readonly line: number;
  /** A byte string: the lines, each with its LF, which may lack at the end of the input. */
  readonly text: string;
  /** The block is a single line of more than `MAX_LINE_BYTES`, and `text` only its beginning. */
  readonly overlong: boolean;
}

/** The lines of a list in blocks (see `cutLines`), numbered. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LineBlock> {
  let line = 1;
  const options = { maxLineBytes: MAX_LINE_BYTES, shownBytes: SHOWN_BYTES, pieceBytes: PIECE_BYTES };
  for await (const { bytes, overlong } of cutLines(chunks, options)) {
    yield { line, text: bytes.toString('latin1'), overlong };
    line += overlong ? 1 : countLines(bytes);
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
