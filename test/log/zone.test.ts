import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { IANAZone } from 'luxon';
import { isZoneName, Zone, zoneNamed } from '../../src/log/zone.js';
import { ZONES } from '../support/arbitraries.js';

describe('Zone', () => {
  test('knows the offset of luxon at any second, in any order of asking', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.array(fc.integer({ min: 0, max: Date.UTC(2100, 0) / 1000 }), { minLength: 1, maxLength: 50 }),
        (name, seconds) => {
          const zone = new Zone(name);
          for (const second of seconds)
            expect(zone.offsetAt(second)).toBe(Math.round(IANAZone.create(name).offset(second * 1000) * 60));
        },
      ),
    );
  });

  test('knows more instants than it keeps', () => {
    const zone = new Zone('Europe/Warsaw');
    const offsetsOf = (): number[] => Array.from({ length: 4200 }, (_, index) => zone.offsetAt(index * 4 * 86_400));
    const offsets = offsetsOf();
    expect(new Set(offsets)).toEqual(new Set([3600, 7200]));
    expect(offsetsOf()).toEqual(offsets);
  });

  const local = (text: string): number => Date.parse(`${text}Z`) / 1000;

  test.each([
    ['Europe/Warsaw', '2025-03-30T01:59:59', ['2025-03-30T00:59:59Z']],
    ['Europe/Warsaw', '2025-03-30T02:00:00', []],
    ['Europe/Warsaw', '2025-03-30T02:59:59', []],
    ['Europe/Warsaw', '2025-03-30T03:00:00', ['2025-03-30T01:00:00Z']],
    ['Europe/Warsaw', '2025-10-26T01:59:59', ['2025-10-25T23:59:59Z']],
    ['Europe/Warsaw', '2025-10-26T02:00:00', ['2025-10-26T00:00:00Z', '2025-10-26T01:00:00Z']],
    ['Europe/Warsaw', '2025-10-26T02:59:59', ['2025-10-26T00:59:59Z', '2025-10-26T01:59:59Z']],
    ['Europe/Warsaw', '2025-10-26T03:00:00', ['2025-10-26T02:00:00Z']],
    ['Australia/Lord_Howe', '2025-04-06T01:45:00', ['2025-04-05T14:45:00Z', '2025-04-05T15:15:00Z']],
    ['Pacific/Apia', '2011-12-30T12:00:00', []],
    // By two hours, an hour behind the border of two cells.
    ['Antarctica/Troll', '2016-10-30T01:40:00', ['2016-10-29T23:40:00Z', '2016-10-30T01:40:00Z']],
    // At the border of two cells.
    ['Africa/Algiers', '1978-03-24T00:59:59', ['1978-03-23T23:59:59Z']],
    ['Africa/Algiers', '1978-03-24T01:00:00', []],
    ['Africa/Algiers', '1978-03-24T02:00:00', ['1978-03-24T00:00:00Z']],
    ['America/New_York', '1969-12-31T18:59:59', []],
    ['America/New_York', '1969-12-31T19:00:00', ['1970-01-01T00:00:00Z']],
    ['Europe/Warsaw', '1970-01-01T00:59:59', []],
    ['Europe/Warsaw', '0001-01-01T00:00:00', []],
  ])('in %s clocks show %s at %j', (name, shown, instants) => {
    expect(zoneNamed(name).instantsOf(local(shown))).toEqual(instants.map((iso) => Date.parse(iso) / 1000));
  });
});

test('zones are shared by name', () => {
  expect(zoneNamed('Asia/Kolkata')).toBe(zoneNamed('Asia/Kolkata'));
  const message = 'timezone is not a time zone that this Node knows; give an IANA name such as Europe/Warsaw';
  for (let time = 1; time <= 2; time += 1) expect(() => zoneNamed('Mars/Olympus')).toThrow(new RangeError(message));
});

test('local times mean the same instants in a zone that has been asked much and in a new one', () => {
  const near = fc.integer({ min: -3 * 86_400, max: 3 * 86_400 });
  const change = fc.constantFrom(
    Date.UTC(2016, 9, 30, 1),
    Date.UTC(2018, 9, 28, 1),
    Date.UTC(2016, 2, 27, 1),
    Date.UTC(2011, 11, 30, 10),
  );
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), change, fc.array(near, { maxLength: 20 }), (name, at, shifts) => {
      const zone = new Zone(name);
      for (const shift of shifts) {
        const local = at / 1000 + shift;
        expect(zone.instantsOf(local)).toEqual(new Zone(name).instantsOf(local));
      }
    }),
  );
});

test('names of zones are known in any case; offsets and paths are none', () => {
  const names = ['Europe/Warsaw', 'UTC', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires', 'EST5EDT', 'europe/warsaw'];
  const others = ['', 'Mars/Olympus', '+02:00', 'local', 'Europe/Warsaw\n', '../etc/passwd'];
  expect([...names, ...others].filter(isZoneName)).toEqual(names);
});
