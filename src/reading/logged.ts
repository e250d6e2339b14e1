import type { LogRequest } from '../log/group.js';
import type { LogRecord } from '../log/line.js';
import type { Stamp } from '../log/timestamp.js';

/** The request of a group of a log whose load failures are all there. Its time is that of the group's first record, in whole seconds. */
export interface LoggedRequest extends LogRequest, Stamp {
  /** The physical line of the group's first record. */
  readonly line: number;
}

/** A record, and the line that it was read from. */
export interface RecordAtLine {
  readonly record: LogRecord;
  /** The physical line, from 1. */
  readonly line: number;
  /** The text of that line without its LF: a byte string. */
  readonly text: string;
}

/** A line that is not a record. */
export interface ForeignLine {
  /** The physical line, from 1. */
  readonly line: number;
  /** The text of the line without its LF, a byte string; of a line over 1 MiB, its first 4096 bytes. */
  readonly text: string;
}

/** A record of a log, its line and its group. */
export interface LoggedRecord extends RecordAtLine {
  /** The number of its request, from 1, among those of the log in the order of their first records; undefined where a load failure is missing. */
  readonly group: number | undefined;
  /**
   * The Unix second of the record. A deprecation record of a group has that of the group. Elsewhere its local time is converted by
   * its zone (to the first instant in the repeated hour of autumn); undefined for an unknown zone, and for a time that its clocks skipped.
   */
  readonly second: number | undefined;
}

/** A line of a log that is not a record of it. */
export interface LoggedForeignLine extends ForeignLine {
  /** The Unix second of the stamp that it begins with, as records of other kinds do; undefined for another beginning. */
  readonly second: number | undefined;
}

/** A line of a log: a record, or a line that is not one. */
export type LoggedLine = LoggedRecord | LoggedForeignLine;
