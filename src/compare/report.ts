import { formatPlace } from '../errors.js';
import { describeDelivered, lossyOf, shareOf } from '../findings/delivery.js';
import { formatCounts } from '../findings/finding-counts.js';
import { latencyOf, type FollowedLatency } from '../findings/latencies.js';
import { countOf } from '../wording.js';
import { FINDING_KINDS, type ComparisonSummary } from './findings.js';

/** The numbers at the end of a comparison. */
export interface ComparisonEnd {
  readonly summary: ComparisonSummary;
  /** The times that records took; left out where the inputs were not followed. */
  readonly latency?: FollowedLatency | undefined;
}

/**
 * Formats the summary for people: a line.
 *
 * @param expectedSource the expected log, as it was named
 * @param shown the number of findings that were written
 */
export function formatTextSummary({ summary, latency }: ComparisonEnd, expectedSource: string, shown: number): string {
  const { counts, findings, lossy, expectedPassedOver, receivedPassedOver } = summary;
  const more = [
    ...lossyOf(lossy),
    ...(expectedPassedOver > 0 ? [`${countOf(expectedPassedOver, 'expected line')} not compared`] : []),
    ...(receivedPassedOver > 0 ? [`${countOf(receivedPassedOver, 'received object')} not compared`] : []),
    ...latencyOf(latency),
  ];
  const records = `${describeDelivered(summary)}${formatCounts(counts, findings - shown)}`;
  return `${formatPlace({ source: expectedSource })}: ${[records, ...more].join('; ')}\n`;
}

/** Formats the summary for machines: an object of JSON, and LF. */
export function formatJsonSummary({ summary, latency }: ComparisonEnd): string {
  const { recordsSent, recordsDelivered, counts, lossy } = summary;
  return `${JSON.stringify({
    kind: 'summary',
    records_sent: recordsSent,
    records_delivered: recordsDelivered,
    share: shareOf(summary),
    ...Object.fromEntries(FINDING_KINDS.map((kind) => [kind, counts.of(kind)])),
    lossy,
    latency_ms: latency ?? null,
  })}\n`;
}
