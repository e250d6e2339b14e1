import { refuseOption } from '../../errors.js';
import { findQuantity } from './units.js';

/** In bytes. */
const UNITS = {
  '': 1,
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
} as const;

/** Reads a size such as 4096, 64KiB, 10MB or 2GB. @returns bytes, a whole number above 0 @throws CallError */
export function parseSize(flag: string, text: string): number {
  const size = findQuantity(text, UNITS);
  if (size !== undefined) return size;
  throw refuseOption(flag, text, 'is not a size', 'give one such as 64KiB, 10MB or 2GB');
}
