import { LF } from './log/byte-string.js';

const MAX_END_BYTES = 2;

/** Bytes in chunks, cut anywhere: a Node stream, for example, or an array of buffers. A chunk is valid until the next one is requested. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Whole lines of an input. */
export interface LineBytes {
  /** The lines; each ends in LF, which may be missing at the end of the input. Valid until the next block is requested. */
  readonly bytes: Buffer;
  /** True for a single line that is too long; `bytes` is only its beginning. */
  readonly overlong: boolean;
  /** The offset of the first byte in the input. */
  readonly position: number;
}

/** The limits of lines and blocks. */
export interface CutOptions {
  /** The most bytes of a line, without its LF or CRLF. A longer line is dropped, so memory stays bounded. */
  readonly maxLineBytes: number;
  /** The number of bytes of an overlong line that are kept for messages. Default 0. */
  readonly shownBytes?: number;
  /** The most bytes of a chunk that go into one block, at most `maxLineBytes`. Default `maxLineBytes`. */
  readonly blockBytes?: number;
}

/**
 * Cuts chunks of bytes into blocks of whole lines, wherever the chunks end. Only LF ends a line. Every chunk gives at least one block,
 * possibly empty, so that the reader can act on each arrival. An overlong line is given as soon as it exceeds the limit.
 */
export async function* cutLines(chunks: Chunks, options: CutOptions): AsyncGenerator<LineBytes> {
  const cutter = new LineCutter(options);
  for await (const chunk of chunks) yield* cutter.cut(chunk);
  yield* cutter.end();
}

/** Cuts chunks as `cutLines` does, one call per chunk. */
export class LineCutter {
  readonly #maxLineBytes: number;
  readonly #shownBytes: number;
  readonly #blockBytes: number;
  /** The offset of the next chunk in the input. */
  #position = 0;
  /** A copy of the beginning of the line whose end has not arrived: a chunk is valid only until the next one is requested. */
  #kept: Buffer = Buffer.alloc(0);
  /** The bytes of that line that have arrived, kept or not. */
  #length = 0;
  /** The offset of its first byte in the input. */
  #begin = 0;
  /** True once the line has been given as overlong. */
  #isGiven = false;

  constructor({ maxLineBytes, shownBytes = 0, blockBytes = maxLineBytes }: CutOptions) {
    this.#maxLineBytes = maxLineBytes;
    this.#shownBytes = shownBytes;
    this.#blockBytes = blockBytes;
  }

  /** Cuts the next chunk. Take the blocks before the chunk becomes invalid. */
  *cut(chunk: Uint8Array): Generator<LineBytes> {
    requireBytes(chunk);
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const start = this.#position;
    this.#position += chunk.length;
    for (let from = 0; from < chunk.length; from += this.#blockBytes) {
      let position = start + from;
      let block = bytes.subarray(from, from + this.#blockBytes);
      const end = block.indexOf(LF) + 1;
      if (this.#length > 0 && end > 0) {
        this.#append(block.subarray(0, end), position);
        block = block.subarray(end);
        position += end;
        yield* this.end();
      }
      const wholeUntil = block.lastIndexOf(LF) + 1;
      this.#append(block.subarray(wholeUntil), position + wholeUntil);
      yield { bytes: block.subarray(0, wholeUntil), overlong: false, position };
      if (this.#isGiven || this.#length <= this.#maxLineBytes + MAX_END_BYTES) continue;
      // Overlong whatever its end.
      this.#isGiven = true;
      yield { bytes: this.#kept.subarray(0, this.#shownBytes), overlong: true, position: this.#begin };
    }
  }

  #append(bytes: Uint8Array, position: number): void {
    if (this.#length === 0) this.#begin = position;
    const length = this.#length + bytes.length;
    const keptBytes = length <= this.#maxLineBytes + MAX_END_BYTES ? length : Math.min(length, this.#shownBytes);
    if (keptBytes > this.#length) {
      if (keptBytes > this.#kept.length) this.#kept = Buffer.concat([this.#kept], Math.max(keptBytes, 2 * this.#kept.length));
      this.#kept.set(bytes.subarray(0, keptBytes - this.#length), this.#length);
    }
    this.#length = length;
  }

  /** Gives the line that has been begun, and begins an empty one: at the end of the input the last line may not end in LF. */
  *end(): Generator<LineBytes> {
    const length = this.#length;
    const isGiven = this.#isGiven;
    this.#length = 0;
    this.#isGiven = false;
    if (isGiven || length === 0) return;
    const end = this.#kept.toString('latin1', Math.max(0, length - MAX_END_BYTES), length);
    const endBytes = end.endsWith('\r\n') ? 2 : end.endsWith('\n') ? 1 : 0;
    const overlong = length - endBytes > this.#maxLineBytes;
    yield { bytes: this.#kept.subarray(0, overlong ? this.#shownBytes : length), overlong, position: this.#begin };
  }
}

/** Refuses a chunk that is not bytes: a stream with an encoding gives text. */
export function requireBytes(chunk: unknown): asserts chunk is Uint8Array {
  if (!(chunk instanceof Uint8Array))
    throw new TypeError('a chunk of a stream is not bytes; give Buffers, as createReadStream does');
}

export function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
