import type { DataError } from '../../errors.js';
import { nameSources, type LinePlaces } from '../../reading/line-places.js';
import type { PassedOver } from '../../reading/read-log.js';
import { placesOf } from '../../reading/tally.js';
import { describeForeign, DROP_CR, isUnusable, refuseUnusable } from '../../reading/unusable-log.js';
import { countOf } from '../../wording.js';
import { say } from '../messages.js';

/**
 * Reports foreign lines and incomplete groups: how many, and where.
 *
 * @param incompleteAre what has happened to the incomplete groups: `passed over`
 * @returns the error for a log in which no line is a record, which is not reported; undefined for any other log
 */
export function reportSkipped(passedOver: PassedOver, places: LinePlaces, incompleteAre: string): DataError | undefined {
  const { foreign, foreignWithCr, incomplete } = passedOver;
  if (isUnusable(passedOver)) return refuseUnusable(passedOver, places);
  const name = nameSources(places);
  if (foreign.count > 0) {
    say(`${name}: ${describeForeign(passedOver, places)}${foreignWithCr > 0 ? `; ${DROP_CR}` : ''}`);
  }
  if (incomplete.count > 0) {
    say(`${name}: ${countOf(incomplete.count, 'incomplete group')} ${incompleteAre} (${placesOf(incomplete, places, 'begin')})`);
  }
  return undefined;
}
