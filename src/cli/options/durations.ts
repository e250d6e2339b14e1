import { refuseOption } from '../../errors.js';
import { findQuantity } from './units.js';

/** In milliseconds. */
const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads a duration such as 500ms, 90s, 15m, 1.5h or 7d. @returns milliseconds, a whole number above 0 @throws CallError */
export function parseDuration(flag: string, text: string): number {
  const duration = findQuantity(text, UNITS);
  if (duration !== undefined) return duration;
  throw refuseOption(flag, text, 'is not a duration', 'give one such as 500ms, 90s, 15m, 1h or 7d');
}
