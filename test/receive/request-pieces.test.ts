import { expect, test } from '@jest/globals';
import { asLines, asOnePiece } from '../../src/receive/request-pieces.js';

const BYTES = Buffer.from('a\nbc\nd\n');

test('the lines of a request as one piece stand together or not at all', () => {
  const pieces = asOnePiece(BYTES, 3);
  expect([0, 2, 6, 7].map((bytes) => pieces.countWithin(bytes))).toEqual([0, 0, 0, 3]);
  expect([0, 2, 6, 7].map((bytes) => pieces.endWithin(bytes))).toEqual([0, 0, 0, 7]);
  expect(pieces.endAfter(0)).toBe(7);
  expect([0, 2, 3].map((count) => pieces.endOfCount(count))).toEqual([0, 0, 7]);
});

test('the lines of a request as a piece each', () => {
  const pieces = asLines(BYTES);
  expect([0, 1, 2, 4, 5, 6, 7].map((bytes) => pieces.countWithin(bytes))).toEqual([0, 0, 1, 1, 2, 2, 3]);
  expect([0, 1, 2, 4, 5, 6, 7].map((bytes) => pieces.endWithin(bytes))).toEqual([0, 0, 2, 2, 5, 5, 7]);
  expect([0, 2, 5].map((offset) => pieces.endAfter(offset))).toEqual([2, 5, 7]);
  expect([0, 1, 2, 3].map((count) => pieces.endOfCount(count))).toEqual([0, 2, 5, 7]);
});
