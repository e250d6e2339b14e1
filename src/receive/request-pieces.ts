import { LF } from '../log/byte-string.js';
import type { WholePieces } from '../output/whole-pieces.js';

/** The lines of one request as one piece: a failed write leaves none of them. */
export function asOnePiece(bytes: Buffer, lineCount: number): WholePieces {
  const end = bytes.length;
  return {
    bytes,
    countWithin: (length) => (length >= end ? lineCount : 0),
    lineWithin: () => undefined,
    endWithin: (length) => (length >= end ? end : 0),
    endAfter: () => end,
    endOfCount: (count) => (count >= lineCount ? end : 0),
  };
}

/** The lines of one request as a piece each: a file may be rotated between them. */
export function asLines(bytes: Buffer): WholePieces {
  const endWithin = (length: number): number => (length === 0 ? 0 : bytes.lastIndexOf(LF, length - 1) + 1);
  const endAfter = (offset: number): number => bytes.indexOf(LF, offset) + 1 || bytes.length;
  return {
    bytes,
    countWithin: (length) => countLines(bytes.subarray(0, length)),
    lineWithin: () => undefined,
    endWithin,
    endAfter,
    endOfCount: (count) => {
      let end = 0;
      for (let lines = 0; lines < count && end < bytes.length; lines += 1) end = endAfter(end);
      return end;
    },
  };
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
