import { countOf } from '../wording.js';

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
