import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { zoneNamed } from '../../src/log/zone.js';
import { formatTimestamp, formatUtcOffset } from '../../src/log/timestamp.js';
import { parseInstant } from '../../src/requests/instant.js';
import { millisecond, ZONES } from '../support/arbitraries.js';

const WARSAW = zoneNamed('Europe/Warsaw');

describe('parseInstant', () => {
  test.each([
    // 10:00 UTC: in ISO 8601 with an offset, on the wall clock of the deployment, as in its log and an access log, in Unix time
    ...[
      '2025-05-18T10:00:00Z 2025-05-18T10:00Z 2025-05-18T12:00:00+0200 2025-05-18T04:30:00-05:30'.split(' '),
      ['2025-05-18T12:00:00', '2025-05-18 12:00', '18-May-2025 12:00:00 +0200', '18/May/2025:12:00:00 +0200', '1747562400'],
    ].flatMap((texts) => texts.map((text) => [text, '2025-05-18T10:00:00.000Z'])),
    // ISO 8601 with an offset
    ['2025-05-18 12:00:00.250+02:00', '2025-05-18T10:00:00.250Z'],
    ['2025-05-18T12:00:00+01:59', '2025-05-18T10:01:00.000Z'],
    ['2025-05-18T10:00:00.1239999999Z', '2025-05-18T10:00:00.123Z'],
    ['2025-05-18T10:00:00.5Z', '2025-05-18T10:00:00.500Z'],
    ['2025-05-18Z', '2025-05-18T00:00:00.000Z'],
    ['2025-05-18T00:00:00+14:00', '2025-05-17T10:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    // the wall clock of the deployment
    ['2025-05-18', '2025-05-17T22:00:00.000Z'],
    ['2025-12-18T12:00:00.75', '2025-12-18T11:00:00.750Z'],
    ['2025-10-26T02:30:00', '2025-10-26T00:30:00.000Z'],
    // the log's own, and an access log's
    ['31/Dec/2024:19:00:00 -0500', '2025-01-01T00:00:00.000Z'],
    // Unix time: all digits, always
    ['1747562400.25', '2025-05-18T10:00:00.250Z'],
    ['1747562400.9999', '2025-05-18T10:00:00.999Z'],
    ['1747562400123', '2025-05-18T10:00:00.123Z'],
    ['1747562400123.9', '2025-05-18T10:00:00.123Z'],
    ['0', '1970-01-01T00:00:00.000Z'],
    ['2025', '1970-01-01T00:33:45.000Z'],
    ['253402297199', '9999-12-31T22:59:59.000Z'],
  ])('%s is %s', (text, expected) => {
    const instant = parseInstant(text, WARSAW);
    expect(typeof instant === 'number' ? new Date(instant).toISOString() : instant).toBe(expected);
  });

  const REFUSED = {
    'is not a timestamp': [
      '|12:00|2025-05|2025-W20-7|20250518T120000Z|2025-05-18T12|2025-05-18t12:00:00z|2025-05-18T12:00:00.Z|2025-05-18T12:00:00+02',
      '2025-05-18T12:00:00 Z|2025-05-18T10:00:00ZZ|2025-05-18T10:00:00+02:000|2025-05/18T10:00:00Z|2025-05-18T10-00:00Z',
      ' 2025-05-18T12:00:00Z|2025-05-18T12:00:00Z\n|-1|1747562400.|18-May-2025 12:00:00|2025-05-18T12:00:00 CEST',
      '[18/May/2025:12:00:00 +0200]',
    ],
    'is not a valid time': [
      '2025-02-29T00:00:00Z|2025-13-01T00:00:00Z|2025-00-10T00:00:00Z|2025-04-31T00:00:00Z|2025-05-18T24:00:00Z',
      '2025-05-18T12:60:00Z|2025-05-18T12:00:60Z|2025-05-18T12:00:00+14:01|2025-05-18T12:00:00+01:60',
      '18-Mai-2025 12:00:00 +0200|31/Jun/2025:12:00:00 +0200',
    ],
    'does not exist in the time zone': ['2025-03-30T02:30:00'],
    'is before 1970': ['1969-12-31T23:59:59Z|1970-01-01T00:00:00|0001-01-01T00:00:00|0000-01-01T00:00:00Z'],
    'is after the year 9999': ['9999-12-31T23:30:00Z|253402297200|99999999999999', '9'.repeat(400)],
  };
  const refusals = Object.entries(REFUSED).flatMap(([problem, lines]) =>
    lines.flatMap((line) => line.split('|').map((text) => [text, problem] as const)),
  );

  test.each(refusals)('%j: %s', (text, problem) => {
    expect(parseInstant(text, WARSAW)).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  test.each([
    ['America/New_York', '1969-12-31T18:59:59', 'is before 1970'],
    ['America/New_York', '1969-12-31T19:00:00', undefined],
  ])('on the clocks of %s, %j: %s', (name, text, problem) => {
    const instant = parseInstant(text, zoneNamed(name));
    if (problem === undefined) expect(instant).toBe(0);
    else expect(instant).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  test.each([
    ['2025-10-26T00:00:00Z', '2025-10-26T00:30:00Z'],
    ['2025-10-26T00:30:00Z', '2025-10-26T00:30:00Z'],
    ['2025-10-26T00:30:01Z', '2025-10-26T01:30:00Z'],
    ['2025-10-26T01:15:00Z', '2025-10-26T01:30:00Z'],
    ['2025-10-26T05:00:00Z', '2025-10-26T01:30:00Z'],
  ])('02:30 in the autumn hour after a row at %s is %s', (before, expected) => {
    expect(parseInstant('2025-10-26T02:30:00', WARSAW, Date.parse(before) / 1000)).toBe(Date.parse(expected));
  });

  test('reads back any instant in every form that shows it', () => {
    fc.assert(
      fc.property(millisecond, fc.constantFrom(...ZONES), (at, name) => {
        const zone = zoneNamed(name);
        const second = Math.floor(at / 1000);
        const offset = zone.offsetAt(second);
        fc.pre(offset % 60 === 0);
        const iso = new Date(at).toISOString();
        const shown = `${formatTimestamp(second, offset)} ${formatUtcOffset(offset)}`;
        expect(parseInstant(iso, zone)).toBe(at);
        expect(parseInstant(iso.replace('T', ' '), zone)).toBe(at);
        expect(parseInstant(`${String(second)}.${iso.slice(20, 23)}`, zone)).toBe(at);
        expect(parseInstant(shown, zone)).toBe(second * 1000);
        expect(parseInstant(shown.replaceAll(/-(?=.*:)/g, '/').replace(' ', ':'), zone)).toBe(second * 1000);
        const wall = new Date(at + offset * 1000).toISOString().slice(0, -1);
        expect(parseInstant(wall, zone, second)).toBe(at);
      }),
    );
  });
});
