import { formatPlace } from '../errors.js';
import { jsonFieldsOf } from '../log/byte-string.js';
import { countOf } from '../wording.js';
import { formatCounts, type FindingCounts } from './finding-counts.js';
import { formatFinding, VALUE } from './finding.js';
import { latencyOf, type FollowedLatency } from './latencies.js';

/** A difference between what was sent and what was received: consecutive records of one kind. */
export interface DeliveryFinding<Kind extends string> {
  /** `altered` is always a finding of its own. */
  readonly kind: Kind;
  /** The input at whose lines the difference is: the expected log for `missing`, else a received one. */
  readonly source: string;
  /** The physical line of the first record, from 1. */
  readonly line: number;
  /** The physical line of the last record. */
  readonly lastLine: number;
  /** The number of records; 1 for `altered`. */
  readonly records: number;
  /**
   * The first record, a byte string without LF. Where parsed fields are compared, the line of the first record. Of a line over 1 MiB, its
   * beginning.
   */
  readonly text: string;
  /** For `altered`: the line of the expected log that stands altered here. */
  readonly expectedLine?: number;
  /** For `altered`: that line of the expected log, a byte string without LF. */
  readonly expectedText?: string;
  /** The alteration of the record, or the reason that the lines cannot be records: words that are safe for a terminal. */
  readonly how?: string;
}

/** Formats a finding for people: `SOURCE:LINE: kind: …`, of several records `SOURCE:LINE-LINE: kind: N records; first …`, and LF. */
export function formatTextFinding(finding: DeliveryFinding<string>, expectedSource: string): string {
  const { text, how, records, expectedLine, expectedText } = finding;
  const count = records === 1 ? '' : `${String(records)} records; first `;
  const found = { words: `${count}${how === undefined ? '' : `${how}: `}"${VALUE}"`, value: text };
  if (expectedLine === undefined) return formatFinding({ ...finding, found });
  const words = `"${VALUE}" of ${formatPlace({ source: expectedSource, line: expectedLine })}`;
  return formatFinding({ ...finding, found, expected: { words, ...(expectedText !== undefined && { value: expectedText }) } });
}

/** Formats a finding for machines: an object of JSON with its text whole, and LF. */
export function formatJsonFinding(finding: DeliveryFinding<string>): string {
  const { kind, source, line, records, text, expectedLine, how } = finding;
  return `${JSON.stringify({ kind, source, line, records, ...jsonFieldsOf('text', text), expected_line: expectedLine, how })}\n`;
}

/** The numbers of records that a share is of. */
export interface DeliveredRecords {
  /** Records of the expected log that were compared. */
  readonly recordsSent: number;
  /** Records sent less those that are missing or altered. */
  readonly recordsDelivered: number;
}

/** The numbers at the end of a report about what was delivered. */
export interface DeliverySummary<Kind extends string> extends DeliveredRecords {
  /** Records by kind of finding. */
  readonly counts: FindingCounts<Kind>;
  /** Records that were delivered with replaced bytes. */
  readonly lossy: number;
  /** The times that records took; left out where the inputs were not followed. */
  readonly latency?: FollowedLatency | undefined;
}

/** Formats a summary for people: `app.log: 39 of 40 records delivered (97.5 %): 1 missing; …`, and LF. @param others what else was not compared */
export function formatTextSummary(summary: DeliverySummary<string>, source: string, others: readonly string[]): string {
  const { recordsSent, recordsDelivered, counts, lossy, latency } = summary;
  const share = `${String(recordsDelivered)} of ${countOf(recordsSent, 'record')} delivered (${formatShare(shareOf(summary))})`;
  const delivered = recordsSent === 0 ? 'no record was sent' : share;
  const replaced = lossy > 0 ? [`${String(lossy)} with bytes replaced that are not UTF-8`] : [];
  const parts = [`${delivered}${formatCounts(counts, 'finding')}`, ...replaced, ...others, ...latencyOf(latency)];
  return `${formatPlace({ source })}: ${parts.join('; ')}\n`;
}

/** Formats a summary for machines: an object of JSON, and LF. @param more `time`, which comes first, and further numbers by their names */
export function formatJsonSummary(
  { recordsSent, recordsDelivered, counts, lossy, latency }: DeliverySummary<string>,
  { time, ...more }: Readonly<Record<string, string | number>> = {},
): string {
  return `${JSON.stringify({
    time,
    kind: 'summary',
    records_sent: recordsSent,
    records_delivered: recordsDelivered,
    share: shareOf({ recordsSent, recordsDelivered }),
    ...Object.fromEntries(counts.kinds.map((kind) => [kind, counts.of(kind)])),
    ...more,
    lossy,
    latency_ms: latency ?? null,
  })}\n`;
}

/** The share of the records sent that were delivered; 1 of none. */
export function shareOf({ recordsSent, recordsDelivered }: DeliveredRecords): number {
  return recordsSent === 0 ? 1 : recordsDelivered / recordsSent;
}

/** A share in per cent, never rounded to all or nothing. */
function formatShare(share: number): string {
  if (share === 0 || share === 1) return `${String(100 * share)} %`;
  return `${String(Math.min(99.99, Math.max(0.01, Number((100 * share).toFixed(2)))))} %`;
}
