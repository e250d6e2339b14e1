import { expect, test } from '@jest/globals';
import { IANAZone } from 'luxon';
import { Zone } from '../../src/log/zone.js';

/** Two minutes of luxon: too long for every run of the suite. */
const TIMEOUT_MS = 600_000;

const HOUR = 3600;
const FIRST = 0;
const LAST = Date.UTC(2100, 0) / 1000;

test.each([
  'Europe/Warsaw',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Antarctica/Troll',
  'Asia/Gaza',
  'Asia/Kolkata',
  'Asia/Tehran',
  'Australia/Lord_Howe',
  'Pacific/Apia',
])(
  'every hour of 1970 to 2100 in %s has the offset of luxon',
  (name) => {
    const zone = new Zone(name);
    const luxonZone = IANAZone.create(name);
    const wrong: number[] = [];
    for (let second = FIRST; second < LAST; second += HOUR) {
      if (zone.offsetAt(second) !== Math.round(luxonZone.offset(second * 1000) * 60)) wrong.push(second);
    }
    expect(wrong).toEqual([]);
  },
  TIMEOUT_MS,
);
