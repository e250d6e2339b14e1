const ZERO = 0x30;
const NINE = 0x39;

/** Days from 1 March of the year 0 to 1970-01-01. */
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

/** Parses the two digits at an index of a text; NaN for anything else. */
export function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + (ones - ZERO) : NaN;
}

/** True for the character code of an ASCII digit. */
export function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
