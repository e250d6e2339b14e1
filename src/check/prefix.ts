import { statement, VALUE, type Statement } from '../findings/statement.js';
import { parseRecord } from '../log/line.js';
import { UTC_OFFSET_END, ZONE_AT } from '../log/record.js';

/**
 * States what stands before a record on its line: another record, half a record of the deployment, or anything else.
 *
 * @param prefix a byte string
 * @param openings the beginnings of the deployment's records, with any stamp
 */
export function describePrefix(prefix: string, openings: readonly string[]): Statement {
  if (parseRecord(prefix) !== undefined)
    return statement(`a record without its LF, "${VALUE}", stands before the record`, prefix);
  return statement(
    isHalfRecord(prefix, openings)
      ? `half a record, "${VALUE}", stands before the record`
      : `"${VALUE}" stands before the record`,
    prefix,
  );
}

/** True for text that begins as records of the deployment do. @param openings as for `describePrefix` */
export function isHalfRecord(text: string, openings: readonly string[]): boolean {
  return openings.some((opening) => {
    const length = Math.min(opening.length, text.length);
    return maskStamp(text.slice(0, length)) === maskStamp(opening.slice(0, length));
  });
}

/** Replaces the digits, letters and signs of a stamp, or of its beginning, so that all stamps are equal. */
function maskStamp(text: string): string {
  const timestamp = text.slice(0, ZONE_AT).replace(/\d/g, '0').replace(/[A-Z]/g, 'A').replace(/[a-z]/g, 'a');
  const zone = text.slice(ZONE_AT, UTC_OFFSET_END).replace(/\d/g, '0').replace('-', '+');
  return timestamp + zone + text.slice(UTC_OFFSET_END);
}
