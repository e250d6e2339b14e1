import type { Stats } from 'node:fs';
import type { Output } from './output.js';

/** An output that is open: standard output, a file, a FIFO or a device. */
export interface Destination {
  readonly output: Output;
  /** As it was when it was opened. */
  readonly stats: Stats;
  /** True for a file that was not empty when it was opened: a list that is appended to has its header. */
  readonly isContinued: boolean;
  /** The Unix second of the last load-failure record in a regular file given with `-o`; undefined if there is none. */
  readonly findLastSecond: () => Promise<number | undefined>;
  /**
   * Opens the file's name anew and continues there, once the current write is done. If the file cannot be opened, the run
   * continues in the one that is open. Does nothing for standard output, a FIFO and a device.
   */
  readonly reopen: () => void;
  /**
   * Closes the destination once everything has been written.
   *
   * @throws CallError if the file was removed, or a write failed late
   */
  readonly close: () => void;
  /** Takes the place of `close` when the run has failed: warns if the file was removed, throws nothing. */
  readonly leave: () => void;
}
