import { CallError } from '../../errors.js';
import { zoneNamed } from '../../log/zone.js';
import { quoteText } from '../../wording.js';
import { parseInstant } from '../../requests/instant.js';

/** Says which option is at fault. */
export function refuseOption(flag: string, value: string, problem: string, remedy: string): CallError {
  return new CallError({ source: flag }, `${quoteText(value)} ${problem}`, remedy);
}

/** A number above 0, as a decimal. @throws CallError */
export function parsePositive(flag: string, text: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (value > 0 && value < Infinity) return value;
  throw refuseOption(flag, text, 'is no decimal number above 0', 'give one such as 1, 50 or 0.5');
}

/** A whole number from `least` on, or Infinity for `forever`. @throws CallError */
export function parseCount(flag: string, text: string, least: number): number {
  if (text === 'forever') return Infinity;
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw refuseOption(flag, text, `is no whole number from ${String(least)} on`, 'give one such as 1000, or forever');
}

/**
 * A point in time, in any of the forms of a request list; `now` is undefined.
 *
 * @param timezone whose wall clock a time without an offset is on
 * @throws CallError
 */
export function parseTime(flag: string, text: string, timezone: string): number | undefined {
  if (text === 'now') return undefined;
  const instant = parseInstant(text, zoneNamed(timezone));
  if (typeof instant === 'number') return instant;
  throw refuseOption(flag, text, instant.problem, instant.remedy);
}

/** The name of a query parameter. @throws CallError */
export function parseMark(flag: string, text: string): string {
  if (/^[A-Za-z0-9._~-]{1,64}$/.test(text)) return text;
  throw refuseOption(flag, text, 'is no name for a parameter', 'give letters, digits or ._~-, such as r');
}
