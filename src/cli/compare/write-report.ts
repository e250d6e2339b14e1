import { compareLogs } from '../../compare/compare-logs.js';
import type { ComparedSource } from '../../compare/compare-options.js';
import { JSON_REPORT, TEXT_REPORT, type FollowedLatency, type ReportFormat } from '../../compare/report.js';
import type { ComparisonSummary } from '../../compare/summary.js';
import type { Output } from '../../output/output.js';
import { pack } from '../../output/pack.js';
import type { Piece } from '../../output/piece.js';
import { renderSummary, renderTexts } from '../../output/render-texts.js';
import { writeChunks } from '../../output/write-chunks.js';
import { DataError, formatPlace } from '../../errors.js';
import { countOf } from '../../wording.js';
import { endWithFindings } from '../exit.js';
import { say } from '../messages.js';
import { describeMismatch } from './describe-mismatch.js';
import type { CompareRunOptions } from './options.js';

const FORMATS: Readonly<Record<CompareRunOptions['format'], ReportFormat>> = { text: TEXT_REPORT, json: JSON_REPORT };

/** The parts of one report. */
interface ReportRun {
  readonly options: CompareRunOptions;
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly latency?: FollowedLatency | undefined;
}

/**
 * Compares both sides, writes the report, and sets the exit code where something was found. Returns the fault of an expected log that
 * has lines but no records to compare.
 */
export async function writeReport(
  expected: ComparedSource,
  received: readonly ComparedSource[],
  run: ReportRun,
): Promise<DataError | undefined> {
  const summaries: ComparisonSummary[] = [];
  const pieces = readReport(expected, received, run, (summary) => summaries.push(summary));
  await writeChunks(
    pack(pieces, () => true),
    run.output,
    run.signal,
  );
  const [summary] = summaries;
  if (summary === undefined) return undefined;
  if (summary.counts.total > 0) endWithFindings();
  if (summary.mismatch !== undefined) {
    const sources = received.map(({ source }) => formatPlace({ source })).join(', ');
    say(`${sources}: ${describeMismatch(summary.mismatch, run.options.comparison)}`);
  }
  if (summary.recordsSent > 0 || summary.expectedPassedOver === 0) return undefined;
  const problem = `none of its ${countOf(summary.expectedPassedOver, 'line')} is a record to compare`;
  return new DataError({ source: expected.source }, problem, 'check the file, and --kind');
}

/** A line of the report: it comes from no line of one input. */
interface ReportLine {
  readonly text: string;
  readonly line?: number;
}

/** Gives the lines of the report, a batch at a time, then the summary. */
async function* readReport(
  expected: ComparedSource,
  received: readonly ComparedSource[],
  { options, latency }: ReportRun,
  onEnd: (summary: ComparisonSummary) => void,
): AsyncGenerator<Iterable<Piece>> {
  const format = FORMATS[options.format];
  const context = { expectedSource: expected.source, latency };
  const { comparison, kind, isLossy, allowed, max } = options;
  let shown = 0;
  let summaryText = '';
  const comparing = compareLogs(expected, received, {
    comparison,
    ...(kind !== undefined && { kind }),
    isLossy,
    allowed,
    max,
    onEnd: (summary) => {
      summaryText = format.formatSummary(summary, shown, context);
      onEnd(summary);
    },
  });
  const readLines = async function* (): AsyncGenerator<readonly ReportLine[]> {
    for await (const findings of comparing) {
      shown += findings.length;
      yield findings.map((finding) => ({ text: format.formatFinding(finding, context) }));
    }
  };
  yield* renderTexts(readLines(), ({ text }) => text, 'utf8');
  yield [renderSummary(summaryText)];
}
