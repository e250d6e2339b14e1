import { checkLog, type CheckResult } from '../../check/check-log.js';
import { JSON_REPORT, TEXT_REPORT } from '../../check/report.js';
import type { Rule, Violation } from '../../check/rules.js';
import { DataError } from '../../errors.js';
import { FindingCap } from '../../findings/finding-counts.js';
import type { Deployment } from '../../log/deployment.js';
import type { UsedFile } from '../../output/log-file.js';
import { writePieces } from '../../output/pack.js';
import { renderSummary, renderTexts, type Piece } from '../../output/piece.js';
import { inferLogDeployment } from '../../reading/infer-log-deployment.js';
import { nameSources } from '../../reading/line-places.js';
import { runCommand, type CommandRun, type OutputOptions } from '../command-run.js';
import { endWithFindings } from '../exit.js';
import { openLogs, type OpenLogs } from '../logs.js';
import type { FindingOptions } from '../options/findings.js';

/** The options of `check`. */
interface CheckOptions extends OutputOptions, FindingOptions<Rule> {
  /** The deployment to compare with; undefined for that of the log's own groups. */
  readonly deployment: Deployment | undefined;
  /** The files that the options were read from. */
  readonly usedFiles: readonly UsedFile[];
}

/**
 * Runs `check`.
 *
 * @param files the logs; standard input for `-` and where no file is given
 * @throws the errors that `endWith` handles
 */
export async function runCheck(files: readonly string[], options: CheckOptions): Promise<void> {
  await runCommand({ ...options, noun: 'violation' }, async (run) => {
    const logs = await openLogs(files, 'check', run);
    const output = await run.openOutput([...logs.usedFiles, ...options.usedFiles], logs.measure);
    const deployment = options.deployment ?? (await inferLogDeployment(logs.peek(), 'give --deployment instead of --infer'));
    const results: CheckResult[] = [];
    await writePieces(readReport(logs, deployment, options, run, results), output, run.signal, { hasMore: logs.hasMore });
    const [result] = results;
    if (result === undefined) return undefined;
    if (result.counts.total > 0) endWithFindings();
    if (result.lines === 0 || result.records > 0 || options.allow?.has('foreign') === true) return undefined;
    return new DataError({ source: nameSources(logs.log) }, 'no line is a record', 'check the file');
  });
}

/** Gives the lines of the report, a batch for each piece of input, then the summary. @param results gets the result of the check */
async function* readReport(
  { log }: OpenLogs,
  deployment: Deployment,
  { allow: allowed = new Set<Rule>(), max, json }: CheckOptions,
  { onRead }: CommandRun,
  results: CheckResult[],
): AsyncGenerator<Iterable<Piece>> {
  const format = json === true ? JSON_REPORT : TEXT_REPORT;
  const cap = new FindingCap(max);
  const checking = checkLog(log, deployment, { allowed, onRead, onEnd: (result) => results.push(result) });
  let failure: DataError | undefined;
  try {
    yield* renderTexts(capped(checking, cap), (violation) => format.formatViolation(violation, log), 'utf8');
  } catch (error) {
    // Of a log that cannot be read to its end, the summary is that of what came before.
    if (!(error instanceof DataError)) throw error;
    failure = error;
  }
  for (const result of results) yield [renderSummary(format.formatSummary(result, log, cap.shown))];
  if (failure !== undefined) throw failure;
}

/** Gives the violations that are shown. */
async function* capped(batches: AsyncIterable<readonly Violation[]>, cap: FindingCap): AsyncGenerator<readonly Violation[]> {
  for await (const violations of batches) yield cap.take(violations);
}
