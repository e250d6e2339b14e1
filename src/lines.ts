import { LF } from './log/byte-string.js';

/** Bytes in chunks, cut anywhere: a Node stream, for example, or an array of buffers. A chunk is valid until the next one is requested. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface LineBytes {
  /** The lines; each ends in LF, which may be missing at the end of the input. Valid until the next block is requested. */
  readonly bytes: Buffer;
  /** True for a single line that is too long; `bytes` is only its beginning. */
  readonly overlong: boolean;
  readonly position: number;
}

/** Refuses a chunk that is not bytes: a stream with an encoding gives text. */
export function requireBytes(chunk: unknown): asserts chunk is Uint8Array {
  if (!(chunk instanceof Uint8Array))
    throw new TypeError('a chunk of a stream is not bytes; give Buffers, as createReadStream does');
}

/** The lines, as byte strings without LF; LF may be missing behind the last one. */
export function linesIn(bytes: Buffer): string[] {
  const lines = bytes.toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
