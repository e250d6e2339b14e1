import { statement, VALUE, type Statement } from '../findings/statement.js';
import { parseRecord } from '../log/line.js';
import { UTC_OFFSET_END } from '../log/record.js';

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

/** True for text that begins with a bracket and behind any stamp as records of the deployment do. @param openings as for `describePrefix` */
export function isHalfRecord(text: string, openings: readonly string[]): boolean {
  const isOpening = (opening: string): boolean =>
    opening.slice(UTC_OFFSET_END).startsWith(text.slice(UTC_OFFSET_END, opening.length));
  return text.startsWith('[') && openings.some(isOpening);
}
