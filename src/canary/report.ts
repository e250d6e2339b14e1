import { formatPlace } from '../errors.js';
import { describeDelivered, lossyOf, shareOf } from '../findings/delivery.js';
import { FindingCounts, formatCounts } from '../findings/finding-counts.js';
import { followedLatency, latencyOf } from '../findings/latencies.js';
import { RESOLUTION_MS } from '../input/follower.js';
import { countOf } from '../wording.js';
import { CANARY_KINDS, type CanaryKind, type CanarySnapshot } from './findings.js';

/** Formats the summary for people: a line. @param logSource the log, as it was named */
export function formatTextSummary(end: CanarySnapshot, logSource: string, allowed: ReadonlySet<CanaryKind>): string {
  const { sent, delivered, others, lossy, findings, shown, latency } = end;
  const records = describeDelivered({ recordsSent: sent, recordsDelivered: delivered });
  const more = [
    ...lossyOf(lossy),
    ...(others > 0 ? [`${countOf(others, 'other record')} received`] : []),
    ...latencyOf(followedLatency(latency, RESOLUTION_MS)),
  ];
  const counts = formatCounts(countsOf(end, allowed), findings - shown);
  return `${formatPlace({ source: logSource })}: ${records}${counts}${more.map((part) => `; ${part}`).join('')}\n`;
}

/** Formats the summary for machines: an object of JSON, and LF. @param time ISO 8601, in UTC */
export function formatJsonSummary(end: CanarySnapshot, time: string): string {
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
}

/** The records with findings that are not allowed. */
export function countFound(end: CanarySnapshot, allowed: ReadonlySet<CanaryKind>): number {
  return countsOf(end, allowed).total;
}

function countsOf({ counts }: CanarySnapshot, allowed: ReadonlySet<CanaryKind>): FindingCounts<CanaryKind> {
  const found = new FindingCounts(CANARY_KINDS, allowed);
  for (const kind of CANARY_KINDS) if (counts[kind] > 0) found.add(kind, counts[kind]);
  return found;
}
