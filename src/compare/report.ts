import { formatPlace } from '../errors.js';
import { formatFinding } from '../findings/finding.js';
import { formatCounts } from '../findings/finding-counts.js';
import { quoted, statement, VALUE } from '../findings/statement.js';
import { jsonFieldsOf } from '../log/json-text.js';
import { countOf } from '../wording.js';
import {
  countOfKind,
  FINDING_KINDS,
  shareOf,
  type ComparisonFinding,
  type ComparisonSummary,
  type DeliveredRecords,
  type LatencySummary,
} from './findings.js';

/** Parts of a report that are not in the findings. */
interface ReportContext {
  /** The expected log, as it was named. */
  readonly expectedSource: string;
  /** The times that records took; left out where the inputs were not followed. */
  readonly latency?: FollowedLatency | undefined;
}

/** The times that records took, in milliseconds; null where no record was seen to appear on both sides. */
export interface FollowedLatency extends Record<keyof LatencySummary, number | null> {
  /** The time between two looks. */
  readonly resolution: number;
}

/** A finding of `compare`, or of the canary, which has a time. */
interface ReportedFinding extends ComparisonFinding<string> {
  /** ISO 8601, in UTC. */
  readonly time?: string;
}

/** The form of a report: a line for each finding, then one line of summary. Each ends in LF. */
interface ReportFormat {
  readonly formatFinding: (finding: ReportedFinding, context: ReportContext) => string;
  /** @param shown the number of findings that were written */
  readonly formatSummary: (summary: ComparisonSummary, shown: number, context: ReportContext) => string;
}

/** The report for people: `SOURCE:LINE: kind: …`, of several records `SOURCE:LINE-LINE: kind: N records; first …`. */
export const TEXT_REPORT: ReportFormat = {
  formatFinding: (finding, { expectedSource }) => {
    const { text, how, records, expectedLine, expectedText } = finding;
    const first = how === undefined ? quoted(text) : statement(`${how}: "${VALUE}"`, text);
    const found = records === 1 ? first : { ...first, words: `${String(records)} records; first ${first.words}` };
    if (expectedLine === undefined || expectedText === undefined) return formatFinding({ ...finding, found });
    const expected = statement(`"${VALUE}" of ${formatPlace({ source: expectedSource, line: expectedLine })}`, expectedText);
    return formatFinding({ ...finding, found, expected });
  },
  formatSummary: (summary, shown, { expectedSource, latency }) => {
    const { counts, findings } = summary;
    const records = describeDelivered(summary);
    const more = [...passedOver(summary), ...latencyOf(latency)].map((part) => `; ${part}`).join('');
    return `${formatPlace({ source: expectedSource })}: ${records}${formatCounts(counts, findings - shown)}${more}\n`;
  },
};

/** The report for machines: NDJSON, an object for each finding with its text whole, then one object with the counts. */
export const JSON_REPORT: ReportFormat = {
  formatFinding: ({ time, kind, source, line, records, text, expectedLine, how }) =>
    `${JSON.stringify({ time, kind, source, line, records, ...jsonFieldsOf('text', text), expected_line: expectedLine, how })}\n`,
  formatSummary: (summary, _shown, { latency }) => {
    const { recordsSent, recordsDelivered, counts, lossy } = summary;
    return `${JSON.stringify({
      kind: 'summary',
      records_sent: recordsSent,
      records_delivered: recordsDelivered,
      share: shareOf(summary),
      ...Object.fromEntries(FINDING_KINDS.map((kind) => [kind, countOfKind(counts, kind)])),
      lossy,
      latency_ms: latency ?? null,
    })}\n`;
  },
};

/** The delivered records and their share: `39 of 40 records delivered (97.5 %)`. */
export function describeDelivered(records: DeliveredRecords): string {
  const { recordsSent, recordsDelivered } = records;
  return `${String(recordsDelivered)} of ${countOf(recordsSent, 'record')} delivered (${formatShare(shareOf(records))})`;
}

/** A share in per cent, never rounded to all or nothing. */
function formatShare(share: number): string {
  if (share === 0 || share === 1) return `${String(100 * share)} %`;
  return `${String(Math.min(99.99, Math.max(0.01, Number((100 * share).toFixed(2)))))} %`;
}

function passedOver({ lossy, expectedPassedOver, receivedPassedOver }: ComparisonSummary): string[] {
  return [
    ...lossyOf(lossy),
    ...(expectedPassedOver > 0 ? [`${countOf(expectedPassedOver, 'expected line')} not compared`] : []),
    ...(receivedPassedOver > 0 ? [`${countOf(receivedPassedOver, 'received object')} not compared`] : []),
  ];
}

/** The part of a summary about records that were delivered with replaced bytes; empty if there are none. */
export function lossyOf(lossy: number): string[] {
  return lossy > 0 ? [`${String(lossy)} with bytes replaced that are not UTF-8`] : [];
}

const NOT_MEASURED = { p50: null, p99: null, max: null } as const;

/** The times that records took, as a report gives them. @param resolution the milliseconds between two looks */
export function followedLatency(latency: LatencySummary | undefined, resolution: number): FollowedLatency {
  return { ...(latency ?? NOT_MEASURED), resolution };
}

/** The part of a summary about the times that records took; empty if none were measured. */
export function latencyOf(latency: FollowedLatency | undefined): string[] {
  if (latency === undefined || latency.max === null) return [];
  const times = (['p50', 'p99', 'max'] as const).map((name) => `${(latency[name] ?? 0).toFixed(0)} ms (${name})`);
  return [`records took ${times.join(', ')}, looked at every ${String(latency.resolution)} ms`];
}
