import { formatPlace } from '../errors.js';
import { describeDelivered, lossyOf, shareOf } from '../findings/delivery.js';
import { formatFinding } from '../findings/finding.js';
import { formatCounts } from '../findings/finding-counts.js';
import { latencyOf, type FollowedLatency } from '../findings/latencies.js';
import { quoted, statement, VALUE } from '../findings/statement.js';
import { jsonFieldsOf } from '../log/json-text.js';
import { countOf } from '../wording.js';
import { countOfKind, FINDING_KINDS, type ComparisonFinding, type ComparisonSummary } from './findings.js';

/** Parts of a report that are not in the findings. */
interface ReportContext {
  /** The expected log, as it was named. */
  readonly expectedSource: string;
  /** The times that records took; left out where the inputs were not followed. */
  readonly latency?: FollowedLatency | undefined;
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

function passedOver({ lossy, expectedPassedOver, receivedPassedOver }: ComparisonSummary): string[] {
  return [
    ...lossyOf(lossy),
    ...(expectedPassedOver > 0 ? [`${countOf(expectedPassedOver, 'expected line')} not compared`] : []),
    ...(receivedPassedOver > 0 ? [`${countOf(receivedPassedOver, 'received object')} not compared`] : []),
  ];
}
