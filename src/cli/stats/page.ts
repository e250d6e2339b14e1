import { checkByRule } from '../../check/check.js';
import { CallError, DataError } from '../../errors.js';
import { readStart } from '../../input/input.js';
import type { Destination } from '../../output/destination.js';
import { openReplacedFile } from '../../output/replaced-file.js';
import { inferLogDeployment } from '../../reading/infer-log-deployment.js';
import type { LogFiles } from '../../reading/log-files.js';
import type { LogCounts } from '../../stats/count-log.js';
import { formatPage, type PageCheck } from '../../stats/page/format-page.js';
import type { CommandRun } from '../command-run.js';
import type { OpenLogs } from '../logs.js';
import { say } from '../messages.js';
import { STDOUT } from '../options/values.js';

/** The most violations of a rule that the page shows. */
const MAX_EXAMPLES = 3;

/** The beginning of a page, in bytes. */
const START_BYTES = 16;

/** A page about a log that is counted and checked in one reading: a pipe can be read only once. */
interface Page {
  readonly log: LogFiles;
  /** Checks the log while it is counted, writes the page to its file, and returns it. */
  readonly write: (counting: Promise<LogCounts>) => Promise<string>;
}

/**
 * Opens the file of the page, unless it is `STDOUT`, and prepares the check of the log against the deployment of its own groups. The page
 * says why a log without one is not checked.
 *
 * @throws CallError for a file that cannot be written, one that the run reads, and one that is not a page
 */
export async function openPage(path: string, logs: OpenLogs, run: CommandRun, { stats, noun }: Destination): Promise<Page> {
  const usedFiles = [...run.usedFiles, { stats, role: 'report' } as const];
  const options = { usedFiles, noun, signal: run.signal, warn: say };
  const file = path === STDOUT ? undefined : run.closeAtEnd(await openReplacedFile(path, options, refuseOther));
  const pageOf = (log: LogFiles, check: () => Promise<PageCheck | string>): Page => ({
    log,
    write: async (counting) => {
      const [counts, checked] = await Promise.all([counting, check()]);
      const page = formatPage(counts, log, checked);
      await file?.write(page);
      return page;
    },
  });
  try {
    const inferred = await inferLogDeployment(logs.peek(), 'the log is not checked');
    const { deployment } = inferred;
    const [log, checked] = logs.readTwice();
    return pageOf(log, async () => ({ deployment, rules: await checkByRule(checked, inferred, MAX_EXAMPLES) }));
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    const { problem } = error;
    return pageOf(logs.log, () => Promise.resolve(problem));
  }
}

/** Refuses to replace what is not a page: `stats --html error.log*` names a log where the file of the page belongs. */
function refuseOther(path: string): void {
  if (/^(?:<!doctype html|$)/i.test(readStart(path, START_BYTES).toString('latin1'))) return;
  throw new CallError({ source: path }, 'is not a page, and would be replaced by one', 'name the file of the page behind --html');
}
