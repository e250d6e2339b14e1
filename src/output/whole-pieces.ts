/** Whole pieces to be written: a chunk, or a part of one. Offsets are in bytes from the beginning. */
export interface WholePieces {
  /** Valid until the chunk is cleared. */
  readonly bytes: Buffer;
  /** Counts the groups (or what else is counted) that stand once the first `bytes` bytes have been written. */
  readonly countWithin: (bytes: number) => number;
  /** The line of the input that the last whole piece within the first `bytes` bytes comes from. */
  readonly lineWithin: (bytes: number) => number | undefined;
  /** The end of the last whole piece within the first `bytes` bytes; 0 if there is none. */
  readonly endWithin: (bytes: number) => number;
  /** The end of the piece that begins at an offset; the end of all bytes if there is no piece. */
  readonly endAfter: (offset: number) => number;
  /** The end of the piece with which `count` groups stand; 0 for none. */
  readonly endOfCount: (count: number) => number;
}

/** Takes a part out of whole pieces, without copying it. @param from the end of a piece, or 0 @param until the end of a later piece */
export function partOf(pieces: WholePieces, from: number, until: number): WholePieces {
  const before = pieces.countWithin(from);
  return {
    bytes: pieces.bytes.subarray(from, until),
    countWithin: (bytes) => pieces.countWithin(from + bytes) - before,
    lineWithin: (bytes) => pieces.lineWithin(from + bytes),
    endWithin: (bytes) => Math.max(0, pieces.endWithin(from + bytes) - from),
    endAfter: (offset) => pieces.endAfter(from + offset) - from,
    endOfCount: (count) => Math.max(0, pieces.endOfCount(before + count) - from),
  };
}
