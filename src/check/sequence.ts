import { statement, VALUE } from '../findings/statement.js';
import { formatStamp, type Stamp } from '../log/timestamp.js';
import { nameLine, type LinePlaces } from '../reading/line-places.js';
import type { Violation } from './rules.js';

/** The time of a group. */
export interface GroupTime extends Stamp {
  /** The first line of the group. */
  readonly line: number;
  /** The Unix second. */
  readonly second: number;
}

/** The lines of a group. */
interface Span {
  readonly line: number;
  readonly lastLine: number;
}

/** Checks the order of groups (6, 6.4). Every group passes here, in the order of first records, whichever way it was read. */
export class GroupSequence {
  readonly #places: LinePlaces;
  #time: GroupTime | undefined;
  /** The group above, if it has ended; else the one before. */
  #above: Span | undefined;

  constructor(places: LinePlaces) {
    this.#places = places;
  }

  /**
   * The violation of the next group that begins before the group above has ended.
   *
   * @param isEnded false for a group without a deprecation record
   */
  findInterruption(span: Span, isEnded: boolean): Violation | undefined {
    const above = this.#above;
    this.#above = isEnded ? span : undefined;
    if (above === undefined || above.lastLine < span.line) return undefined;
    const { line } = span;
    const groupLine = above.line;
    const found = statement(`a group begins before the group of ${nameLine(groupLine, line, this.#places)} has ended`);
    return { line, kind: 'interleaved', found, expected: statement('one group after the other'), groupLine };
  }

  /** The violation of the next group whose second is before that of the group above (6.4). */
  findStepBack(time: GroupTime): Violation | undefined {
    const above = this.#time;
    this.#time = time;
    if (above === undefined || time.second >= above.second) return undefined;
    const groupLine = above.line;
    const place = nameLine(groupLine, time.line, this.#places);
    return {
      line: time.line,
      kind: 'backwards',
      found: statement(VALUE, formatStamp(time)),
      expected: statement(`none earlier than ${VALUE} of the group above, ${place}`, formatStamp(above)),
      groupLine,
    };
  }
}
