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

/** True for text of at least a byte that begins as records of the deployment do, with any stamp. @param openings as for `describePrefix` */
export function isHalfRecord(text: string, openings: readonly string[]): boolean {
  if (text === '') return false;
  return openings.some((opening) => {
    const [length, stampEnd] = [Math.min(opening.length, text.length), Math.min(UTC_OFFSET_END, text.length)];
    const isOpening = text.slice(stampEnd, length) === opening.slice(stampEnd, length);
    return isOpening && kindsOf(text.slice(0, stampEnd)) === kindsOf(opening.slice(0, stampEnd));
  });
}

/** A stamp in which one character stands for all of its kind: digits, letters of either case, and signs. */
function kindsOf(stamp: string): string {
  return stamp.replace(/\d/g, '0').replace(/[A-Z]/g, 'A').replace(/[a-z]/g, 'a').replace(/-/g, '+');
}
