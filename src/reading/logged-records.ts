import type { LogBytes } from './log-files.js';
import { LoggedLines, stampForeignLines } from './logged-lines.js';
import type { LoggedLine, LoggedRecord } from './logged-record.js';
import { readLog, type ReadLogOptions } from './read-log.js';

/**
 * Reads the records of a log, in the order of its lines. Each chunk gives a batch. Records are held back until their group is found to
 * be whole or incomplete.
 *
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @throws TypeError if the log is neither
 * @throws what `onForeign` throws, after the records before that line
 */
export function readLoggedRecords(log: LogBytes, options: ReadLogOptions = {}): AsyncGenerator<readonly LoggedRecord[]> {
  return readLog(log, new LoggedLines().take, options);
}

/** Reads all lines of a log as `readLoggedRecords` reads its records: foreign lines are among them, in the order of lines. */
export function readLoggedLines(log: LogBytes, options: ReadLogOptions = {}): AsyncGenerator<readonly LoggedLine[]> {
  return readLog(log, new LoggedLines(stampForeignLines()).take, options);
}
