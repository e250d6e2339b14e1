import { localSecondOf } from '../log/calendar.js';

/** ISO 8601 with an offset, extended (`2025-05-18T12:00:00.5+02:00`) or basic (`20250518T120000+0200`); a blank may stand for the `T`. */
const ISO = /^(\d{4})-?(\d\d)-?(\d\d)[Tt ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)? ?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/;

/** Unix time in any of the usual units, with or without a fraction. */
const UNIX = /^(-?\d+)(?:\.\d+)?$/;

/** From how many digits on a whole number is no longer in seconds (the year 5138), milliseconds, microseconds. */
const UNITS = [
  { digits: 11, perSecond: 1n },
  { digits: 14, perSecond: 1_000n },
  { digits: 17, perSecond: 1_000_000n },
  { digits: 20, perSecond: 1_000_000_000n },
] as const;

/**
 * The Unix second of an instant that is given as ISO 8601 with an offset, or as Unix time in seconds, milliseconds, microseconds or
 * nanoseconds: the unit is told by the number of digits. Fractions are cut. Undefined for anything else.
 */
export function secondOfInstant(text: string): number | undefined {
  const unix = UNIX.exec(text);
  if (unix !== null) return secondOfUnixTime(unix[1] ?? '');
  const iso = ISO.exec(text);
  if (iso === null) return undefined;
  const [, year, month, day, hour, minute, second, sign, offsetHours, offsetMinutes] = iso;
  const local = localSecondOf(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second ?? 0));
  const offset = Number(offsetHours ?? 0) * 3600 + Number(offsetMinutes ?? 0) * 60;
  const utc = sign === '-' ? local + offset : local - offset;
  return Number.isNaN(utc) ? undefined : utc;
}

function secondOfUnixTime(whole: string): number | undefined {
  const digits = whole.replace('-', '').length;
  const unit = UNITS.find((known) => digits <= known.digits);
  return unit === undefined ? undefined : Number(BigInt(whole) / unit.perSecond);
}

/** A Unix second as `parse --as records` writes an instant: ISO 8601 in UTC, `2025-05-18T10:00:00Z`. */
export function formatUtcSecond(second: number): string {
  return new Date(second * 1000).toISOString().replace('.000Z', 'Z');
}
