import type { ComparisonFinding, ComparisonSummary, FindingKind } from '../../compare/findings.js';
import type { Comparison } from '../../compare/options.js';
import { JSON_REPORT, TEXT_REPORT, type FollowedLatency } from '../../compare/report.js';
import type { Output } from '../../output/destination.js';
import { writePieces } from '../../output/pack.js';
import { DataError } from '../../errors.js';
import type { LogRecord } from '../../log/line.js';
import { countOf } from '../../wording.js';
import type { OutputOptions } from '../command-run.js';
import { endWithFindings } from '../exit.js';
import type { FindingOptions } from '../options/findings.js';
import { renderReport } from '../render-report.js';
import { sayMismatch } from '../say-mismatch.js';

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

/** The findings of a comparison. */
interface ReportedComparison {
  readonly findings: AsyncIterable<readonly ComparisonFinding[]>;
  /** The end of the comparison, once all findings have been taken. */
  readonly end: () => ComparisonEnd | undefined;
  readonly expectedSource: string;
  readonly receivedSources: readonly string[];
}

/** The numbers of a comparison. */
export interface ComparisonEnd {
  readonly summary: ComparisonSummary;
  /** The times that records took; left out where the inputs were not followed. */
  readonly latency?: FollowedLatency;
}

/**
 * Writes the report of a comparison, and sets the exit code where something was found. Returns the fault of an expected log that has
 * lines but no records to compare.
 */
export async function writeReport(
  { findings, end: endOf, expectedSource, receivedSources }: ReportedComparison,
  { json, comparison }: CompareOptions,
  output: Output,
  signal: AbortSignal,
): Promise<DataError | undefined> {
  const format = json === true ? JSON_REPORT : TEXT_REPORT;
  const report = renderReport(
    findings,
    (finding) => format.formatFinding(finding, { expectedSource }),
    (shown) => {
      const end = endOf();
      return end && format.formatSummary(end.summary, shown, { expectedSource, latency: end.latency });
    },
  );
  await writePieces(report, output, signal);
  const end = endOf();
  if (end === undefined) return undefined;
  const { counts, mismatch, recordsSent, expectedPassedOver } = end.summary;
  if (counts.total > 0) endWithFindings();
  sayMismatch(mismatch, receivedSources, comparison);
  if (recordsSent > 0 || expectedPassedOver === 0) return undefined;
  const problem = `none of its ${countOf(expectedPassedOver, 'line')} is a record to compare`;
  return new DataError({ source: expectedSource }, problem, 'check the file, and --kind');
}
