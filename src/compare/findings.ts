import type { DeliveredRecords } from '../findings/delivery.js';
import type { FindingCounts } from '../findings/finding-counts.js';
import type { FormMismatch } from './received-form.js';

/** The kinds of finding, in the order in which counts are given. */
export const FINDING_KINDS = ['missing', 'duplicated', 'altered', 'reordered', 'foreign'] as const;

/**
 * The kind of a finding:
 * - `missing`: a record that was sent did not come;
 * - `duplicated`: a record came once more than it was sent;
 * - `altered`: a record stands where a missing record belongs, and resembles that record;
 * - `reordered`: one of the fewest records that would have to move for the order to be that of the expected log;
 * - `foreign`: anything else that came.
 */
export type FindingKind = (typeof FINDING_KINDS)[number];

/** A difference between the expected log and what was received: a stretch of records in a row of one kind. */
export interface ComparisonFinding<Kind extends string = FindingKind> {
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

/** The numbers of a comparison, in records. */
export interface ComparisonSummary extends DeliveredRecords {
  /** Of the records delivered, those in which bytes that are not UTF-8 were replaced; only with `isLossy`. */
  readonly lossy: number;
  /** Lines of the expected log that were not compared. */
  readonly expectedPassedOver: number;
  /** Received objects that were not compared. */
  readonly receivedPassedOver: number;
  /** Records by kind of finding. */
  readonly counts: FindingCounts<FindingKind>;
  /** The number of findings of kinds that are not allowed, those beyond `max` included. */
  readonly findings: number;
  /** The likely reason that the received input as a whole could not be compared; left out where there is none. */
  readonly mismatch?: FormMismatch;
}

/** The number of records with a finding of a kind, allowed or not. */
export function countOfKind({ found, allowed }: FindingCounts<FindingKind>, kind: FindingKind): number {
  return found.get(kind) ?? allowed.get(kind) ?? 0;
}
