import type { LogRecord } from '../log/line.js';

/** A record, and where it was read. */
export interface RecordAtLine {
  readonly record: LogRecord;
  /** The physical line, from 1. */
  readonly line: number;
  /** The line that the record was read from, without its LF: a byte string. */
  readonly text: string;
}
