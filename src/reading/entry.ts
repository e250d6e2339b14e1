import type { LogRecord } from '../log/line.js';

/** A record of a log, its line, and its place in a group. */
export interface Entry {
  readonly record: LogRecord;
  /** The physical line, from 1. */
  readonly line: number;
  /**
   * Its place in a group (section 6): that of the plugin that it names, the number of plugins for a deprecation record, `UNKNOWN` for a
   * plugin that is not in the list.
   */
  readonly place: number;
}

/** The place of a plugin that is not in the list. */
export const UNKNOWN = -1;
