import { statement, VALUE, type Statement } from '../findings/statement.js';
import { parseRecord } from '../log/line.js';

const ZONE_AT = '[01-Jan-1970 00:00:00 '.length;
const UTC_OFFSET_END = '[01-Jan-1970 00:00:00 +0000'.length;

/**
 * What stands before a record on its line.
 *
 * @param prefix a byte string
 * @param openings what the records of the deployment begin with, with some stamp
 */
export function describePrefix(prefix: string, openings: readonly string[]): Statement {
  if (parseRecord(prefix) !== undefined)
    return statement(`a record without its LF, "${VALUE}", stands before the record`, prefix);
  const isHalf = openings.some((opening) => {
    const length = Math.min(opening.length, prefix.length);
    return maskStamp(prefix.slice(0, length)) === maskStamp(opening.slice(0, length));
  });
  return statement(
    isHalf ? `half a record, "${VALUE}", stands before the record` : `"${VALUE}" stands before the record`,
    prefix,
  );
}

/** A stamp, or its beginning, with all of its digits, letters and signs alike: whatever the time, the result is the same. */
function maskStamp(text: string): string {
  const timestamp = text.slice(0, ZONE_AT).replace(/\d/g, '0').replace(/[A-Z]/g, 'A').replace(/[a-z]/g, 'a');
  const zone = text.slice(ZONE_AT, UTC_OFFSET_END).replace(/\d/g, '0').replace('-', '+');
  return timestamp + zone + text.slice(UTC_OFFSET_END);
}
