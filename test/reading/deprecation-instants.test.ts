import { describe, expect, test } from '@jest/globals';
import { DeprecationInstants } from '../../src/reading/deprecation-instants.js';

const local = (text: string): number => Date.parse(`${text}Z`) / 1000;
const second = (text: string): number => Date.parse(text) / 1000;
const at = (timezoneName: string, localSecond: number) => ({ timezoneName, localSecond });

describe('DeprecationInstants', () => {
  test.each([
    ['a time that clocks show once', 'Europe/Warsaw', '2025-05-18T12:00:00', ['2025-05-18T10:00:00Z']],
    ['the autumn hour', 'Europe/Warsaw', '2025-10-26T02:30:00', ['2025-10-26T00:30:00Z', '2025-10-26T01:30:00Z']],
    ['the gap of spring', 'Europe/Warsaw', '2025-03-30T02:30:00', []],
    ['a zone that is none', 'Mars/Olympus', '2025-05-18T12:00:00', []],
    ['a bare offset', '+02:00', '2025-05-18T12:00:00', []],
    ['the first second of 1970, on clocks behind UTC', 'America/New_York', '1969-12-31T19:00:00', ['1970-01-01T00:00:00Z']],
    ['a time before 1970', 'Etc/UTC', '1969-12-31T23:59:59', []],
  ])('%s', (_what, zone, time, instants) => {
    expect(new DeprecationInstants().secondsOf(at(zone, local(time)))).toEqual(instants.map(second));
  });

  test.each([
    ['the first known zone of a log, and no other', ['Europe/Warsaw', 'Asia/Kolkata'], 7200],
    ['that behind unknown names', Array.from({ length: 99 }, (_, name) => `Mars/${String(name)}`), 7200],
    ['none behind too many of them', Array.from({ length: 100 }, (_, name) => `Mars/${String(name)}`), undefined],
  ])('knows %s', (_what, names, offset) => {
    const reader = new DeprecationInstants();
    const noon = local('2025-05-18T12:00:00');
    const seconds = [...names, 'Europe/Warsaw'].map((name) => reader.secondsOf(at(name, noon)));
    expect(seconds.at(-1)).toEqual(offset === undefined ? [] : [noon - offset]);
    expect(seconds.slice(1, -1).flat()).toEqual([]);
  });
});
