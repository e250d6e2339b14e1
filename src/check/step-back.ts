import { statement, VALUE } from '../findings/statement.js';
import { nameLine, type LinePlaces } from '../reading/line-places.js';
import type { Violation } from './rules.js';

/** The time of a group. */
export interface GroupTime {
  /** The first line of the group. */
  readonly line: number;
  readonly timestamp: string;
  readonly utcOffset: string;
  /** The Unix second. */
  readonly second: number;
}

/** The violation of a group whose second is before that of the group above (6.4); undefined for none. */
export function findStepBack(time: GroupTime, above: GroupTime, places: LinePlaces): Violation | undefined {
  if (time.second >= above.second) return undefined;
  const groupLine = above.line;
  return {
    line: time.line,
    kind: 'backwards',
    found: statement(VALUE, formatTime(time)),
    expected: statement(`none before ${VALUE} of the group above, ${nameLine(groupLine, time.line, places)}`, formatTime(above)),
    groupLine,
  };
}

function formatTime({ timestamp, utcOffset }: GroupTime): string {
  return `${timestamp} ${utcOffset}`;
}
