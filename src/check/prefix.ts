import { statement, VALUE, type Statement } from '../findings/statement.js';
import { isDigit } from '../log/calendar.js';
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

/** True for text that begins as records of the deployment do, with any stamp. @param openings as for `describePrefix` */
export function isHalfRecord(text: string, openings: readonly string[]): boolean {
  return openings.some((opening) => {
    const length = Math.min(opening.length, text.length);
    for (let index = 0; index < length; index += 1) {
      const [code, expected] = [text.charCodeAt(index), opening.charCodeAt(index)];
      if (code !== expected && (index >= UTC_OFFSET_END || kindOf(code) !== kindOf(expected))) return false;
    }
    return true;
  });
}

/** A character that stands for all of its kind in a stamp: a digit, a letter of either case, or a sign. */
function kindOf(code: number): string {
  const character = String.fromCharCode(code);
  if (isDigit(code)) return '0';
  if (/[A-Z]/.test(character)) return 'A';
  if (/[a-z]/.test(character)) return 'a';
  return character === '-' ? '+' : character;
}
