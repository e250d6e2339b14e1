import { refuseOption } from '../../errors.js';

/** Reads the seed of random numbers. @throws CallError that names the option `flag` */
export function parseSeed(flag: string, text: string): number {
  const seed = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(seed)) return seed;
  throw refuseOption(flag, text, 'is no whole number of at most 15 digits', 'give one such as 7');
}
