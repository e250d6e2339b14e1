import type { ComparisonFinding, ComparisonSummary, FindingKind } from '../../compare/findings.js';
import type { Comparison } from '../../compare/options.js';
import { JSON_REPORT, TEXT_REPORT, type FollowedLatency, type ReportFormat } from '../../compare/report.js';
import type { Output } from '../../output/destination.js';
import { writePieces } from '../../output/pack.js';
import { renderSummary, renderTexts, type Piece } from '../../output/piece.js';
import { DataError, formatPlace } from '../../errors.js';
import type { LogRecord } from '../../log/line.js';
import { countOf } from '../../wording.js';
import type { OutputOptions } from '../command-run.js';
import { describeMismatch } from '../describe-mismatch.js';
import { endWithFindings } from '../exit.js';
import { say } from '../messages.js';
import type { FindingOptions } from '../options/findings.js';

/** The options of `compare`. */
export interface CompareOptions extends OutputOptions, FindingOptions<FindingKind> {
  readonly comparison: Comparison;
  readonly kind?: LogRecord['kind'] | undefined;
  readonly lossy?: true | undefined;
  /** Milliseconds without anything new after which the files are no longer followed; left out, the files are compared as they are. */
  readonly wait?: number | undefined;
}

/** The options of the comparison itself, by their names in the library. */
export function comparedBy({ comparison, kind, lossy, allow, max }: CompareOptions) {
  return {
    comparison,
    ...(kind !== undefined && { kind }),
    isLossy: lossy === true,
    ...(allow !== undefined && { allowed: allow }),
    max,
  };
}

/** The findings of a comparison, and its end once all of them have been taken. */
interface ReportedComparison {
  readonly findings: AsyncIterable<readonly ComparisonFinding[]>;
  readonly end: () => ComparisonEnd;
  readonly expectedSource: string;
  readonly receivedSources: readonly string[];
}

/** The numbers of a comparison. */
interface ComparisonEnd {
  readonly summary: ComparisonSummary;
  /** The times that records took; left out where the inputs were not followed. */
  readonly latency?: FollowedLatency;
}

/**
 * Writes the report of a comparison, and sets the exit code where something was found. Returns the fault of an expected log that has
 * lines but no records to compare.
 */
export async function writeReport(
  comparison: ReportedComparison,
  { json, comparison: how }: CompareOptions,
  output: Output,
  signal: AbortSignal,
): Promise<DataError | undefined> {
  await writePieces(readReport(comparison, json === true ? JSON_REPORT : TEXT_REPORT), output, signal);
  const { summary } = comparison.end();
  if (summary.counts.total > 0) endWithFindings();
  if (summary.mismatch !== undefined) {
    const sources = comparison.receivedSources.map((source) => formatPlace({ source })).join(', ');
    say(`${sources}: ${describeMismatch(summary.mismatch, how)}`);
  }
  if (summary.recordsSent > 0 || summary.expectedPassedOver === 0) return undefined;
  const problem = `none of its ${countOf(summary.expectedPassedOver, 'line')} is a record to compare`;
  return new DataError({ source: comparison.expectedSource }, problem, 'check the file, and --kind');
}

/** A line of the report: it comes from no line of one input. */
interface ReportLine {
  readonly text: string;
  readonly line?: number;
}

/** Gives the lines of the report, a batch at a time, then the summary. */
async function* readReport(comparison: ReportedComparison, format: ReportFormat): AsyncGenerator<Iterable<Piece>> {
  const { findings, end, expectedSource } = comparison;
  let shown = 0;
  const readLines = async function* (): AsyncGenerator<readonly ReportLine[]> {
    for await (const batch of findings) {
      shown += batch.length;
      yield batch.map((finding) => ({ text: format.formatFinding(finding, { expectedSource }) }));
    }
  };
  yield* renderTexts(readLines(), ({ text }) => text, 'utf8');
  const { summary, latency } = end();
  yield [renderSummary(format.formatSummary(summary, shown, { expectedSource, latency }))];
}
