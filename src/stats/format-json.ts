import type { LinePlaces } from '../reading/line-places.js';
import type { LogCounts } from './count-log.js';
import { statsOf } from './log-stats.js';

/** Formats counts as one line of JSON, a `LogStats`; ends in LF. @param places of the files of the log */
export function formatJson(counts: LogCounts, places: LinePlaces): string {
  return `${JSON.stringify(statsOf(counts, places))}\n`;
}
