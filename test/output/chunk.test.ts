import { expect, test } from '@jest/globals';
import { Chunk } from '../../src/output/chunk.js';

/** A chunk of a head that counts nothing, a group and a cluster of three groups. */
function threePieces(): Chunk {
  const chunk = new Chunk();
  chunk.add({ bytes: Buffer.from('head\n'), count: 0, origin: {} });
  chunk.add({ bytes: Buffer.from('group\n'), count: 1, origin: { line: 7 } });
  chunk.add({ bytes: Buffer.from('the records of three groups\n'), count: 3, origin: { line: 10 } });
  return chunk;
}

test('knows where each piece begins, and the groups and the line at the end', () => {
  const chunk = threePieces();
  expect(chunk).toMatchObject({ pieces: 3, count: 4, lastLine: 10 });
  expect([0, 1, 2, 3].map((piece) => chunk.startOf(piece))).toEqual([0, 5, 11, 39]);
});

test('some of its pieces are a chunk like any other', () => {
  const chunk = threePieces();
  const all = chunk.bytes.toString();
  for (const from of [0, 1, 2, 3]) {
    for (const until of [0, 1, 2, 3].filter((piece) => piece >= from)) {
      const part = chunk.slice(from, until);
      const rest = chunk.slice(until, 3);
      expect(chunk.slice(0, from).bytes.toString() + part.bytes.toString() + rest.bytes.toString()).toBe(all);
      expect(chunk.slice(0, from).count + part.count + rest.count).toBe(4);
      expect({ pieces: part.pieces, line: part.lastLine }).toEqual({
        pieces: until - from,
        line: until > from ? [undefined, 7, 10][until - 1] : undefined,
      });
      expect(part.startOf(part.pieces)).toBe(part.bytes.length);
    }
  }
});

test('counts the pieces that a write cut short has left whole', () => {
  const chunk = threePieces();
  expect([0, 4, 5, 10, 11, 38, 39, Infinity].map((bytes) => chunk.piecesWithin(bytes))).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
});

test('takes a piece larger than its buffer by itself', () => {
  const chunk = new Chunk(4);
  expect([chunk.fits(5), chunk.fits(4)]).toEqual([true, true]);
  chunk.add({ bytes: Buffer.from('large'), count: 1, origin: {} });
  expect([chunk.fits(1), chunk.bytes.toString()]).toEqual([false, 'large']);
});

test('forgets what it held when it is cleared', () => {
  const chunk = threePieces();
  chunk.clear();
  expect([chunk.pieces, chunk.bytes.length, chunk.startOf(0), chunk.count, chunk.piecesWithin(Infinity)]).toEqual([
    0, 0, 0, 0, 0,
  ]);
});
