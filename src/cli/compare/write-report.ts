import type { ComparisonFinding, ComparisonSummary } from '../../compare/findings.js';
import { JSON_REPORT, TEXT_REPORT, type FollowedLatency, type ReportFormat } from '../../compare/report.js';
import type { Output } from '../../output/output.js';
import { pack } from '../../output/pack.js';
import type { Piece } from '../../output/piece.js';
import { renderSummary, renderTexts } from '../../output/render-texts.js';
import { writeChunks } from '../../output/write-chunks.js';
import { DataError, formatPlace } from '../../errors.js';
import { countOf } from '../../wording.js';
import { endWithFindings } from '../exit.js';
import { say } from '../messages.js';
import { describeMismatch } from '../describe-mismatch.js';
import type { CompareRunOptions } from './options.js';

const FORMATS: Readonly<Record<CompareRunOptions['format'], ReportFormat>> = { text: TEXT_REPORT, json: JSON_REPORT };

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
  options: CompareRunOptions,
  output: Output,
  signal: AbortSignal,
): Promise<DataError | undefined> {
  await writeChunks(
    pack(readReport(comparison, FORMATS[options.format]), () => false),
    output,
    signal,
  );
  const { summary } = comparison.end();
  if (summary.counts.total > 0) endWithFindings();
  if (summary.mismatch !== undefined) {
    const sources = comparison.receivedSources.map((source) => formatPlace({ source })).join(', ');
    say(`${sources}: ${describeMismatch(summary.mismatch, options.comparison)}`);
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
