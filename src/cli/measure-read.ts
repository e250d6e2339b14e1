import type { Stats } from 'node:fs';
import type { Input } from '../input/input.js';
import type { Progress } from './progress.js';

/** The part of an input that tells how far its reading is. */
type MeasuredInput = Pick<Input, 'isGzip' | 'bytesRead' | 'bytesGiven'> & { readonly stats: Pick<Stats, 'isFile' | 'size'> };

/** The bytes of a log in a byte of its gzip, until the first gzip has been begun. Logs of this kind have 20 to 45. */
const USUAL_RATIO = 30;

/**
 * Measures how far the reading of inputs is, in unpacked bytes. For gzip that has not been read yet, their number is estimated from
 * the gzip that has been. A pipe has no known end.
 */
export function measureRead({ inputs }: { readonly inputs: readonly MeasuredInput[] }): Progress {
  const given = sum(inputs, ({ bytesGiven }) => bytesGiven());
  const packed = inputs.filter(({ isGzip }) => isGzip);
  const packedRead = sum(packed, ({ bytesRead }) => bytesRead());
  const ratio = packedRead > 0 ? sum(packed, ({ bytesGiven }) => bytesGiven()) / packedRead : USUAL_RATIO;
  const expected = sum(inputs, ({ stats, isGzip }) => (stats.isFile() ? stats.size * (isGzip ? ratio : 1) : NaN));
  return { share: expected > 0 ? Math.min(1, given / expected) : undefined, done: given, unit: 'B' };
}

function sum<T>(values: readonly T[], amountOf: (value: T) => number): number {
  return values.reduce((total, value) => total + amountOf(value), 0);
}
