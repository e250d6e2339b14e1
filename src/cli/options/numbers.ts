import { refuseOption } from '../../errors.js';

/** A decimal number, and behind it a power of ten: `1e6`, `10k`, `5M`. */
const NUMBER = /^(\d+(?:\.\d+)?)(?:[eE](\d{1,2})|([kKMG]))?$/;

const EXPONENTS: Readonly<Record<string, string>> = { k: '3', K: '3', M: '6', G: '9' };

/** Reads a decimal number such as 0.5, 1e6, 10k, 5M or 2G; undefined for other text. */
export function findNumber(text: string): number | undefined {
  const [, decimal, exponent, suffix = ''] = NUMBER.exec(text) ?? [];
  // Read as one literal: a product of 1.1 and 1000 may differ from 1100.
  return decimal === undefined ? undefined : Number(`${decimal}e${exponent ?? EXPONENTS[suffix] ?? '0'}`);
}

/** Reads a number above 0. @throws CallError */
export function parsePositive(flag: string, text: string): number {
  const value = findNumber(text) ?? NaN;
  if (value > 0 && value < Infinity) return value;
  throw refuseOption(flag, text, 'is no decimal number above 0', 'give one such as 1, 50 or 0.5');
}

/** Reads a whole number from `least` on, or `forever` as Infinity. @throws CallError */
export function parseCount(flag: string, text: string, least: number): number {
  const count = text === 'forever' ? Infinity : findWholeNumber(text);
  if (count !== undefined && count >= least) return count;
  throw refuseOption(flag, text, `is no whole number from ${String(least)} on`, 'give one such as 1000, or forever');
}

/** Reads a whole number such as 1000, 1e6, 10k or 5M; undefined for other text, and for a number that is not exact. */
export function findWholeNumber(text: string): number | undefined {
  const value = findNumber(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
