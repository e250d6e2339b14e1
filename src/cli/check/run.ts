import { checkLog, type CheckResult } from '../../check/check-log.js';
import { JSON_REPORT, TEXT_REPORT, type ReportFormat } from '../../check/report.js';
import type { Violation } from '../../check/rules.js';
import { DataError } from '../../errors.js';
import { FindingCap } from '../../findings/finding-cap.js';
import type { Deployment } from '../../log/deployment.js';
import type { Output } from '../../output/destination.js';
import { writePieces } from '../../output/pack.js';
import { renderSummary, renderTexts, type Piece } from '../../output/piece.js';
import { inferLogDeployment } from '../../reading/infer-log-deployment.js';
import { nameSources } from '../../reading/line-places.js';
import { endWithFindings } from '../exit.js';
import { withLinesRead } from '../with-lines-read.js';
import { measureRead } from '../measure-read.js';
import { openLogs, type OpenLogs } from '../open-logs.js';
import { withDestination } from '../with-destination.js';
import type { CheckRunOptions } from './options.js';

const FORMATS: Readonly<Record<CheckRunOptions['format'], ReportFormat>> = { text: TEXT_REPORT, json: JSON_REPORT };

/**
 * Runs `check`.
 *
 * @param files the logs; standard input for `-` and where no file is given
 * @throws the errors that `endWith` handles
 */
export async function runCheck(files: readonly string[], options: CheckRunOptions): Promise<void> {
  await withDestination({
    outputFile: options.outputFile,
    open: (signal) => openLogs(files, 'check', signal),
    noun: 'violation',
    quiet: options.quiet,
    measure: measureRead,
    usedFiles: (logs) => [...logs.usedFiles, ...options.usedFiles],
    work: (logs, output, signal) =>
      withLinesRead(output, logs.log, async (onRead) => {
        const deployment = options.deployment ?? (await inferLogDeployment(logs.peek(), 'give --deployment instead of --infer'));
        const result = await writeReport({ logs, output, signal, onRead }, deployment, options);
        if (result === undefined) return undefined;
        if (result.counts.total > 0) endWithFindings();
        if (result.lines === 0 || result.records > 0 || options.allowed.has('foreign')) return undefined;
        return new DataError({ source: nameSources(logs.log) }, 'no line is a record', 'check the file');
      }),
  });
}

/** Arguments of `writeReport`. */
interface ReportRun {
  readonly logs: OpenLogs;
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly onRead: (lines: number) => void;
}

/** Writes the report. Returns the numbers of the check; undefined if the reader of the report went away. */
async function writeReport(
  { logs, output, signal, onRead }: ReportRun,
  deployment: Deployment,
  options: CheckRunOptions,
): Promise<CheckResult | undefined> {
  const results: CheckResult[] = [];
  const pieces = readReport(logs, deployment, options, onRead, (result) => results.push(result));
  await writePieces(pieces, output, signal, { hasMore: logs.hasMore });
  return results[0];
}

/** Gives the lines of the report, a batch for each piece of input, then the summary. */
async function* readReport(
  { log }: OpenLogs,
  deployment: Deployment,
  { allowed, max, ...options }: CheckRunOptions,
  onRead: (lines: number) => void,
  onEnd: (result: CheckResult) => void,
): AsyncGenerator<Iterable<Piece>> {
  const format = FORMATS[options.format];
  const cap = new FindingCap(max);
  let summary = '';
  const onChecked = (result: CheckResult): void => {
    summary = format.formatSummary(result, log, cap.shown);
    onEnd(result);
  };
  const checking = checkLog(log, deployment, { allowed, onRead, onEnd: onChecked });
  let failure: DataError | undefined;
  try {
    yield* renderTexts(capped(checking, cap), (violation) => format.formatViolation(violation, log), 'utf8');
  } catch (error) {
    // Of a log that cannot be read to its end, the summary is that of what came before.
    if (!(error instanceof DataError)) throw error;
    failure = error;
  }
  yield [renderSummary(summary)];
  if (failure !== undefined) throw failure;
}

/** Gives the violations that are shown. */
async function* capped(batches: AsyncIterable<readonly Violation[]>, cap: FindingCap): AsyncGenerator<readonly Violation[]> {
  for await (const violations of batches) yield cap.take(violations);
}
