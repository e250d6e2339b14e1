import { LF } from './log/byte-string.js';

/** The bytes of a CRLF. */
const LONGEST_END = 2;

/** Some whole lines of an input. */
export interface LineBytes {
  /** The lines, each with its LF, which may lack at the end of the input. Good until the next block is asked for. */
  readonly bytes: Buffer;
  /** The block is a single line that is too long, and `bytes` only its beginning. */
  readonly overlong: boolean;
}

/** How lines are to be cut. */
interface CutOptions {
  /** A line may hold this many bytes, its LF or CRLF not counted. What is longer is not kept: memory stays bounded whatever comes. */
  readonly maxLineBytes: number;
  /** How much of a line that is too long is kept, to show it. Default 0. */
  readonly shownBytes?: number;
  /** A chunk is taken in pieces of this size. Default: whole. */
  readonly pieceBytes?: number;
}

/**
 * Cuts chunks of bytes into blocks of whole lines, whatever the chunks' bounds. LF ends a line, and nothing else. Every chunk gives a
 * block, an empty one if need be, so that whoever reads on learns that there was something to read. A line that is too long is given
 * as soon as it is, whether its end ever comes or not.
 */
export async function* cutLines(
  chunks: AsyncIterable<Uint8Array>,
  { maxLineBytes, shownBytes = 0, pieceBytes = Infinity }: CutOptions,
): AsyncGenerator<LineBytes> {
  const unfinished = new UnfinishedLine(maxLineBytes, shownBytes);
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += pieceBytes) {
      let piece = viewOf(chunk, from, Math.min(from + pieceBytes, chunk.length));
      const end = piece.indexOf(LF) + 1;
      if (unfinished.length > 0 && end > 0) {
        unfinished.append(piece.subarray(0, end));
        piece = piece.subarray(end);
        const line = unfinished.end();
        if (line !== undefined) yield line;
      }
      const wholeUntil = piece.lastIndexOf(LF) + 1;
      unfinished.append(piece.subarray(wholeUntil));
      yield { bytes: piece.subarray(0, wholeUntil), overlong: false };
      const overlong = unfinished.takeOverlong();
      if (overlong !== undefined) yield overlong;
    }
  }
  const last = unfinished.end();
  if (last !== undefined) yield last;
}

/** The beginning of a line whose end has not come yet: copied, because a chunk's memory is its giver's. */
class UnfinishedLine {
  /** Bytes that came, kept or not. */
  length = 0;
  #kept: Buffer = Buffer.alloc(0);
  /** Whether it has been given, being too long. */
  #isGiven = false;
  readonly #maxLineBytes: number;
  readonly #shownBytes: number;

  constructor(maxLineBytes: number, shownBytes: number) {
    this.#maxLineBytes = maxLineBytes;
    this.#shownBytes = shownBytes;
  }

  append(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (length <= this.#maxLineBytes + LONGEST_END) {
      if (length > this.#kept.length) this.#kept = Buffer.concat([this.#kept], Math.max(length, 2 * this.#kept.length));
      this.#kept.set(bytes, this.length);
    }
    this.length = length;
  }

  /** The beginning of a line that is too long however it ends; undefined if it is not, or has been given. */
  takeOverlong(): LineBytes | undefined {
    if (this.#isGiven || this.length <= this.#maxLineBytes + LONGEST_END) return undefined;
    this.#isGiven = true;
    return { bytes: this.#kept.subarray(0, this.#shownBytes), overlong: true };
  }

  /** Ends the line: its block, unless there is none or it has been given; and a new beginning. */
  end(): LineBytes | undefined {
    const { length } = this;
    const isGiven = this.#isGiven;
    this.length = 0;
    this.#isGiven = false;
    if (isGiven || length === 0) return undefined;
    const end = this.#kept.toString('latin1', Math.max(0, length - LONGEST_END), length);
    const endBytes = end.endsWith('\r\n') ? 2 : end.endsWith('\n') ? 1 : 0;
    const overlong = length - endBytes > this.#maxLineBytes;
    return { bytes: this.#kept.subarray(0, overlong ? this.#shownBytes : length), overlong };
  }
}

function viewOf(bytes: Uint8Array, from: number, until: number): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, until - from);
}
