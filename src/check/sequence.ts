import { statement, VALUE } from '../findings/statement.js';
import { formatStamp, type Stamp } from '../log/timestamp.js';
import { nameLine, type LinePlaces } from '../reading/line-places.js';
import type { Violation } from './rules.js';

/** The lines and the time of a group. */
export interface PlacedGroup {
  readonly line: number;
  readonly lastLine: number;
  /** Its stamp and Unix second; undefined for a group whose end is missing. */
  readonly time: (Stamp & { readonly second: number }) | undefined;
}

/** Checks the order of groups (6, 6.4). Every group passes here, in the order of first records, whichever way it was read. */
export class GroupSequence {
  readonly #places: LinePlaces;
  #above: PlacedGroup | undefined;
  /** The group above that has a time. */
  #timed: PlacedGroup | undefined;

  constructor(places: LinePlaces) {
    this.#places = places;
  }

  /** The violations of the next group: it begins before the group above has ended, or is earlier than that. */
  findViolations(group: PlacedGroup): readonly Violation[] {
    const { line, time } = group;
    const [above, timed] = [this.#above, this.#timed];
    const violations: Violation[] = [];
    this.#above = time && group;
    if (above !== undefined && above.lastLine > line) {
      const found = statement(`a group begins before the group of ${nameLine(above.line, line, this.#places)} has ended`);
      const expected = statement('one group after the other');
      violations.push({ line, kind: 'interleaved', found, expected, groupLine: above.line });
    }
    if (time !== undefined) this.#timed = group;
    if (time !== undefined && timed?.time !== undefined && time.second < timed.time.second) {
      const place = nameLine(timed.line, line, this.#places);
      const found = statement(VALUE, formatStamp(time));
      const expected = statement(`none earlier than ${VALUE} of the group above, ${place}`, formatStamp(timed.time));
      violations.push({ line, kind: 'backwards', found, expected, groupLine: timed.line });
    }
    return violations;
  }
}
