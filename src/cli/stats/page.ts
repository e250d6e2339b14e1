import { checkByRule } from '../../check/check.js';
import { CallError, DataError } from '../../errors.js';
import { readStart } from '../../input/input.js';
import type { Destination } from '../../output/destination.js';
import { openReplacedFile } from '../../output/replaced-file.js';
import { inferLogDeployment } from '../../reading/inferred-groups.js';
import type { LogFiles } from '../../reading/log-files.js';
import { countLog, type LogCounts } from '../../stats/count-log.js';
import { formatPage } from '../../stats/page/format-page.js';
import type { CommandRun } from '../command-run.js';
import type { OpenLogs } from '../logs.js';
import { say } from '../messages.js';
import { STDOUT } from '../options/values.js';

/** Of a rule. */
const MAX_EXAMPLES = 3;

const START_BYTES = 16;

interface Page {
  readonly counts: LogCounts;
  readonly log: LogFiles;
  readonly page: string;
}

/**
 * Writes the page about a log, unless it is `STDOUT`, and returns it with what was counted. A pipe can be read only once: the log is checked
 * while it is counted. The page says why a log without a deployment is not checked.
 * @throws CallError for a file that cannot be written, one that the run reads, and one that is not a page
 */
export async function writePage(path: string, logs: OpenLogs, run: CommandRun, { stats, noun }: Destination): Promise<Page> {
  const usedFiles = [...run.usedFiles, { stats, role: 'report' } as const];
  const options = { usedFiles, noun, signal: run.signal, warn: say };
  const file = path === STDOUT ? undefined : run.closeAtEnd(await openReplacedFile(path, options, refuseOther));
  const inferred = await inferLogDeployment(logs.peek(), 'the log is not checked').catch((error: unknown) => {
    if (error instanceof DataError) return error.problem;
    throw error;
  });
  const [log, twin] = typeof inferred === 'string' ? [logs.log, logs.log] : logs.readTwice();
  const check = async () =>
    typeof inferred === 'string'
      ? inferred
      : { deployment: inferred.deployment, rules: await checkByRule(twin, inferred, MAX_EXAMPLES) };
  const [counts, checked] = await Promise.all([countLog(log, run.onRead), check()]);
  const page = formatPage(counts, log, checked);
  await file?.write(page);
  return { counts, log, page };
}

/** `stats --html error.log*` names a log where the file of the page belongs. */
function refuseOther(path: string): void {
  if (/^(?:<!doctype html|$)/i.test(readStart(path, START_BYTES).toString('latin1'))) return;
  throw new CallError({ source: path }, 'is not a page, and would be replaced by one', 'name the file of the page behind --html');
}
