import { LF } from '../log/byte-string.js';
import { Chunk } from '../output/chunk.js';

/**
 * The lines of one request as pieces of whole lines, uncopied: a failed write leaves no part of a piece, and a file may be rotated between
 * pieces.
 *
 * @param bytes one line or more
 * @param maxPieceBytes a piece has at most this size; a longer line is a piece of its own. Infinity for one piece
 */
export function cutRequest(bytes: Buffer, lineCount: number, maxPieceBytes: number): Chunk {
  const chunk = new Chunk(bytes);
  if (maxPieceBytes === Infinity) {
    chunk.endPiece(bytes.length, lineCount);
    return chunk;
  }
  for (let start = 0; start < bytes.length;) {
    const last = bytes.subarray(start, start + maxPieceBytes).lastIndexOf(LF);
    const end = (last === -1 ? bytes.indexOf(LF, start) : start + last) + 1;
    chunk.endPiece(end - start, countLines(bytes.subarray(start, end)));
    start = end;
  }
  return chunk;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
