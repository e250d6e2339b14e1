import type { LogRecord } from '../log/line.js';

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

/** The bytes that a line counts for beside its text, so that empty lines are bounded too. */
const LINE_BYTES = 16;

/** The bytes that a line counts for while it waits. @param text without its LF */
export function waitingBytesOf(text: string): number {
  return text.length + LINE_BYTES;
}
