import { checkLog, type CheckResult } from '../../check/check-log.js';
import { JSON_REPORT, TEXT_REPORT, type ReportFormat } from '../../check/report.js';
import { FindingCap } from '../../findings/finding-cap.js';
import type { Input } from '../../input/input.js';
import type { Output } from '../../output/output.js';
import { pack } from '../../output/pack.js';
import { renderTexts } from '../../output/render-texts.js';
import { writeChunks } from '../../output/write-chunks.js';
import { endWithFindings } from '../exit.js';
import { withLinesRead } from '../with-lines-read.js';
import { inputFile, openSource } from '../open-source.js';
import { readWithStatus } from '../read-status.js';
import { withDestination } from '../with-destination.js';
import type { CheckRunOptions } from './options.js';

const FORMATS: Readonly<Record<CheckRunOptions['format'], ReportFormat>> = { text: TEXT_REPORT, json: JSON_REPORT };

/**
 * Runs `check`.
 *
 * @param file the log; standard input for `-` and where no file is given
 * @throws the errors that `endWith` handles
 */
export async function runCheck(file: string | undefined, options: CheckRunOptions): Promise<void> {
  await withDestination({
    outputFile: options.outputFile,
    open: (signal) => openSource(file, 'check', 'log', signal),
    noun: 'violation',
    readFiles: (input) => [inputFile(input), ...options.readFiles],
    showsStatus: true,
    work: (input, { output }, signal) => withLinesRead(output, (onRead) => writeReport(input, output, options, signal, onRead)),
  });
}

async function writeReport(
  input: Input,
  output: Output,
  options: CheckRunOptions,
  signal: AbortSignal,
  onRead: (lines: number) => void,
): Promise<void> {
  const results: CheckResult[] = [];
  const lines = readReport(input, options, onRead, (result) => results.push(result));
  const pieces = renderTexts(lines, ({ text }) => text, 'utf8');
  await writeChunks(pack(pieces, input.hasMore), output, signal);
  if (results.some(({ counts }) => counts.total > 0)) endWithFindings();
}

/** Gives the lines of the report, a batch for each piece of input. */
async function* readReport(
  { chunks, source }: Input,
  { deployment, allowed, max, ...options }: CheckRunOptions,
  onRead: (lines: number) => void,
  onEnd: (result: CheckResult) => void,
): AsyncGenerator<readonly { readonly text: string; readonly line?: number }[]> {
  const format = FORMATS[options.format];
  const cap = new FindingCap(max);
  let summary = '';
  const onChecked = (result: CheckResult): void => {
    summary = format.formatSummary(result, source, cap.shown);
    onEnd(result);
  };
  const checking = checkLog(readWithStatus(chunks, true), deployment, { allowed, onRead, onEnd: onChecked });
  for await (const violations of checking) {
    yield cap.take(violations).map((violation) => ({ text: format.formatViolation(violation, source), line: violation.line }));
  }
  yield [{ text: summary }];
}
