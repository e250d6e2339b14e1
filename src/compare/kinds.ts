/** The kinds of record (2.1, 2.2). */
export const RECORD_KINDS = ['load_failure', 'deprecation'] as const;

/** The kinds of finding, in the order in which counts are given. */
export const FINDING_KINDS = ['missing', 'duplicated', 'altered', 'reordered', 'foreign'] as const;

/**
 * - `missing`: a record that was sent did not come;
 * - `duplicated`: a record came once more than it was sent, or a piece of a record came again in a repeated stretch;
 * - `altered`: a record stands where a missing record belongs, and resembles that record;
 * - `reordered`: one of the fewest records that would have to move for the order to be that of the expected log;
 * - `foreign`: anything else that came.
 */
export type FindingKind = (typeof FINDING_KINDS)[number];

/** A difference between the expected log and what was received. */
export interface ComparisonFinding {
  readonly kind: FindingKind;
  /** The input at whose line the difference is: the expected log for `missing`, else a received one. */
  readonly source: string;
  /** The physical line in it, from 1. */
  readonly line: number;
  /** The record at that line, a byte string without LF. Where parsed fields are compared, the received line. */
  readonly text: string;
  /** For `altered`: the line of the expected log that stands altered here. */
  readonly expectedLine?: number;
  /** For `altered`: that line of the expected log, a byte string without LF. */
  readonly expectedText?: string;
  /** The alteration of the record, or the reason that the line cannot be a record: words that are safe for a terminal. */
  readonly how?: string;
}
