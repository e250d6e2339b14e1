import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  findNumber,
  findWholeNumber,
  parseCount,
  parseDuration,
  parsePositive,
  parseSize,
} from '../../../src/cli/options/quantities.js';

describe('a number', () => {
  test.each([
    ['0', 0],
    ['007', 7],
    ['0.5', 0.5],
    ['1e6', 1_000_000],
    ['2.5E3', 2500],
    ['10k', 10_000],
    ['10K', 10_000],
    ['5M', 5_000_000],
    ['2G', 2_000_000_000],
    ['1.1k', 1100],
    ['1.0000001G', 1_000_000_100],
  ])('%s is %d', (text, value) => {
    expect(findNumber(text)).toBe(value);
  });

  test.each([
    '',
    ' 1',
    '1 ',
    '-1',
    '+1',
    '.5',
    '1.',
    '1e',
    '1e-3',
    '1e6k',
    '1kk',
    '10m',
    '10Ki',
    '0x10',
    '1_000',
    '1,000',
    'NaN',
  ])('%j is none', (text) => {
    expect(findNumber(text)).toBeUndefined();
  });

  test('with a suffix is the number that it stands for, whatever the number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 3 }), (digits, places) => {
        const text = (digits / 10 ** places).toFixed(places);
        expect(findNumber(`${text}k`)).toBe(digits * 10 ** (3 - places));
        expect(findNumber(`${text}M`)).toBe(digits * 10 ** (6 - places));
        expect(findNumber(`${text}e9`)).toBe(digits * 10 ** (9 - places));
      }),
    );
  });

  test.each(['1.5', '1.2345k', '1e16', '9007199254740992'])('%s is no whole number that is exact', (text) => {
    expect(findWholeNumber(text)).toBeUndefined();
  });

  test.each([
    ['10k', 10_000],
    ['1.5k', 1500],
    ['forever', Infinity],
  ])('the count %s is %d', (text, count) => {
    expect(parseCount('--count', text, 0)).toBe(count);
  });

  test('a rate may have a suffix', () => {
    expect(parsePositive('--rate', '2.5k')).toBe(2500);
    expect(() => parsePositive('--rate', '0k')).toThrow('--rate: "0k" is no decimal number above 0;');
  });
});

describe('a duration', () => {
  test.each([
    ['1ms', 1],
    ['500ms', 500],
    ['90s', 90_000],
    ['15m', 900_000],
    ['1h', 3_600_000],
    ['7d', 604_800_000],
    ['1.5h', 5_400_000],
    ['0.0015s', 2],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(parseDuration('--duration', text)).toBe(milliseconds);
  });

  test.each(['', '5', '0s', '0.4ms', '-1s', '1 s', '1S', '1M', '1w', '1h30m', 'PT1H', '1e3s', 's', '999999999999d', '1toString'])(
    '%j is none',
    (text) => {
      const message = `--duration: "${text}" is not a duration; give one such as 500ms, 90s, 15m, 1h or 7d`;
      expect(() => parseDuration('--duration', text)).toThrow(message);
    },
  );
});

describe('a size', () => {
  test.each([
    ['4096', 4096],
    ['1B', 1],
    ['64KiB', 65_536],
    ['10kB', 10_000],
    ['10KB', 10_000],
    ['10MB', 10_000_000],
    ['1.5MiB', 1_572_864],
    ['2GB', 2_000_000_000],
    ['1TiB', 1_099_511_627_776],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseSize('--rotate', text)).toBe(bytes);
  });

  // 10M is 10 MB to some programs and 10 MiB to others.
  test.each(['', '0', '0.4B', '-1', '10M', '10k', '1 MB', '1mb', '1Mib', '1e6', '99999TiB', '1constructor'])(
    '%j is none',
    (text) => {
      const message = `--rotate: "${text}" is not a size; give one such as 64KiB, 10MB or 2GB`;
      expect(() => parseSize('--rotate', text)).toThrow(message);
    },
  );
});
