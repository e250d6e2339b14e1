/** A line may hold this many bytes, its end not counted. What is longer is not kept: memory stays bounded whatever comes. */
export const MAX_LINE_BYTES = 1 << 20;

/** How much of a line that is too long is kept, to show it. */
const SHOWN_BYTES = 256;

/** Chunks are taken in pieces of this size: what is made of one block is let go before the next, so memory stays low. */
const PIECE_BYTES = 1 << 14;

const LF = 0x0a;

/** The bytes of a CRLF. */
const LONGEST_END = 2;

/** Some whole lines of an input. */
export interface LineBlock {
  /** The physical line number (from 1) of the first of them. */
  readonly line: number;
  /** A byte string: the lines, each with its LF, which may lack at the end of the input. */
  readonly text: string;
  /** The block is a single line of more than `MAX_LINE_BYTES`, and `text` only its beginning. */
  readonly overlong: boolean;
}

/**
 * Cuts chunks of bytes into blocks of whole lines, whatever the chunks' bounds. LF ends a line, and nothing else. Every chunk gives a
 * block, an empty one if need be, so that whoever reads on learns that there was something to read.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LineBlock> {
  const unfinished = new UnfinishedLine();
  let line = 1;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      let piece = viewOf(chunk, from, Math.min(from + PIECE_BYTES, chunk.length));
      const end = piece.indexOf(LF) + 1;
      if (unfinished.length > 0 && end > 0) {
        unfinished.append(piece.subarray(0, end));
        piece = piece.subarray(end);
        yield unfinished.take(line);
        line += 1;
      }
      const wholeUntil = piece.lastIndexOf(LF) + 1;
      unfinished.append(piece.subarray(wholeUntil));
      yield { line, text: piece.toString('latin1', 0, wholeUntil), overlong: false };
      line += countLines(piece, wholeUntil);
    }
  }
  if (unfinished.length > 0) yield unfinished.take(line);
}

/** The beginning of a line whose end has not come yet: copied, because a chunk's memory is its giver's. */
class UnfinishedLine {
  /** Bytes that came, kept or not. */
  length = 0;
  #kept: Buffer = Buffer.alloc(0);

  append(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (length <= MAX_LINE_BYTES + LONGEST_END) {
      if (length > this.#kept.length) this.#kept = Buffer.concat([this.#kept], Math.max(length, 2 * this.#kept.length));
      this.#kept.set(bytes, this.length);
    }
    this.length = length;
  }

  /** Ends the line: its block, and a new beginning. */
  take(line: number): LineBlock {
    const end = this.#kept.toString('latin1', Math.max(0, this.length - LONGEST_END), this.length);
    const endBytes = end.endsWith('\r\n') ? 2 : end.endsWith('\n') ? 1 : 0;
    const overlong = this.length - endBytes > MAX_LINE_BYTES;
    const text = this.#kept.toString('latin1', 0, overlong ? SHOWN_BYTES : this.length);
    this.length = 0;
    return { line, text, overlong };
  }
}

function viewOf(bytes: Uint8Array, from: number, until: number): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, until - from);
}

function countLines(bytes: Buffer, until: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1 && at < until; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
