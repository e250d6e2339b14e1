import { refuseOption } from '../../errors.js';

/** Reads a decimal number above 0. @throws CallError */
export function parsePositive(flag: string, text: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (value > 0 && value < Infinity) return value;
  throw refuseOption(flag, text, 'is no decimal number above 0', 'give one such as 1, 50 or 0.5');
}

/** Reads a whole number from `least` on, or `forever` as Infinity. @throws CallError */
export function parseCount(flag: string, text: string, least: number): number {
  const count = text === 'forever' ? Infinity : findWholeNumber(text);
  if (count !== undefined && count >= least) return count;
  throw refuseOption(flag, text, `is no whole number from ${String(least)} on`, 'give one such as 1000, or forever');
}

/** Reads decimal digits as a number; undefined for other text, and for a number that is not exact. */
export function findWholeNumber(text: string): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}
