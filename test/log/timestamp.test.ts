import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { createDeployment } from '../../src/log/deployment.js';
import {
  formatStamp,
  formatTimestamp,
  formatUtcOffset,
  localSecondOf,
  parseTimestamp,
  parseUtcOffset,
  stampAt,
} from '../../src/log/timestamp.js';
import { millisecond, ZONES } from '../support/arbitraries.js';

function stamp(millisecond: number, timezone: string): string {
  return formatStamp(stampAt(Math.floor(millisecond / 1000), createDeployment({ timezone })));
}

describe('stampAt', () => {
  test.each([
    ['2025-05-18T10:00:00Z', 'Europe/Warsaw', '18-May-2025 12:00:00 +0200'],
    ['2025-03-30T00:59:59Z', 'Europe/Warsaw', '30-Mar-2025 01:59:59 +0100'],
    ['2025-03-30T01:00:00Z', 'Europe/Warsaw', '30-Mar-2025 03:00:00 +0200'],
    ['2025-10-26T00:59:59Z', 'Europe/Warsaw', '26-Oct-2025 02:59:59 +0200'],
    ['2025-10-26T01:00:00Z', 'Europe/Warsaw', '26-Oct-2025 02:00:00 +0100'],
    ['2025-05-18T10:00:00Z', 'America/St_Johns', '18-May-2025 07:30:00 -0230'],
    ['1970-01-01T00:00:00Z', 'America/New_York', '31-Dec-1969 19:00:00 -0500'],
    ['9999-12-31T23:59:59Z', 'UTC', '31-Dec-9999 23:59:59 +0000'],
    ['0000-01-01T00:00:00Z', 'UTC', '01-Jan-0000 00:00:00 +0000'],
    ['1971-01-01T00:44:30Z', 'Africa/Monrovia', '01-Jan-1971 00:00:00 -0044'],
    ['2011-12-30T09:59:59Z', 'Pacific/Apia', '29-Dec-2011 23:59:59 -1000'],
    ['2011-12-30T10:00:00Z', 'Pacific/Apia', '31-Dec-2011 00:00:00 +1400'],
  ])('2.1 shows %s in %s as %s', (iso, timezone, expected) => {
    expect(stamp(Date.parse(iso), timezone)).toBe(expected);
  });

  test('agrees with luxon at any second in any zone', () => {
    fc.assert(
      fc.property(millisecond, fc.constantFrom(...ZONES), (at, timezone) => {
        const local = DateTime.fromMillis(at, { zone: timezone, locale: 'en-US' });
        // Before 1972 some zones had offsets of no whole minute, which luxon rounds down and PHP towards zero.
        fc.pre(local.offset % 1 === 0);
        expect(stamp(at, timezone)).toBe(local.toFormat('dd-MMM-yyyy HH:mm:ss ZZZ'));
      }),
      { numRuns: 75 },
    );
  });
});

describe('formatUtcOffset', () => {
  test.each([
    [0, '+0000'],
    [7200, '+0200'],
    [-12_600, '-0330'],
    [45_900, '+1245'],
    [-2670, '-0044'],
    [1172, '+0019'],
  ])('%d seconds are %s', (offset, expected) => {
    expect(formatUtcOffset(offset)).toBe(expected);
  });

  test.each([NaN, Infinity, -360_000])('refuses %d', (offset) => {
    expect(() => formatUtcOffset(offset)).toThrow(new RangeError(`no record can show the offset ${String(offset)}`));
  });
});

test.each([
  [0.5, 0],
  [NaN, 0],
  [Date.parse('0000-01-01T00:00:00Z') / 1000 - 1, 0],
  [Date.UTC(9999, 11, 31, 23, 59, 59) / 1000, 1],
])('formatTimestamp refuses %d at the offset %d', (second, offset) => {
  expect(() => formatTimestamp(second, offset)).toThrow(new RangeError(`no record can show the second ${String(second)}`));
});

test('2.1 parseTimestamp reads the timestamp at a place, and nothing else', () => {
  expect(parseTimestamp('[18-May-2025 12:34:56 ', 1)).toBe(Date.UTC(2025, 4, 18, 12, 34, 56) / 1000);
  const others =
    '18/May-2025 12:34:56,18-May/2025 12:34:56,18-May-2025:12:34:56,18-May-2025 12-34:56,18-May-2025 12:34-56,' +
    '18-may-2025 12:34:56,18-May-20x5 12:34:56,18-May-2025 0/:34:56,18-May-2025 :0:34:56,18-May-2025 12:34,';
  for (const text of others.split(',')) expect([text, parseTimestamp(text, 0)]).toEqual([text, NaN]);
});

test.each([
  ['+0000', 0],
  ['+0230', 9000],
  ['-0230', -9000],
  ['+9999', 99 * 3600 + 99 * 60],
  ['x0230', NaN],
  ['0230', NaN],
  ['+02:3', NaN],
  ['+023', NaN],
])('2.1 the UTC offset %j is %d seconds', (text, offset) => {
  expect(parseUtcOffset(`[${text}`, 1)).toBe(offset);
});

describe('localSecondOf', () => {
  test('is what Date says of any time from the year 0 to 9999', () => {
    const time = fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.oneof(time, fc.constantFrom(new Date('2024-02-29'), new Date('2000-02-29'))), (at) => {
        const date = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()] as const;
        const clock = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()] as const;
        expect(localSecondOf(...date, ...clock)).toBe(Math.floor(at.getTime() / 1000));
      }),
    );
  });

  test.each(
    [
      ...['2025-2-29', '2100-2-29', '2024-2-30', '2024-4-31', '2024-13-29', '2024-0-29', '2025-1-0', '2025-x-1', 'x-1-1'],
      ...['2025-5-18-24', '2025-5-18-0-60', '2025-5-18-0-0-60', '2025-5-18-x'],
    ].map((text) => [text]),
  )('%s does not exist', (text) => {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = text.split('-').map(Number);
    expect(localSecondOf(year, month, day, hour, minute, second)).toBeNaN();
  });
});
