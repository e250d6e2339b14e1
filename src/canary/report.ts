import { shareOf } from '../compare/findings.js';
import { describeDelivered, followedLatency, JSON_REPORT, latencyOf, lossyOf, TEXT_REPORT } from '../compare/report.js';
import { formatPlace } from '../errors.js';
import { FindingCounts, formatCounts } from '../findings/finding-counts.js';
import { RESOLUTION_MS } from '../input/follower.js';
import { countOf } from '../wording.js';
import { CANARY_KINDS, type CanaryFinding, type CanaryKind, type CanarySnapshot } from './findings.js';

/** The form of a report: a line for each finding, then one line of summary. Each ends in LF. */
interface CanaryReportFormat {
  readonly formatFinding: (finding: CanaryFinding, logSource: string) => string;
  readonly formatSummary: (end: CanarySnapshot, context: SummaryContext) => string;
}

interface SummaryContext {
  /** The log, as it was named. */
  readonly logSource: string;
  readonly allowed: ReadonlySet<CanaryKind>;
  /** ISO 8601, in UTC. */
  readonly time: string;
}

/** The report for people. */
export const TEXT: CanaryReportFormat = {
  formatFinding: (finding, logSource) => TEXT_REPORT.formatFinding(finding, { expectedSource: logSource }),
  formatSummary: (end, { logSource, allowed }) => {
    const { sent, delivered, others, lossy, findings, shown, latency } = end;
    const records = describeDelivered({ recordsSent: sent, recordsDelivered: delivered });
    const more = [
      ...lossyOf(lossy),
      ...(others > 0 ? [`${countOf(others, 'other record')} received`] : []),
      ...latencyOf(followedLatency(latency, RESOLUTION_MS)),
    ];
    const counts = formatCounts(countsOf(end, allowed), findings - shown);
    return `${formatPlace({ source: logSource })}: ${records}${counts}${more.map((part) => `; ${part}`).join('')}\n`;
  },
};

/** The report for machines: NDJSON. */
export const JSON_LINES: CanaryReportFormat = {
  formatFinding: (finding, logSource) => JSON_REPORT.formatFinding(finding, { expectedSource: logSource }),
  formatSummary: (end, { time }) => {
    const { sent, delivered, counts, others, lossy, latency } = end;
    return `${JSON.stringify({
      time,
      kind: 'summary',
      records_sent: sent,
      records_delivered: delivered,
      share: shareOf({ recordsSent: sent, recordsDelivered: delivered }),
      ...counts,
      others,
      lossy,
      latency_ms: followedLatency(latency, RESOLUTION_MS),
    })}\n`;
  },
};

/** The records with findings that are not allowed. */
export function countFound(end: CanarySnapshot, allowed: ReadonlySet<CanaryKind>): number {
  return countsOf(end, allowed).total;
}

function countsOf({ counts }: CanarySnapshot, allowed: ReadonlySet<CanaryKind>): FindingCounts<CanaryKind> {
  const found = new FindingCounts(CANARY_KINDS, allowed);
  for (const kind of CANARY_KINDS) if (counts[kind] > 0) found.add(kind, counts[kind]);
  return found;
}
