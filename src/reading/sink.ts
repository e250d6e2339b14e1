import type { Membership, OpenGroup } from './open-group.js';
import type { ForeignLine, RecordAtLine } from './record-at-line.js';
import type { WholeGroup } from './whole-group.js';

/** Turns a log into something else while the log is read. */
export interface Sink<T> {
  /** Takes the next record. Its group may still be open, and may never be whole. */
  addRecord(read: RecordAtLine, membership: Membership): void;
  /** Takes the next line that is not a record. Left out where foreign lines give nothing. */
  addForeign?(foreign: ForeignLine): void;
  /** Takes a whole group whose records have been added. Groups come in the order of their first records. */
  addGroup(group: OpenGroup): void;
  /**
   * Takes a group that was matched whole, instead of its records and the group. Its bytes begin at an index of a block, which is valid
   * during the call only.
   */
  addWholeGroup(group: WholeGroup, block: Buffer, at: number): void;
  /** Takes out all that is known by now, in order. */
  drain(): readonly T[];
}
