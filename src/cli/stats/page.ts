import { checkByRule } from '../../check/check-by-rule.js';
import { DataError } from '../../errors.js';
import { readInStep } from '../../input/read-in-step.js';
import type { Deployment } from '../../log/deployment.js';
import { inferLogDeployment } from '../../reading/infer-log-deployment.js';
import { LogFiles } from '../../reading/log-files.js';
import { countLog, type LogCounts } from '../../stats/count-log.js';
import type { PageCheck } from '../../stats/page/sections.js';
import { formatPage } from '../../stats/page/format-page.js';
import type { OpenLogs } from '../logs.js';

/** The most violations of a rule that the page shows. */
const MAX_EXAMPLES = 3;

/** A log that is about to be counted. */
export interface Counting {
  /** The files that are read: places of lines are known to them. */
  readonly log: LogFiles;
  /** Reads the log. @param onRead is called with the number of lines read so far */
  readonly count: (onRead: (lines: number) => void) => Promise<Counted>;
}

/** A log that has been counted. */
export interface Counted {
  readonly counts: LogCounts;
  readonly formatPage: () => string;
}

/** Prepares a log to be counted, and to be checked in the same reading: a pipe can be read only once. The page shows both. */
export async function countForPage(logs: OpenLogs): Promise<Counting> {
  const deployment = await tryToInfer(logs);
  if (typeof deployment === 'string') return countingOf(logs.log, () => Promise.resolve(deployment));
  const files = logs.files.map(({ source, chunks }) => ({ source, readers: readInStep(chunks) }));
  const checked = new LogFiles(files.map(({ source, readers: [, chunks] }) => ({ source, chunks })));
  return countingOf(new LogFiles(files.map(({ source, readers: [chunks] }) => ({ source, chunks }))), async () => ({
    deployment,
    rules: await checkByRule(checked, deployment, MAX_EXAMPLES),
  }));
}

/** @param check runs beside the counting */
function countingOf(log: LogFiles, check: () => Promise<PageCheck | string>): Counting {
  return {
    log,
    count: async (onRead) => {
      const [counts, found] = await Promise.all([countLog(log, onRead), check()]);
      return { counts, formatPage: () => formatPage({ counts, places: log, check: found }) };
    },
  };
}

/** Infers the deployment that the log is checked against; gives the reason where there is none. */
async function tryToInfer(logs: OpenLogs): Promise<Deployment | string> {
  try {
    return await inferLogDeployment(logs.peek(), 'the log is not checked');
  } catch (error) {
    if (error instanceof DataError) return error.problem;
    throw error;
  }
}
