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
export function parsePositive(key: string, text: string): number {
  const value = findNumber(text) ?? NaN;
  if (value > 0 && value < Infinity) return value;
  throw refuseOption(key, text, 'is not a decimal number above 0', 'give one such as 1, 50 or 0.5');
}

/** Reads a whole number from `least` on, or `forever` as Infinity. @throws CallError */
export function parseCount(key: string, text: string, least: number): number {
  const count = text === 'forever' ? Infinity : findWholeNumber(text);
  if (count !== undefined && count >= least) return count;
  throw refuseOption(key, text, `is not a whole number from ${String(least)} on`, 'give one such as 1000, or forever');
}

/** Reads a whole number such as 1000, 1e6, 10k or 5M; undefined for other text, and for a number that is not exact. */
export function findWholeNumber(text: string): number | undefined {
  const value = findNumber(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Reads the seed of random numbers. @throws CallError that names the option */
export function parseSeed(key: string, text: string): number {
  const seed = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(seed)) return seed;
  throw refuseOption(key, text, 'is not a whole number of at most 15 digits', 'give one such as 7');
}

/** In milliseconds. */
const DURATION_UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads a duration such as 500ms, 90s, 15m, 1.5h or 7d. @returns milliseconds, a whole number above 0 @throws CallError */
export function parseDuration(key: string, text: string): number {
  const duration = findQuantity(text, DURATION_UNITS);
  if (duration !== undefined) return duration;
  throw refuseOption(key, text, 'is not a duration', 'give one such as 500ms, 90s, 15m, 1h or 7d');
}

/** Writes a duration as `parseDuration` reads it, in the largest unit that gives a whole number: `30s`. */
export function durationText(milliseconds: number): string {
  const [unit, size] = Object.entries(DURATION_UNITS).findLast(([, each]) => milliseconds % each === 0) ?? ['ms', 1];
  return `${String(milliseconds / size)}${unit}`;
}

/** In bytes. */
const DECIMAL_UNITS = { '': 1, B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 } as const;
const BINARY_UNITS = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const;

/** Reads a size such as 4096, 64KiB, 10MB or 2GB. @returns bytes, a whole number above 0 @throws CallError */
export function parseSize(key: string, text: string): number {
  const size = findQuantity(text, { ...DECIMAL_UNITS, ...BINARY_UNITS });
  if (size !== undefined) return size;
  throw refuseOption(key, text, 'is not a size', 'give one such as 64KiB, 10MB or 2GB');
}

/** A decimal number and a unit, without a space between them. */
const NUMBER_AND_UNIT = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/;

/**
 * Reads a quantity: a decimal number and its unit.
 *
 * @param units by name, in multiples of the smallest one; an empty name allows a number alone
 * @returns a whole number of the smallest unit, from 1 on; undefined for other text, and for more than a number holds exactly
 */
function findQuantity(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, decimal, name = ''] = NUMBER_AND_UNIT.exec(text) ?? [];
  const unit = Object.hasOwn(units, name) ? units[name] : undefined;
  if (decimal === undefined || unit === undefined) return undefined;
  const quantity = Math.round(Number(decimal) * unit);
  return Number.isSafeInteger(quantity) && quantity > 0 ? quantity : undefined;
}
