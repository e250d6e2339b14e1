import { parseMonth } from './timestamp.js';

/** How a load-failure record begins and ends (2.1). Neither a method nor a target holds a space, so the end is told from the right. */
const HEAD = /^\[(\d\d)-([A-Z][a-z]{2})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)\]: /;
const MIDDLE = ' Error: Failed to load plugin file ';
const TAIL = / on line \d+ \([^ ]+ [^ ]+\)$/;

/**
 * The instant of a load-failure record (2.1), as a Unix second, whatever its paths, plugin and request; undefined for a line
 * of any other kind.
 *
 * @param line a byte string without the LF at its end
 */
export function loadFailureSecond(line: string): number | undefined {
  const head = HEAD.exec(line);
  if (head === null || !line.includes(MIDDLE) || !TAIL.test(line)) return undefined;
  const [, day, monthName, year, hour, minute, second, sign, offsetHours, offsetMinutes] = head;
  const month = parseMonth(monthName ?? '');
  if (month === undefined) return undefined;
  const local = Date.UTC(Number(year), month - 1, Number(day), Number(hour), Number(minute), Number(second)) / 1000;
  const offset = Number(offsetHours) * 3600 + Number(offsetMinutes) * 60;
  return sign === '-' ? local + offset : local - offset;
}
