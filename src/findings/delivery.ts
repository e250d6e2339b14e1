import { formatPlace } from '../errors.js';
import { jsonFieldsOf } from '../log/json-text.js';
import { countOf } from '../wording.js';
import { formatFinding } from './finding.js';
import { quoted, statement, VALUE } from './statement.js';

/** A difference between what was sent and what was received: a stretch of records in a row of one kind. */
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
  /** The first record, a byte string without LF. Where parsed fields are compared, the line of the first record. */
  readonly text: string;
  /** For `altered`: the line of the expected log that stands altered here. */
  readonly expectedLine?: number;
  /** For `altered`: that line of the expected log, a byte string without LF. */
  readonly expectedText?: string;
  /** The alteration of the record, or the reason that the lines cannot be records: words that are safe for a terminal. */
  readonly how?: string;
}

/**
 * Formats a finding for people: `SOURCE:LINE: kind: …`, of several records `SOURCE:LINE-LINE: kind: N records; first …`. Ends in LF.
 *
 * @param expectedSource the expected log, as it was named
 */
export function formatTextFinding(finding: DeliveryFinding<string>, expectedSource: string): string {
  const { text, how, records, expectedLine, expectedText } = finding;
  const first = how === undefined ? quoted(text) : statement(`${how}: "${VALUE}"`, text);
  const found = records === 1 ? first : { ...first, words: `${String(records)} records; first ${first.words}` };
  if (expectedLine === undefined || expectedText === undefined) return formatFinding({ ...finding, found });
  const expected = statement(`"${VALUE}" of ${formatPlace({ source: expectedSource, line: expectedLine })}`, expectedText);
  return formatFinding({ ...finding, found, expected });
}

/** Formats a finding for machines: an object of JSON with its text whole, and LF. `time` comes first where there is one. */
export function formatJsonFinding(finding: DeliveryFinding<string> & { readonly time?: string }): string {
  const { time, kind, source, line, records, text, expectedLine, how } = finding;
  return `${JSON.stringify({ time, kind, source, line, records, ...jsonFieldsOf('text', text), expected_line: expectedLine, how })}\n`;
}

/** The numbers of records that a share is of. */
export interface DeliveredRecords {
  /** Records of the expected log that were compared. */
  readonly recordsSent: number;
  /** Records sent less those that are missing or altered. */
  readonly recordsDelivered: number;
}

/** The share of the records sent that were delivered; 1 of none. */
export function shareOf({ recordsSent, recordsDelivered }: DeliveredRecords): number {
  return recordsSent === 0 ? 1 : recordsDelivered / recordsSent;
}

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

/** The part of a summary about records that were delivered with replaced bytes; empty if there are none. */
export function lossyOf(lossy: number): string[] {
  return lossy > 0 ? [`${String(lossy)} with bytes replaced that are not UTF-8`] : [];
}
