import { expect, test } from '@jest/globals';
import { Packet } from '../../src/output/packet.js';

/** A packet of a head that counts nothing, a group and a cluster of three groups. */
function threePieces(): Packet {
  const packet = new Packet();
  packet.add({ bytes: Buffer.from('head\n'), count: 0, origin: {} });
  packet.add({ bytes: Buffer.from('group\n'), count: 1, origin: { line: 7 } });
  packet.add({ bytes: Buffer.from('the records of three groups\n'), count: 3, origin: { line: 10 } });
  return packet;
}

test('knows where each piece begins, and the groups and the line at the end', () => {
  const packet = threePieces();
  expect(packet).toMatchObject({ pieces: 3, count: 4, last: { line: 10 } });
  expect([0, 1, 2, 3].map((piece) => packet.startOf(piece))).toEqual([0, 5, 11, 39]);
});

test('some of its pieces are a packet like any other', () => {
  const packet = threePieces();
  const all = packet.bytes.toString();
  for (const from of [0, 1, 2, 3]) {
    for (const until of [0, 1, 2, 3].filter((piece) => piece >= from)) {
      const part = packet.slice(from, until);
      const rest = packet.slice(until, 3);
      expect(packet.slice(0, from).bytes.toString() + part.bytes.toString() + rest.bytes.toString()).toBe(all);
      expect(packet.slice(0, from).count + part.count + rest.count).toBe(4);
      expect({ pieces: part.pieces, line: part.last.line }).toEqual({
        pieces: until - from,
        line: until > from ? [undefined, 7, 10][until - 1] : undefined,
      });
      expect(part.startOf(part.pieces)).toBe(part.bytes.length);
    }
  }
});

test('counts the pieces that a write cut short has left whole', () => {
  const packet = threePieces();
  expect([0, 4, 5, 10, 11, 38, 39, Infinity].map((bytes) => packet.piecesWithin(bytes))).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
});

test('takes a piece larger than its buffer by itself', () => {
  const packet = new Packet(4);
  expect([packet.fits(5), packet.fits(4)]).toEqual([true, true]);
  packet.add({ bytes: Buffer.from('large'), count: 1, origin: {} });
  expect([packet.fits(1), packet.bytes.toString()]).toEqual([false, 'large']);
});

test('forgets what it held when it is cleared', () => {
  const packet = threePieces();
  packet.clear();
  expect([packet.pieces, packet.bytes.length, packet.startOf(0), packet.count, packet.piecesWithin(Infinity)]).toEqual([
    0, 0, 0, 0, 0,
  ]);
});
