import type { FindingCounts } from '../findings/finding-counts.js';
import type { FindingKind } from './kinds.js';
import type { FormMismatch } from './received-form.js';

/** The numbers of a comparison: records compared, findings by kind. */
export interface ComparisonSummary {
  readonly recordsSent: number;
  /** Records sent less those that are missing or altered. */
  readonly recordsDelivered: number;
  /** Of the records delivered, those in which bytes that are not UTF-8 were replaced; only with `isLossy`. */
  readonly lossy: number;
  /** Deprecation records of the expected log. */
  readonly groupsSent: number;
  /** Those of whose records none is missing or altered. */
  readonly groupsDelivered: number;
  /** Lines of the expected log, and received objects, that were not compared. */
  readonly expectedPassedOver: number;
  readonly receivedPassedOver: number;
  readonly counts: FindingCounts<FindingKind>;
  /** The likely reason that the received input as a whole could not be compared; left out where there is none. */
  readonly mismatch?: FormMismatch;
}

/** The share of the records sent that were delivered; 1 of none. */
export function shareOf({ recordsSent, recordsDelivered }: ComparisonSummary): number {
  return recordsSent === 0 ? 1 : recordsDelivered / recordsSent;
}

/** The number of findings of a kind, allowed or not. */
export function countOfKind({ found, allowed }: FindingCounts<FindingKind>, kind: FindingKind): number {
  return found.get(kind) ?? allowed.get(kind) ?? 0;
}
