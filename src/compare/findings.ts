import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { FindingCounts } from '../findings/finding-counts.js';
import type { FormMismatch } from './received-form.js';

/** The kinds of record (2.1, 2.2). */
export const RECORD_KINDS = ['load_failure', 'deprecation'] as const;

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

/** The times that records took from one side to the other, in milliseconds. */
export interface LatencySummary {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const MICROSECONDS_PER_MS = 1000;

/** The times that records took from one side to the other. */
export class Latencies {
  /** In microseconds, one more than each time was: a histogram holds nothing below 1. Made when it is first used. */
  #histogram: RecordableHistogram | undefined;

  /**
   * Adds the time of some records.
   *
   * @param ms NaN if it is not known; below 0 is 0, since a record cannot come before it is sent, but may be seen before
   */
  add(ms: number, records = 1): void {
    if (Number.isNaN(ms)) return;
    this.#histogram ??= createHistogram();
    const microseconds = 1 + Math.max(0, Math.floor(ms * MICROSECONDS_PER_MS));
    for (let count = 0; count < records; count += 1) this.#histogram.record(microseconds);
  }

  /** Undefined where no time is known. */
  get summary(): LatencySummary | undefined {
    const histogram = this.#histogram;
    if (histogram === undefined) return undefined;
    const inMs = (microseconds: number): number => (microseconds - 1) / MICROSECONDS_PER_MS;
    return { p50: inMs(histogram.percentile(50)), p99: inMs(histogram.percentile(99)), max: inMs(histogram.max) };
  }
}

/** The numbers of a comparison, in records. */
export interface ComparisonSummary {
  /** Records of the expected log that were compared. */
  readonly recordsSent: number;
  /** Records sent less those that are missing or altered. */
  readonly recordsDelivered: number;
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

/** The numbers of records that a share is of. */
export type DeliveredRecords = Pick<ComparisonSummary, 'recordsSent' | 'recordsDelivered'>;

/** The share of the records sent that were delivered; 1 of none. */
export function shareOf({ recordsSent, recordsDelivered }: DeliveredRecords): number {
  return recordsSent === 0 ? 1 : recordsDelivered / recordsSent;
}

/** The number of records with a finding of a kind, allowed or not. */
export function countOfKind({ found, allowed }: FindingCounts<FindingKind>, kind: FindingKind): number {
  return found.get(kind) ?? allowed.get(kind) ?? 0;
}
