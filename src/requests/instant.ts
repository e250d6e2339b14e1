import { isDigit, localSecondOf, parseTimestamp, twoDigits } from '../log/timestamp.js';
import { type Zone, zoneNamed } from '../log/zone.js';
import type { Refusal } from './request.js';
import { refuseOption } from '../errors.js';

const LOG = /^\d\d-[A-Za-z]{3}-\d{4} \d\d:\d\d:\d\d [+-]\d{4}$/;
const ACCESS_LOG = /^\d\d\/[A-Za-z]{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}$/;
const LOG_OFFSET_AT = 'DD-Mon-YYYY HH:MM:SS '.length;

const UNIX = /^(\d+)(?:\.(\d+))?$/;

/** Codes are compared faster than characters. */
const [DASH, COLON, SPACE, DOT, PLUS, LETTER_Z, LETTER_T] = Buffer.from('-: .+ZT');
const ZERO = 0x30;

const MAX_OFFSET_MINUTES = 14 * 60;
const LAST_LOCAL_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

const NO_TIMESTAMP: Refusal = {
  problem: 'is not a timestamp',
  remedy: 'give it as 2025-05-18T12:00:00+02:00, 18-May-2025 12:00:00 +0200, 18/May/2025:12:00:00 +0200 or Unix time',
};
const NO_SUCH_TIME: Refusal = { problem: 'is not a valid time', remedy: 'check date, time and offset' };
const BEFORE_1970: Refusal = { problem: 'is before 1970-01-01T00:00:00Z', remedy: 'give a later time' };
const AFTER_9999: Refusal = {
  problem: 'is after the year 9999',
  remedy: 'give an earlier time (Unix time in seconds, or with 13 digits in milliseconds)',
};
const IN_GAP: Refusal = {
  problem: 'does not exist in the time zone: clocks were set forward over it',
  remedy: 'give the UTC offset too',
};

/**
 * Parses a point in time in any form of a request list to Unix time in whole milliseconds.
 * @param notBefore a Unix second: a local time that exists twice (the autumn hour) is the first that is not before
 */
export function parseInstant(text: string, zone: Zone, notBefore = 0): number | Refusal {
  const instant = parseIso(text, zone, notBefore) ?? parseUnix(text) ?? parseLogTime(text, zone, notBefore) ?? NO_TIMESTAMP;
  if (typeof instant !== 'number') return instant;
  return checkInstant(instant, zone) ?? instant;
}

/** Refuses an instant (Unix time in milliseconds) before 1970, or after the year 9999 on the zone's clocks. */
export function checkInstant(instant: number, zone: Zone): Refusal | undefined {
  if (instant < 0) return BEFORE_1970;
  const second = Math.floor(instant / 1000);
  // Years after 275760 have no offset: `Date` cannot show them.
  if (second > LAST_LOCAL_SECOND + 86_400 || second + zone.offsetAt(second) > LAST_LOCAL_SECOND) return AFTER_9999;
  return undefined;
}

/** `YYYY-MM-DD[(T| )HH:MM[:SS[.fraction]]][Z|+HH[:]MM]`, by character codes for speed: most lists have this form. */
function parseIso(text: string, zone: Zone, notBefore: number): number | Refusal | undefined {
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return undefined;
  const hasTime = text.charCodeAt(10) === LETTER_T || text.charCodeAt(10) === SPACE;
  const hasSecond = hasTime && text.charCodeAt(16) === COLON;
  if (hasTime && text.charCodeAt(13) !== COLON) return undefined;
  const hour = hasTime ? twoDigits(text, 11) : 0;
  const minute = hasTime ? twoDigits(text, 14) : 0;
  const second = hasSecond ? twoDigits(text, 17) : 0;
  let at = hasSecond ? 19 : hasTime ? 16 : 10;
  let millisecond = 0;
  if (hasSecond && text.charCodeAt(at) === DOT) {
    at += 1;
    if (!isDigit(text.charCodeAt(at))) return undefined;
    for (let weight = 100; isDigit(text.charCodeAt(at)); at += 1, weight /= 10)
      millisecond += Math.floor(weight) * (text.charCodeAt(at) - ZERO);
  }
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const offset = parseOffset(text, at);
  if (offset === undefined || Number.isNaN(year + month + day + hour + minute + second)) return undefined;
  return resolve(localSecondOf(year, month, day, hour, minute, second), millisecond, offset, zone, notBefore);
}

function parseLogTime(text: string, zone: Zone, notBefore: number): number | Refusal | undefined {
  const isOfAccessLog = ACCESS_LOG.test(text);
  if (!isOfAccessLog && !LOG.test(text)) return undefined;
  const timestamp = isOfAccessLog ? text.replaceAll('/', '-').replace(':', ' ') : text;
  return resolve(parseTimestamp(timestamp, 0), 0, parseOffset(text, LOG_OFFSET_AT) ?? NaN, zone, notBefore);
}

function parseUnix(text: string): number | undefined {
  const match = UNIX.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  // Digits after the third of a fraction are dropped.
  return whole.length === 13 ? Number(whole) : Number(whole) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

/** The offset of a timestamp without one, which is on the clock of the zone. */
const WALL_CLOCK = Infinity;

/** The offset at the end of a text in seconds: WALL_CLOCK if nothing follows, NaN for more than 14 hours, undefined for anything else. */
function parseOffset(text: string, at: number): number | undefined {
  if (at === text.length) return WALL_CLOCK;
  const sign = text.charCodeAt(at);
  if (sign === LETTER_Z && at + 1 === text.length) return 0;
  const minutesAt = text.charCodeAt(at + 3) === COLON ? at + 4 : at + 3;
  if ((sign !== PLUS && sign !== DASH) || text.length !== minutesAt + 2) return undefined;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, minutesAt);
  if (Number.isNaN(hours + minutes)) return undefined;
  const total = hours * 60 + minutes;
  if (minutes > 59 || total > MAX_OFFSET_MINUTES) return NaN;
  return (sign === DASH ? -total : total) * 60;
}

function resolve(localSecond: number, millisecond: number, offset: number, zone: Zone, notBefore: number): number | Refusal {
  if (Number.isNaN(localSecond + offset)) return NO_SUCH_TIME;
  if (offset !== WALL_CLOCK) return (localSecond - offset) * 1000 + millisecond;
  const [first, second] = zone.instantsOf(localSecond);
  if (first === undefined) return localSecond < zone.offsetAt(0) ? BEFORE_1970 : IN_GAP;
  const meant = second !== undefined && first < notBefore ? second : first;
  return meant * 1000 + millisecond;
}

/**
 * A point in time: Unix time in milliseconds, or a text in any form that request lists accept, such as `2025-05-18T12:00:00+02:00`. A
 * text without an offset is on the clock of the deployment's zone. `now` is the moment at which the time is used.
 */
export type Time = number | string;

export function requireTime(value: unknown, name: string): void {
  if (typeof value === 'string' || Number.isFinite(value)) return;
  throw new TypeError(`${name} is not a time; give Unix time in milliseconds, or a text such as '2025-05-18T12:00:00+02:00'`);
}

/** Resolves a time to Unix time in whole milliseconds. @throws CallError that names the option */
export function resolveTime(key: string, time: Time, timezone: string): number {
  if (time === 'now') return Date.now();
  const zone = zoneNamed(timezone);
  const instant = typeof time === 'string' ? parseInstant(time, zone) : (checkInstant(time, zone) ?? Math.floor(time));
  if (typeof instant === 'number') return instant;
  throw refuseOption(key, String(time), instant.problem, instant.remedy);
}
