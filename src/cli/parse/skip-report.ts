import { DataError, type Place } from '../../errors.js';
import { isRecordWithCr } from '../../log/line.js';
import type { Remainder } from '../../reading/read-log.js';
import { placesOf } from '../../reading/tally.js';
import { countOf, escapeText, quoteBytes } from '../../wording.js';
import { say } from '../messages.js';

/** The words for lines and groups that are not written. */
export const SKIPPED = 'passed over';

/** The remedy for a log whose line ends have been converted. */
const DROP_CR = "end lines with LF alone: sed 's/\\r$//' FILE | webmail-diaglog …";

/**
 * Reports foreign lines and incomplete groups: how many, and where.
 *
 * @param incompleteAre what has happened to the incomplete groups: `passed over`
 */
export function reportSkipped(
  { lines, foreign, foreignWithCr, incomplete }: Remainder,
  source: string,
  incompleteAre: string,
): void {
  const name = escapeText(source);
  if (foreign.count > 0) {
    const hint =
      foreignWithCr > 0
        ? `, ${String(foreignWithCr)} of them for a CR at the end; ${DROP_CR}`
        : lines === foreign.count
          ? '; no line is a record, check the file'
          : '';
    say(`${name}: ${countOf(foreign.count, 'foreign line')} ${SKIPPED} (${placesOf(foreign)})${hint}`);
  }
  if (incomplete.count > 0) {
    say(`${name}: ${countOf(incomplete.count, 'incomplete group')} ${incompleteAre} (${placesOf(incomplete, 'begin')})`);
  }
}

/** Makes the error for a foreign line. @param text the line, a byte string; empty for a line that is too long to be shown */
export function refuseForeign(place: Place, text: string): DataError {
  if (isRecordWithCr(text)) return new DataError(place, 'the record has a CR at its end', DROP_CR);
  const problem = text === '' ? 'the line is no record of this log' : `${quoteBytes(text)} is no record of this log`;
  return new DataError(place, problem, 'take it out, or give --foreign skip');
}
