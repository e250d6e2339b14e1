import type { LogRequest } from '../log/group.js';
import type { Stamp } from '../log/timestamp.js';

/** A request that a log shows: that of a whole group. Its time is that of the group's first record, in whole seconds. */
export interface LoggedRequest extends LogRequest, Stamp {
  /** The physical line of the group's first record. */
  readonly line: number;
}
