import { parseMonth } from '../log/timestamp.js';
import type { Zone } from '../log/zone.js';
import type { Fault } from './request.js';

/** `YYYY-MM-DD[(T| )HH:MM[:SS[.fraction]]][Z|+HH[:]MM]` */
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** The log's own `DD-Mon-YYYY HH:MM:SS +HHMM`, and an access log's `DD/Mon/YYYY:HH:MM:SS +HHMM`. */
const LOG = /^(\d\d)-([A-Za-z]{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-]\d{4})$/;
const ACCESS_LOG = /^(\d\d)\/([A-Za-z]{3})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})$/;

/** Unix time in seconds, or, with 13 digits, in milliseconds; what a millisecond does not show is cut. */
const UNIX = /^(\d+)(?:\.(\d+))?$/;

const MAX_OFFSET_MINUTES = 14 * 60;

/** The last local second that four digits of a year can show: 9999-12-31T23:59:59. */
const LAST_LOCAL_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

const NO_TIMESTAMP: Fault = {
  problem: 'is no timestamp',
  remedy: 'give it as 2025-05-18T12:00:00+02:00, 18-May-2025 12:00:00 +0200, 18/May/2025:12:00:00 +0200 or Unix time',
};
const NO_SUCH_TIME: Fault = { problem: 'is no time that exists', remedy: 'check date, time and offset' };
const BEFORE_1970: Fault = { problem: 'is before 1970-01-01T00:00:00Z', remedy: 'give a later time' };
const AFTER_9999: Fault = { problem: 'is after the year 9999', remedy: 'give an earlier time' };
const IN_GAP: Fault = {
  problem: 'does not exist in the time zone: clocks were set forward over it',
  remedy: 'give the offset from UTC with it',
};

/** A clock reading: seconds since 1970-01-01T00:00:00 as if it were UTC, and the milliseconds in that second. */
interface ClockReading {
  readonly localSecond: number;
  readonly millisecond: number;
  /** Offset from UTC in seconds; undefined for the wall clock of the deployment. */
  readonly offset: number | undefined;
}

/**
 * Reads a point in time in any of the forms that a request list may have.
 *
 * @param zone whose wall clock a local time is on
 * @param notBefore a Unix second: of a local time that exists twice (the autumn hour) the first is meant, unless it is before this;
 *   then the second
 * @returns Unix time in whole milliseconds, between 1970-01-01T00:00:00Z and the end of 9999 on the zone's clocks; or what is wrong
 */
export function parseInstant(text: string, zone: Zone, notBefore = 0): number | Fault {
  const instant = parseUnix(text) ?? resolve(parseIso(text) ?? parseLogTime(text) ?? NO_TIMESTAMP, zone, notBefore);
  if (typeof instant !== 'number') return instant;
  if (instant < 0) return BEFORE_1970;
  const second = Math.floor(instant / 1000);
  // A day more is far more than any offset: it keeps the zone from being asked about times that it has no notion of.
  if (second > LAST_LOCAL_SECOND + 86_400 || second + zone.offsetAt(second) > LAST_LOCAL_SECOND) return AFTER_9999;
  return instant;
}

function parseUnix(text: string): number | undefined {
  const match = UNIX.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction] = match;
  return whole.length === 13 ? Number(whole) : Number(whole) * 1000 + parseFraction(fraction);
}

function parseIso(text: string): ClockReading | Fault | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, offset] = match;
  return readClock(
    [year, month, day, hour, minute, second].map((field) => Number(field ?? 0)),
    parseFraction(fraction),
    offset,
  );
}

function parseLogTime(text: string): ClockReading | Fault | undefined {
  const match = LOG.exec(text) ?? ACCESS_LOG.exec(text);
  if (match === null) return undefined;
  const [, day, monthName, year, hour, minute, second, offset] = match;
  const month = parseMonth(monthName ?? '');
  if (month === undefined) return NO_SUCH_TIME;
  return readClock(
    [year, month, day, hour, minute, second].map((field) => Number(field)),
    0,
    offset,
  );
}

/** @param fields year, month (from 1), day, hour, minute, second */
function readClock(fields: readonly number[], millisecond: number, offset: string | undefined): ClockReading | Fault {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields;
  const date = new Date(0);
  // Unlike Date.UTC, this takes years below 100 for what they are.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  // What does not exist (30 February, 24:00, second 60) is carried over into the next field: then it reads otherwise.
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  if (!exists) return NO_SUCH_TIME;
  const offsetSeconds = offset === undefined ? undefined : parseOffset(offset);
  if (Number.isNaN(offsetSeconds)) return NO_SUCH_TIME;
  return { localSecond: date.getTime() / 1000, millisecond, offset: offsetSeconds };
}

/** `Z`, `+HHMM` or `+HH:MM` in seconds; NaN if it is more than 14 hours. */
function parseOffset(text: string): number {
  if (text === 'Z') return 0;
  const minutes = Number(text.slice(-2));
  const total = Number(text.slice(1, 3)) * 60 + minutes;
  if (minutes > 59 || total > MAX_OFFSET_MINUTES) return NaN;
  return (text.startsWith('-') ? -total : total) * 60;
}

/** The digits of a fraction of a second as milliseconds, cut. */
function parseFraction(digits: string | undefined): number {
  return digits === undefined ? 0 : Number(digits.slice(0, 3).padEnd(3, '0'));
}

function resolve(reading: ClockReading | Fault, zone: Zone, notBefore: number): number | Fault {
  if ('problem' in reading) return reading;
  const { localSecond, millisecond, offset } = reading;
  if (offset !== undefined) return (localSecond - offset) * 1000 + millisecond;
  // Before 1970 in every zone; zones are not asked about the times before standard time.
  if (localSecond < -86_400) return localSecond * 1000;
  const [first, second] = zone.instantsOf(localSecond);
  if (first === undefined) return IN_GAP;
  const meant = second !== undefined && first < notBefore ? second : first;
  return meant * 1000 + millisecond;
}
