import { LF } from '../log/byte-string.js';
import { parseRecord } from '../log/line.js';
import { SEVERITIES } from '../log/record.js';

/** Node looks for up to 7 bytes with `memchr`: for the first one, which other records seldom hold. For more it takes five times as long. */
const NEEDLE = Buffer.from(SEVERITIES.deprecation.slice(0, 7));

/** The place of the timestamp in a record, with the bracket before it (2.2). */
const STAMP_BYTES = 21;

/**
 * Counts the deprecation records of a log, in a tenth of the time that reading its lines would take: looks for the word that they hold,
 * and reads a line only where it differs from the last one that was read, its timestamp apart.
 */
export class DeprecationCounter {
  count = 0;
  /** A deprecation record that was read; empty before. */
  #known: Buffer = Buffer.alloc(0);

  /** @param bytes whole lines */
  add(bytes: Buffer): void {
    for (let at = bytes.indexOf(NEEDLE); at !== -1; at = bytes.indexOf(NEEDLE, at)) {
      const start = bytes.lastIndexOf(LF, at) + 1;
      const lf = bytes.indexOf(LF, at);
      const end = lf === -1 ? bytes.length : lf;
      if (this.#isKnown(bytes, start, end) || this.#isDeprecation(bytes, start, end)) this.count += 1;
      at = end;
    }
  }

  #isDeprecation(bytes: Buffer, start: number, end: number): boolean {
    if (parseRecord(bytes.toString('latin1', start, end))?.kind !== 'deprecation') return false;
    this.#known = Buffer.from(bytes.subarray(start, end));
    return true;
  }

  /** True for a line that is the known record but for the last digits of its timestamp: minutes and seconds. */
  #isKnown(bytes: Buffer, start: number, end: number): boolean {
    const known = this.#known;
    if (end - start !== known.length) return false;
    if (known.compare(bytes, start + STAMP_BYTES, end, STAMP_BYTES) !== 0) return false;
    if (known.compare(bytes, start, start + MINUTES_AT, 0, MINUTES_AT) !== 0) return false;
    return (
      isSixty(bytes, start + MINUTES_AT) && bytes[start + MINUTES_AT + 2] === COLON && isSixty(bytes, start + MINUTES_AT + 3)
    );
  }
}

/** The place of the minutes in a record's timestamp: `[DD-Mon-YYYY HH:`. */
const MINUTES_AT = 16;
const COLON = 0x3a;

/** True for two digits below 60. */
function isSixty(bytes: Buffer, at: number): boolean {
  const tens = (bytes[at] ?? 0) - 0x30;
  const ones = (bytes[at + 1] ?? 0) - 0x30;
  return tens >= 0 && tens <= 5 && ones >= 0 && ones <= 9;
}
