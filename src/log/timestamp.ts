import type { Deployment } from './deployment.js';
import { zoneNamed } from './zone.js';

const ZERO = 0x30;
const NINE = 0x39;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

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

const [YEAR_0, YEAR_10000] = [-62_167_219_200, 253_402_300_800];

/**
 * Formats an instant as `DD-Mon-YYYY HH:MM:SS` (2.1): English month, 24-hour clock, zero-padded.
 * @param second a Unix second
 * @param offset the offset from UTC in seconds, positive to the east
 * @throws RangeError for a second that is not a whole number, and for a local year outside 0 to 9999
 */
export function formatTimestamp(second: number, offset: number): string {
  const local = Math.floor(second + offset);
  if (Number.isInteger(second) && local >= YEAR_0 && local < YEAR_10000)
    return (offset === 0 ? formatUtcClock : formatClock)(local);
  throw new RangeError(`no record can show the second ${String(second)}`);
}

/** Times of a driver without stamps are in UTC and on the clock of a zone by turns. */
const [formatClock, formatUtcClock] = [byMinute(showClock), byMinute(showClock)];

function showClock(local: number): string {
  const iso = formatUtcSecond(local);
  return `${iso.slice(8, 10)}-${MONTHS[Number(iso.slice(5, 7)) - 1] ?? ''}-${iso.slice(0, 4)} ${iso.slice(11)}`;
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
  const date = `${timestamp.slice(7, 11)}-${pad(parseMonth(timestamp.slice(3, 6)))}-${timestamp.slice(0, 2)}`;
  return `${date}T${timestamp.slice(12)}${utcOffset.slice(0, 3)}:${utcOffset.slice(3)}`;
}

/** Formats a Unix second in UTC, `YYYY-MM-DDTHH:MM:SS`; years outside 0 to 9999 have a sign and six digits. */
export const formatUtcSecond = byMinute((second) => new Date(second * 1000).toISOString().slice(0, -'.mmmZ'.length));

/** Most seconds follow one another: within a minute, only the last two digits of a text change. */
function byMinute(format: (second: number) => string): (second: number) => string {
  let [latest, text] = [NaN, ''];
  return (second) => {
    const minute = Math.floor(second / 60);
    if (minute === latest) return text.slice(0, -'SS'.length) + pad(second - minute * 60);
    text = format(second);
    latest = minute;
    return text;
  };
}

/** The seconds since 1970 of the timestamp (2.1) at an index of a text, as if it were UTC; NaN for anything else. */
export function parseTimestamp(text: string, at: number): number {
  const isSeparated =
    text[at + 2] === '-' && text[at + 6] === '-' && text[at + 11] === ' ' && text[at + 14] === ':' && text[at + 17] === ':';
  if (!isSeparated) return NaN;
  const year = twoDigits(text, at + 7) * 100 + twoDigits(text, at + 9);
  const month = parseMonth(text.slice(at + 3, at + 6));
  const hour = twoDigits(text, at + 12);
  return localSecondOf(year, month, twoDigits(text, at), hour, twoDigits(text, at + 15), twoDigits(text, at + 18));
}

/** The seconds of the `+HHMM` or `-HHMM` (2.1) at an index of a text, positive to the east; NaN for anything else. */
export function parseUtcOffset(text: string, at: number): number {
  const size = twoDigits(text, at + 1) * 3600 + twoDigits(text, at + 3) * 60;
  if (text[at] === '+') return size;
  return text[at] === '-' ? -size : NaN;
}

/** From 1 on; NaN for anything but an English abbreviation. */
export function parseMonth(name: string): number {
  return MONTHS.indexOf(name) + 1 || NaN;
}

function pad(value: number): string {
  return value < 10 ? `0${String(value)}` : String(value);
}

/** The days of an ordinary year before each month, and before the next year. */
const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365] as const;
const DAYS_BEFORE_1970 = 719_162;

/** Seconds from 1970-01-01T00:00:00 to a clock reading taken as UTC; NaN for a reading that does not exist. */
export function localSecondOf(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  const leapDay = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  const monthBegin = (DAYS_BEFORE[month - 1] ?? NaN) + (month > 2 ? leapDay : 0);
  const monthEnd = (DAYS_BEFORE[month] ?? NaN) + (month > 1 ? leapDay : 0);
  if (!(day >= 1 && monthBegin + day <= monthEnd && hour <= 23 && minute <= 59 && second <= 59)) return NaN;
  const past = year - 1;
  const days = 365 * past + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) + monthBegin + day - 1;
  return (days - DAYS_BEFORE_1970) * 86_400 + hour * 3600 + minute * 60 + second;
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
