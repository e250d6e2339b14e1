import type { DigestRecord } from './digest.js';
import type { Run } from './run-list.js';

/** The texts behind the digests, for those who match records. */
export interface PasserOptions {
  readonly digestRecord: DigestRecord;
  /** True if records with equal digests are equal; left out where they always are. */
  readonly isSame?: ((sent: Buffer, received: Buffer) => boolean) | undefined;
  /** The compared part of an expected record that has been passed, by its number; valid until the next call. */
  readonly readSent: (record: number) => Buffer;
  /** Reading that is not the same as what was compared, or takes long: expected records are remembered from the first one on. */
  readonly remembersAll: boolean;
  /** The compared part of a received record that waits. */
  readonly readReceived: (slot: number) => Buffer;
  /** Keeps the text of a received record that waits; it is the next one of the window. */
  readonly keepReceived: (slot: number) => void;
  readonly onReordered: (run: Run) => void;
}
