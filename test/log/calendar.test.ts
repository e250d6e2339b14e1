import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isDigit, localSecondOf, twoDigits } from '../../src/log/timestamp.js';

describe('localSecondOf', () => {
  test('is what Date says of any time from the year 0 to 9999', () => {
    const time = fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true });
    fc.assert(
      fc.property(time, (at) => {
        const date = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()] as const;
        const clock = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()] as const;
        expect(localSecondOf(...date, ...clock)).toBe(Math.floor(at.getTime() / 1000));
      }),
    );
  });

  test.each([
    [2024, 2, 29],
    [2000, 2, 29],
    [2025, 1, 31],
    [2025, 12, 31],
    [2024, 3, 1],
  ])('%i-%i-%i exists', (year, month, day) => {
    expect(localSecondOf(year, month, day, 23, 59, 59)).toBe(Date.UTC(year, month - 1, day, 23, 59, 59) / 1000);
  });

  test.each([
    [2025, 2, 29],
    [2100, 2, 29],
    [2024, 2, 30],
    [2024, 4, 31],
    [2024, 13, 29],
    [2024, 0, 29],
    [2025, 1, 0],
    [2025, 1, 32],
    [2025, NaN, 1],
    [NaN, 1, 1],
  ])('%d-%d-%d does not exist', (year, month, day) => {
    expect(localSecondOf(year, month, day, 0, 0, 0)).toBeNaN();
  });

  test.each([
    [24, 0, 0],
    [0, 60, 0],
    [0, 0, 60],
    [NaN, 0, 0],
  ])('%d:%d:%d does not exist', (hour, minute, second) => {
    expect(localSecondOf(2025, 5, 18, hour, minute, second)).toBeNaN();
  });
});

test.each([
  ['07', 0, 7],
  ['x90', 1, 90],
  ['0/', 0, NaN],
  [':0', 0, NaN],
  ['7', 0, NaN],
])('two digits of %j at %i are %d', (text, at, number) => {
  expect(twoDigits(text, at)).toBe(number);
});

test('digits are the ten of ASCII', () => {
  const digits = Array.from({ length: 256 }, (_, code) => code).filter(isDigit);
  expect(String.fromCharCode(...digits)).toBe('0123456789');
});
