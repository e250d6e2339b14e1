import { formatPlace } from '../errors.js';
import { formatCounts } from '../findings/finding-counts.js';
import { jsonFieldsOf } from '../log/json-text.js';
import { countOf, showBytes } from '../wording.js';
import { FINDING_KINDS, type ComparisonFinding } from './kinds.js';
import { shareOf, type ComparisonSummary } from './summary.js';

/** How long records took and the time between looks, in milliseconds; null where no record was seen to appear on both sides. */
export interface FollowedLatency {
  readonly p50: number | null;
  readonly p99: number | null;
  readonly max: number | null;
  readonly resolution: number;
}

/** A form of the report: a line for each finding, then a line of summary. Each ends in LF. */
export interface ComparisonFormat {
  readonly formatFinding: (finding: ComparisonFinding) => string;
  /**
   * @param source the expected log, as the user named it
   * @param shown the number of findings that were written
   */
  readonly formatSummary: (
    summary: ComparisonSummary,
    source: string,
    shown: number,
    latency: FollowedLatency | undefined,
  ) => string;
}

/** Records up to this length are shown whole, as most are. */
const SHOWN_CHARACTERS = 320;

/** For people: `SOURCE:LINE: kind: …`. */
export const TEXT_COMPARISON: ComparisonFormat = {
  formatFinding: ({ kind, source, line, text, expectedLine, how }) => {
    const why = how === undefined ? '' : `${how}: `;
    const of = expectedLine === undefined ? '' : ` of line ${String(expectedLine)}`;
    return `${formatPlace({ source, line })}: ${kind}: ${why}"${showBytes(text, SHOWN_CHARACTERS)}"${of}\n`;
  },
  formatSummary: (summary, source, shown, latency) => {
    const { recordsSent, recordsDelivered, groupsSent, groupsDelivered, counts } = summary;
    const records = `${String(recordsDelivered)} of ${countOf(recordsSent, 'record')} delivered (${formatShare(shareOf(summary))})`;
    const groups = `${String(groupsDelivered)} of ${countOf(groupsSent, 'group')}`;
    return `${formatPlace({ source })}: ${records}, ${groups}${formatPassedOver(summary)}${formatCounts(counts, shown)}${formatLatency(latency)}\n`;
  },
};

/** For machines: NDJSON, an object for each finding with whole values, then an object with the counts. */
export const JSON_COMPARISON: ComparisonFormat = {
  formatFinding: ({ kind, source, line, text, expectedLine, how }) =>
    `${JSON.stringify({ kind, source, line, ...jsonFieldsOf('text', text), expected_line: expectedLine, how })}\n`,
  formatSummary: (summary, _source, _shown, latency) => {
    const { found, allowed } = summary.counts;
    const counts = FINDING_KINDS.map((kind) => [kind, found.get(kind) ?? allowed.get(kind) ?? 0]);
    return `${JSON.stringify({
      kind: 'summary',
      records_sent: summary.recordsSent,
      records_delivered: summary.recordsDelivered,
      groups_sent: summary.groupsSent,
      groups_delivered: summary.groupsDelivered,
      share: shareOf(summary),
      ...Object.fromEntries(counts),
      lossy: summary.lossy,
      latency_ms: latency ?? null,
    })}\n`;
  },
};

/** A share of at most 1 in per cent; 100 % is never rounded up to. */
function formatShare(share: number): string {
  return share === 1 ? '100 %' : `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

function formatPassedOver({ expectedPassedOver, receivedPassedOver, lossy }: ComparisonSummary): string {
  const parts = [
    expectedPassedOver > 0 ? `; ${countOf(expectedPassedOver, 'expected line')} passed over` : '',
    receivedPassedOver > 0 ? `; ${countOf(receivedPassedOver, 'received object')} passed over` : '',
    lossy > 0 ? `; ${String(lossy)} lossy` : '',
  ];
  return parts.join('');
}

function formatLatency(latency: FollowedLatency | undefined): string {
  if (latency === undefined || latency.p50 === null || latency.p99 === null || latency.max === null) return '';
  const { p50, p99, max, resolution } = latency;
  const shown = (ms: number): string => `${ms.toFixed(0)} ms`;
  return `; records took ${shown(p50)} (p50), ${shown(p99)} (p99), ${shown(max)} (max), looked at every ${shown(resolution)}`;
}
