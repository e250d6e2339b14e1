import { DataError, type Place } from '../../errors.js';
import { isRecordWithCr } from '../../log/line.js';
import { nameSources, type LinePlaces } from '../../reading/line-places.js';
import type { Remainder } from '../../reading/read-log.js';
import { placesOf } from '../../reading/tally.js';
import { countOf, quoteBytes } from '../../wording.js';
import { say } from '../messages.js';
import { describeForeign, DROP_CR, refuseUnusable } from '../unusable-log.js';

/**
 * Reports foreign lines and incomplete groups: how many, and where.
 *
 * @param incompleteAre what has happened to the incomplete groups: `passed over`
 * @returns the error for a log in which no line is a record, which is not reported; undefined for any other log
 */
export function reportSkipped(remainder: Remainder, places: LinePlaces, incompleteAre: string): DataError | undefined {
  const { lines, foreign, foreignWithCr, incomplete } = remainder;
  if (foreign.count > 0 && foreign.count === lines) return refuseUnusable(remainder, places);
  const name = nameSources(places);
  if (foreign.count > 0) {
    say(`${name}: ${describeForeign(remainder, places)}${foreignWithCr > 0 ? `; ${DROP_CR}` : ''}`);
  }
  if (incomplete.count > 0) {
    say(`${name}: ${countOf(incomplete.count, 'incomplete group')} ${incompleteAre} (${placesOf(incomplete, places, 'begin')})`);
  }
  return undefined;
}

/** Makes the error for a foreign line. @param text the line, a byte string; empty for a line that is too long to be shown */
export function refuseForeign(place: Place, text: string): DataError {
  if (isRecordWithCr(text)) return new DataError(place, 'the record has a CR at its end', DROP_CR);
  const problem = text === '' ? 'the line is no record of this log' : `${quoteBytes(text)} is no record of this log`;
  return new DataError(place, problem, 'take it out, or give --foreign skip');
}
