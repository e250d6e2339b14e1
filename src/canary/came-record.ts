import type { Digest } from '../compare/digest.js';
import { BETWEEN_VALUES } from '../compare/fields.js';
import type { Comparison } from '../compare/options.js';
import type { RecordBlock } from '../compare/records.js';
import type { RecordsAhead } from '../compare/records-ahead.js';
import { TIMESTAMP_AT, ZONE_AT } from '../log/record.js';
import { parseTimestamp, parseUtcOffset } from '../log/timestamp.js';

export interface CameRecord extends Digest {
  /** The compared part of it, a byte string without LF. */
  readonly compared: string;
  /** Its line where that is another. */
  readonly text: string | undefined;
  readonly reason: string | undefined;
}

/** Reads the records of blocks through a side, which digests them. */
export function* recordsOf(side: RecordsAhead, blocks: Iterable<RecordBlock>): Generator<CameRecord> {
  for (const block of blocks) {
    side.keep();
    side.append(block);
    for (let head = side.head; head !== undefined; head = side.head) {
      const { low, high, exact, reason, text } = head;
      yield { low, high, exact, reason, text, compared: side.nextBytes.toString('latin1') };
      side.advance();
    }
  }
}

/** The Unix second of a load failure; NaN if it cannot be told. */
export function secondOf({ compared, text = compared }: CameRecord, comparison: Comparison): number {
  if (comparison.as !== 'fields') return parseTimestamp(text, TIMESTAMP_AT) - parseUtcOffset(text, ZONE_AT);
  const at = Array.from(comparison.fields.keys()).indexOf('instant');
  return Math.floor(Date.parse(compared.split(BETWEEN_VALUES)[at] ?? '') / 1000);
}
