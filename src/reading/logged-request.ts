import type { LogRequest } from '../log/group.js';
import type { Stamp } from '../log/timestamp.js';

/** The request of a whole group of a log. Its time is that of the group's first record, in whole seconds. */
export interface LoggedRequest extends LogRequest, Stamp {
  /** The physical line of the group's first record. */
  readonly line: number;
}
