import { LF } from '../log/byte-string.js';
import type { WholePieces } from '../output/chunk.js';

/**
 * The lines of one request as pieces of whole lines: a failed write leaves no part of a piece, and a file may be rotated between pieces.
 *
 * @param bytes one line or more
 * @param maxPieceBytes a piece has at most this size; a longer line is a piece of its own. Infinity for one piece
 */
export function cutRequest(bytes: Buffer, lineCount: number, maxPieceBytes: number): WholePieces {
  const ends = maxPieceBytes === Infinity ? [bytes.length] : findEnds(bytes, maxPieceBytes);
  const startOf = (piece: number): number => ends[piece - 1] ?? 0;
  return {
    bytes,
    pieces: ends.length,
    startOf,
    countBefore: (piece) => (piece === ends.length ? lineCount : countLines(bytes.subarray(0, startOf(piece)))),
    lineBefore: () => undefined,
    piecesWithin: (length) => {
      const beyond = ends.findIndex((end) => end > length);
      return beyond === -1 ? ends.length : beyond;
    },
  };
}

/** The end of each piece: behind the last line that fits, or behind the first one. */
function findEnds(bytes: Buffer, maxPieceBytes: number): readonly number[] {
  const ends: number[] = [];
  for (let start = 0; start < bytes.length;) {
    const last = bytes.subarray(start, start + maxPieceBytes).lastIndexOf(LF);
    start = (last === -1 ? bytes.indexOf(LF, start) : start + last) + 1;
    ends.push(start);
  }
  return ends;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
