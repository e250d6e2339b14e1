import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { zoneNamed } from '../../../src/log/zone.js';
import { PROFILES, trafficFrom } from '../../../src/requests/synth/traffic.js';
import { namesOf } from '../../../src/wording.js';
import { ZONES } from '../../support/arbitraries.js';

const HOUR_MS = 3_600_000;

describe('trafficFrom', () => {
  test('instantAt is the inverse of until, to the millisecond, for any profile and zone', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...namesOf(PROFILES)),
        fc.constantFrom(...ZONES),
        fc.integer({ min: 0, max: Date.UTC(2030, 0) }),
        fc.integer({ min: 0, max: 3 * 366 * 86_400_000 }),
        (profile, zone, from, after) => {
          const traffic = trafficFrom(profile, from, zoneNamed(zone));
          expect(traffic.instantAt(traffic.until(from + after))).toBe(from + after);
        },
      ),
      { numRuns: 50 },
    );
  });

  const officeHour = (zone: string, at: number): number => {
    const traffic = trafficFrom('office', at, zoneNamed(zone));
    return traffic.until(at + HOUR_MS) / HOUR_MS;
  };

  test.each([
    ['Europe/Warsaw', '2025-05-19T10:00:00+02:00', 20],
    ['Europe/Warsaw', '2025-05-19T03:00:00+02:00', 1],
    ['Europe/Warsaw', '2025-05-18T10:00:00+02:00', 4],
    ['Europe/Warsaw', '2025-01-20T10:00:00+01:00', 20],
    ['America/New_York', '2025-05-19T10:00:00-04:00', 20],
    ['Asia/Kolkata', '2025-05-19T10:00:00+05:30', 20],
    ['UTC', '1970-01-01T10:00:00Z', 20],
    ['UTC', '9999-12-24T10:00:00Z', 20],
  ])('office traffic in %s at %s', (zone, time, weight) => {
    expect(officeHour(zone, Date.parse(time))).toBe(weight);
  });

  test.each([
    // Sundays: the hours 1, 3, 4 … 9 of 30 March 2025, the hours 1, 2, 2, 3 … 9 of 26 October.
    ['2025-03-30T01:00:00+01:00', '2025-03-30T10:00:00+02:00', 1 + 13],
    ['2025-10-26T01:00:00+02:00', '2025-10-26T10:00:00+01:00', 1 + 2 + 13],
  ])('on days when clocks change, an hour counts as often as clocks show it: from %s', (from, until, weight) => {
    const traffic = trafficFrom('office', Date.parse(from), zoneNamed('Europe/Warsaw'));
    expect(traffic.until(Date.parse(until)) / HOUR_MS).toBe(weight);
  });
});
