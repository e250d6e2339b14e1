import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatTimestamp, formatUtcOffset } from '../../src/log/timestamp.js';
import { StampReader } from '../../src/reading/stamp-reader.js';

const NOON = Date.UTC(2025, 4, 18, 10) / 1000;

/** What a reader that has read some stamps gives of the last one. */
function readLast(stamps: readonly string[]): object {
  const reader = new StampReader();
  for (const stamp of stamps) reader.read(Buffer.from(`at[${stamp}]: PHP`, 'latin1'), 2);
  const { timestamp, utcOffset, localSecond, second } = reader;
  return { timestamp, utcOffset, localSecond, second };
}

test.each([
  ['a stamp', ['18-May-2025 12:00:00 +0200'], NOON],
  ['the same stamp again', ['18-May-2025 12:00:00 +0200', '18-May-2025 12:00:00 +0200'], NOON],
  ['another second of the minute', ['18-May-2025 12:00:59 +0200', '18-May-2025 12:00:08 +0200'], NOON + 8],
  ['the same second at another offset', ['18-May-2025 12:00:00 +0200', '18-May-2025 12:00:00 +0100'], NOON + 3600],
  ['the next minute', ['18-May-2025 12:00:59 +0200', '18-May-2025 12:01:00 +0200'], NOON + 60],
  ['a second that does not exist', ['18-May-2025 12:00:00 +0200', '18-May-2025 12:00:60 +0200'], NaN],
  ['a second behind one that does not exist', ['18-May-2025 12:00:60 +0200', '18-May-2025 12:00:07 +0200'], NOON + 7],
  ['a second that is not two digits', ['18-May-2025 12:00:00 +0200', '18-May-2025 12:00:0x +0200'], NaN],
  ['tens that are not a digit', ['18-May-2025 12:00:00 +0200', '18-May-2025 12:00:/0 +0200'], NaN],
  ['ones that are not a digit', ['18-May-2025 12:00:00 +0200', '18-May-2025 12:00:0/ +0200'], NaN],
  ['tens that are behind the digits', ['18-May-2025 12:00:00 +0200', '18-May-2025 12:00::0 +0200'], NaN],
  ['the last second of a minute', ['18-May-2025 12:00:00 +0200', '18-May-2025 12:00:59 +0200'], NOON + 59],
  [
    'three seconds of a minute',
    ['18-May-2025 12:00:10 +0200', '18-May-2025 12:00:21 +0200', '18-May-2025 12:00:32 +0200'],
    NOON + 32,
  ],
  ['an offset that does not exist', ['18-May-2025 12:00:00 +0200', '18-May-2025 12:00:01 x0200'], NaN],
  ['a day that does not exist', ['30-Feb-2025 12:00:00 +0200', '30-Feb-2025 12:00:01 +0200'], NaN],
])('StampReader: %s', (_what, stamps, second) => {
  expect(readLast(stamps)).toMatchObject({ second });
  expect(readLast(stamps)).toEqual(readLast(stamps.slice(-1)));
});

test('StampReader gives the texts of a stamp, and its time with and without its offset', () => {
  const stamp = { timestamp: '18-May-2025 12:00:08', utcOffset: '+0200', localSecond: NOON + 7208, second: NOON + 8 };
  expect(readLast(['18-May-2025 12:00:08 +0200'])).toEqual(stamp);
  expect(readLast(['18-May-2025 12:00:59 +0200', '18-May-2025 12:00:08 +0200'])).toEqual(stamp);
});

test('StampReader reads a stamp at the beginning of a block, and another one elsewhere in it', () => {
  const reader = new StampReader();
  const block = Buffer.from('[18-May-2025 12:00:00 +0200]: x\n[18-May-2025 12:00:07 +0200]');
  const seconds = [0, 32, 0].map((at) => {
    reader.read(block, at);
    return reader.second;
  });
  expect(seconds).toEqual([NOON, NOON + 7, NOON]);
});

test('StampReader does not read a stamp like the last one again, and of one in the same minute only the timestamp', () => {
  const stamps = ['12:00:00', '12:00:00', '12:00:07', '12:00:19', '12:00:19', '12:01:19', '12:01:18'];
  const block = Buffer.from(stamps.map((time) => `[18-May-2025 ${time} +0200]: x\n`).join(''));
  const toText = block.toString.bind(block);
  const lengths: number[] = [];
  block.toString = (encoding, from = 0, until = block.length) => {
    lengths.push(until - from);
    return toText(encoding, from, until);
  };
  const reader = new StampReader();
  const texts = stamps.map((_, index) => {
    lengths.length = 0;
    reader.read(block, index * 32);
    return [reader.timestamp.slice(-8), ...lengths];
  });
  const stamp = '[18-May-2025 12:00:00 +0200'.length;
  const timestamp = '18-May-2025 12:00:00'.length;
  expect(texts).toEqual([
    ['12:00:00', stamp, timestamp],
    ['12:00:00'],
    ['12:00:07', timestamp],
    ['12:00:19', timestamp],
    ['12:00:19'],
    ['12:01:19', stamp, timestamp],
    ['12:01:18', timestamp],
  ]);
});

test('StampReader gives of a stamp the same whatever stamps came before', () => {
  const stamp = fc
    .tuple(fc.integer({ min: NOON, max: NOON + 200 }), fc.constantFrom(7200, 7200, 3600, -1800))
    .map(([second, offset]) => `${formatTimestamp(second, offset)} ${formatUtcOffset(offset)}`);
  const broken = fc
    .tuple(stamp, fc.nat({ max: 25 }), fc.constantFrom('6', '9', ':', '\xff', 'x'))
    .map(([text, at, byte]) => text.slice(0, at) + byte + text.slice(at + 1));
  fc.assert(
    fc.property(fc.array(fc.oneof(stamp, broken), { minLength: 1, maxLength: 8 }), (stamps) => {
      expect(readLast(stamps)).toEqual(readLast(stamps.slice(-1)));
    }),
  );
});
