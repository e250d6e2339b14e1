import { describe, expect, test } from '@jest/globals';
import { digestBytes, equalLines, type Digest } from '../../src/compare/digest.js';

const digestOf = (bytes: Buffer): Digest => {
  const digest = { low: 0, high: 0, exact: 0 };
  digestBytes(bytes, 0, bytes.length, digest);
  return digest;
};

describe('digestBytes', () => {
  test.each(['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'a record of some length'])(
    'each bit of %p, and each NUL behind it, changes about half of the bits of the digest',
    (text) => {
      const record = Buffer.from(text);
      const { low, high } = digestOf(record);
      const changed = (other: Buffer): number => {
        const digest = digestOf(other);
        return bitsOf(digest.low ^ low) + bitsOf(digest.high ^ high);
      };
      const flipped = Array.from({ length: 8 * record.length }, (_, bit) => {
        const other = Buffer.from(record);
        other[bit >>> 3] = (other[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
        return changed(other);
      });
      const longer = [1, 2, 3, 4, 5].map((count) => changed(Buffer.concat([record, Buffer.alloc(count)])));
      const counts = [...flipped, ...longer];
      expect(Math.min(...counts)).toBeGreaterThan(14);
      expect(counts.reduce((sum, count) => sum + count, 0) / counts.length).toBeGreaterThan(28);
    },
  );

  test.each([
    { text: '', low: 451_841_411, high: 1_217_125_560 },
    { text: 'a', low: -2_100_725_503, high: 1_344_023_463 },
    { text: 'abcd', low: -1_844_499_507, high: -731_011_359 },
    { text: 'a record of some length', low: 944_511_715, high: -486_527_262 },
  ])('the digest of %j is as it was: another mixing of bytes would have to be judged anew', ({ text, low, high }) => {
    expect(digestOf(Buffer.from(text))).toMatchObject({ low, high });
  });

  const bitsOf = (value: number): number => (value >>> 0).toString(2).replaceAll('0', '').length;
});

describe('equalLines', () => {
  const LINES = 'some line\n'.repeat(2000);

  test.each([
    { what: 'nothing', first: '', second: '', equal: 0 },
    { what: 'unlike beginnings', first: 'a\n', second: 'b\n', equal: 0 },
    { what: 'equal lines', first: 'a\nbc\n', second: 'a\nbc\n', equal: 5 },
    { what: 'a line that differs in its last byte', first: 'a\nbcd\ne\n', second: 'a\nbcx\ne\n', equal: 2 },
    { what: 'a line that differs in its first byte', first: 'a\nbcd\n', second: 'a\nxcd\n', equal: 2 },
    { what: 'an equal line that is longer in the other', first: 'a\nbc\n', second: 'a\nbcd\n', equal: 2 },
    { what: 'no whole line', first: 'abc', second: 'abc', equal: 0 },
  ])('$what: $equal bytes, wherever they stand', ({ first, second, equal }) => {
    for (const before of ['', 'x', '\n', 'x\ny']) {
      expect(equalLines(Buffer.from(before + first), before.length, Buffer.from(`${before}\n${second}`), before.length + 1)).toBe(
        equal,
      );
    }
  });

  test.each([0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 12_287, 12_288, 12_289, 16_000, 19_999])(
    'lines that differ at byte %i are equal up to the line before',
    (place) => {
      const first = Buffer.from(LINES);
      const second = Buffer.from(`behind\n${LINES}`);
      second[7 + place] = 0x58;
      expect(equalLines(first, 0, second, 7)).toBe(place - (place % 10));
    },
  );
});
