import { checkByRule } from '../../check/check-by-rule.js';
import { CallError, DataError } from '../../errors.js';
import { envelopeOf } from '../../envelope/recognise.js';
import { readStart } from '../../input/input.js';
import { isGzip } from '../../input/unpack.js';
import { TIMESTAMP_AT } from '../../log/record.js';
import { parseTimestamp } from '../../log/timestamp.js';
import type { FileOptions } from '../../output/named-file.js';
import { openReplacedFile, type ReplacedFile } from '../../output/replaced-file.js';
import { inferLogDeployment } from '../../reading/infer-log-deployment.js';
import type { LogFiles } from '../../reading/log-files.js';
import type { LogCounts } from '../../stats/count-log.js';
import { formatPage } from '../../stats/page/format-page.js';
import type { OpenLogs } from '../logs.js';

/** The most violations of a rule that the page shows. */
const MAX_EXAMPLES = 3;

/** The part of a file in which a record is looked for, in bytes. */
const START_BYTES = 1 << 16;

/** A log to be counted and checked in one reading: a pipe can be read only once. */
interface CheckedLog {
  readonly log: LogFiles;
  /** Checks the log while it is counted, and gives the function that formats the page. */
  readonly check: () => Promise<(counts: LogCounts) => string>;
}

/** Prepares the check of a log against the deployment of its own groups. The page says why a log without one is not checked. */
export async function prepareCheck(logs: OpenLogs): Promise<CheckedLog> {
  try {
    const inferred = await inferLogDeployment(logs.peek(), 'the log is not checked');
    const [log, checked] = logs.readTwice();
    const check = async () => {
      const rules = await checkByRule(checked, inferred, MAX_EXAMPLES);
      return (counts: LogCounts) => formatPage(counts, log, { deployment: inferred.deployment, rules });
    };
    return { log, check };
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    const { log } = logs;
    return { log, check: () => Promise.resolve((counts) => formatPage(counts, log, error.problem)) };
  }
}

/** Opens the file of the page. @throws CallError for a file that cannot be written, one that the run reads, and a log */
export function openPage(path: string, options: FileOptions): Promise<ReplacedFile> {
  return openReplacedFile(path, options, refuseLog);
}

/**
 * Refuses to replace a log: `stats --html error.log*` names a log where the file of the page belongs, and that log would be lost. A
 * log is gzip, or a line at its start begins with a timestamp in brackets (2.1), or holds a record in an envelope.
 */
function refuseLog(path: string): void {
  const start = readStart(path, START_BYTES);
  const isStamped = (line: string): boolean => line.startsWith('[') && !Number.isNaN(parseTimestamp(line, TIMESTAMP_AT));
  const isOfLog = (line: string): boolean => isStamped(line) || envelopeOf(line) !== undefined;
  if (!isGzip(start) && !start.toString('latin1').split('\n').some(isOfLog)) return;
  throw new CallError({ source: path }, 'is a log, and the page would replace it', 'name the file of the page behind --html');
}
