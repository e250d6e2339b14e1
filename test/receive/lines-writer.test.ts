import { describe, expect, test } from '@jest/globals';
import { cutRequest } from '../../src/receive/lines-writer.js';

const BYTES = Buffer.from('a\nbc\nd\nefghij\n');

describe('the lines of a request', () => {
  test.each([
    [Infinity, [14]],
    [14, [14]],
    [13, [7, 14]],
    [5, [5, 7, 14]],
    [4, [2, 5, 7, 14]],
    [1, [2, 5, 7, 14]],
  ])('in pieces of %i bytes at most end at %j', (maxPieceBytes, ends) => {
    const pieces = cutRequest(BYTES, 4, maxPieceBytes);
    expect(Array.from({ length: pieces.pieces }, (_, piece) => pieces.startOf(piece + 1))).toEqual(ends);
    expect(pieces.startOf(0)).toBe(0);
    expect(ends.map((end, piece) => [end, pieces.slice(0, piece + 1).count])).toEqual(
      ends.map((end) => [end, BYTES.toString('latin1', 0, end).split('\n').length - 1]),
    );
    expect(ends.map((end) => [pieces.piecesWithin(end - 1), pieces.piecesWithin(end)])).toEqual(
      ends.map((_end, piece) => [piece, piece + 1]),
    );
  });
});
