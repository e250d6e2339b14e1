import { logFilesOf, type LogBytes } from '../reading/log-files.js';
import { countLog } from './count-log.js';
import { statsOf, type LogStats } from './log-stats.js';

/**
 * Counts what is in a log, as the command `stats --json` does, in bounded memory.
 *
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @throws TypeError if the log is neither
 */
export async function stats(log: LogBytes): Promise<LogStats> {
  const files = logFilesOf(log);
  const counts = await countLog(files);
  if (counts.failure !== undefined) throw counts.failure;
  return statsOf(counts, files);
}
