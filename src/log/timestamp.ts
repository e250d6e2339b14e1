import type { Deployment } from './deployment.js';
import { zoneNamed } from './zone.js';

const ZERO = 0x30;
const NINE = 0x39;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const MONTH_NUMBERS: ReadonlyMap<string, number> = new Map(MONTHS.map((name, index) => [name, index + 1]));

/** The time that the records of a group show (2.1). Groups of a deployment differ only in stamp and descriptor. */
export interface Stamp {
  /** `DD-Mon-YYYY HH:MM:SS`, 20 characters. */
  readonly timestamp: string;
  /** `+HHMM`, 5 characters. */
  readonly utcOffset: string;
}

/** The stamp of a Unix second on the clocks of a deployment (2.1). */
export function stampAt(second: number, deployment: Pick<Deployment, 'timezone'>): Stamp {
  const offset = zoneNamed(deployment.timezone).offsetAt(second);
  return { timestamp: formatTimestamp(second, offset), utcOffset: formatUtcOffset(offset) };
}

/**
 * Formats an instant as `DD-Mon-YYYY HH:MM:SS` (2.1): English month, 24-hour clock, zero-padded.
 * @param second a Unix second
 * @param offset the offset from UTC in seconds, positive to the east
 * @throws RangeError for a second that is not a whole number, and for a local year outside 0 to 9999
 */
export function formatTimestamp(second: number, offset: number): string {
  const local = new Date((second + offset) * 1000);
  const year = local.getUTCFullYear();
  if (!Number.isInteger(second) || !(year >= 0 && year <= 9999))
    throw new RangeError(`no record can show the second ${String(second)}`);
  const date = `${pad(local.getUTCDate())}-${MONTHS[local.getUTCMonth()] ?? ''}-${String(year).padStart(4, '0')}`;
  return `${date} ${pad(local.getUTCHours())}:${pad(local.getUTCMinutes())}:${pad(local.getUTCSeconds())}`;
}

const OFFSET_END = 100 * 3600;

/**
 * Formats an offset from UTC as `+HHMM` or `-HHMM` (2.1). Seconds are cut off, towards zero, as PHP does.
 * @param offset in seconds, positive to the east
 * @throws RangeError for an offset that is not a number, or of 100 hours or more
 */
export function formatUtcOffset(offset: number): string {
  if (!(Math.abs(offset) < OFFSET_END)) throw new RangeError(`no record can show the offset ${String(offset)}`);
  const minutes = Math.floor(Math.abs(offset) / 60);
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}${pad(minutes % 60)}`;
}

export function formatStamp({ timestamp, utcOffset }: Stamp): string {
  return `${timestamp} ${utcOffset}`;
}

/** Formats a stamp in ISO 8601, `YYYY-MM-DDTHH:MM:SS+HH:MM`, with the same clock reading and offset. */
export function formatIso({ timestamp, utcOffset }: Stamp): string {
  const month = pad(parseMonth(timestamp.slice(3, 6)) ?? 0);
  const date = `${timestamp.slice(7, 11)}-${month}-${timestamp.slice(0, 2)}`;
  return `${date}T${timestamp.slice(12)}${utcOffset.slice(0, 3)}:${utcOffset.slice(3)}`;
}

/** Formats a Unix second in UTC, `YYYY-MM-DDTHH:MM:SS`; years outside 0 to 9999 have a sign and six digits. */
export function formatUtcSecond(second: number): string {
  return new Date(second * 1000).toISOString().slice(0, -'.mmmZ'.length);
}

/** Formats seconds one after the other: within a minute of a clock, only the last two digits change. */
export class MinuteText {
  readonly #format: (second: number, offset: number) => string;
  #minute = NaN;
  #text = '';

  /** @param format gives a text that ends in the second of the minute */
  constructor(format: (second: number, offset: number) => string) {
    this.#format = format;
  }

  format(second: number, offset = 0): string {
    const minute = Math.floor((second + offset) / 60);
    if (minute === this.#minute) return this.#text.slice(0, -'SS'.length) + pad(second + offset - minute * 60);
    this.#text = this.#format(second, offset);
    this.#minute = minute;
    return this.#text;
  }
}

/** The seconds since 1970 of the `DD-Mon-YYYY HH:MM:SS` (2.1) at an index of a text, as if it were UTC; NaN for anything else. */
export function parseTimestamp(text: string, at: number): number {
  const isSeparated =
    text[at + 2] === '-' && text[at + 6] === '-' && text[at + 11] === ' ' && text[at + 14] === ':' && text[at + 17] === ':';
  if (!isSeparated) return NaN;
  return localSecondOf(
    twoDigits(text, at + 7) * 100 + twoDigits(text, at + 9),
    parseMonth(text.slice(at + 3, at + 6)) ?? NaN,
    twoDigits(text, at),
    twoDigits(text, at + 12),
    twoDigits(text, at + 15),
    twoDigits(text, at + 18),
  );
}

/** The seconds of the `+HHMM` or `-HHMM` (2.1) at an index of a text, positive to the east; NaN for anything else. */
export function parseUtcOffset(text: string, at: number): number {
  const size = twoDigits(text, at + 1) * 3600 + twoDigits(text, at + 3) * 60;
  if (text[at] === '+') return size;
  return text[at] === '-' ? -size : NaN;
}

export function parseMonth(name: string): number | undefined {
  return MONTH_NUMBERS.get(name);
}

function pad(value: number): string {
  return value < 10 ? `0${String(value)}` : String(value);
}

const DAYS_BEFORE_1970 = 719_468;

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Seconds from 1970-01-01T00:00:00 to a clock reading taken as UTC; NaN for a reading that does not exist. */
export function localSecondOf(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  const isLeapDay = month === 2 && day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const dayExists = day >= 1 && (day <= (DAYS_IN_MONTH[month - 1] ?? 0) || isLeapDay);
  if (!dayExists || !(hour <= 23 && minute <= 59 && second <= 59)) return NaN;
  return daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
}

/** Days from 1970-01-01 to a day of the Gregorian calendar. Years are counted from March, so that a leap day is the last day. */
function daysSince1970(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const daysBeforeYear = marchYear * 365 + Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  const daysBeforeMonth = Math.floor((153 * ((month + 9) % 12) + 2) / 5);
  return daysBeforeYear + daysBeforeMonth + day - 1 - DAYS_BEFORE_1970;
}

/** NaN for anything but two digits. */
export function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + (ones - ZERO) : NaN;
}

export function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
