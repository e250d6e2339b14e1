import type { LogRequest } from '../log/group.js';
import type { FaultKind } from './kinds.js';
import type { FailedLogin } from './foreign/failed-login.js';

/** The details of a fault in the report, besides its kind, its place and its request. */
export type FaultDetails =
  | { readonly kind: Exclude<FaultKind, 'torn' | 'altered' | 'interleave' | 'foreign'> }
  /** The number of bytes of the record that are kept. */
  | { readonly kind: 'torn'; readonly bytes: number }
  /** The changed field, by the name that `parse --as records` gives it, its value before and its value now; texts are byte strings. */
  | { readonly kind: 'altered'; readonly field: string; readonly from: string | number; readonly to: string | number }
  /** All requests of the cluster, in the order in which their groups begin. */
  | { readonly kind: 'interleave'; readonly requests: readonly LogRequest[] }
  | { readonly kind: 'foreign'; readonly login: FailedLogin | undefined };

/** A change of groups and its place. */
export interface Change {
  /** The number of lines afterwards. */
  readonly lineCount: number;
  /** Of these, the first that the fault touches (from 0), and how many it touches. */
  readonly at: number;
  readonly touched: number;
  readonly details: FaultDetails;
}

/** A change of several groups: their bytes in another order. */
export interface Rearrangement extends Change {
  /** Whole lines when put together. */
  readonly parts: readonly Uint8Array[];
}

/** A change within a group: some of its bytes give way to others. */
export interface Splice extends Change {
  /** The first byte that gives way, and the first one behind it that stays. */
  readonly from: number;
  readonly until: number;
  /** The text in their place: a byte string. */
  readonly put: string;
}

/** A fault as it stands in a log. */
export interface Fault {
  /** The first line that it touches, counted from the first line (1) that the run writes. */
  readonly line: number;
  /** The number of lines that it touches. */
  readonly lines: number;
  /** The request at whose group it begins. */
  readonly request: LogRequest;
  readonly details: FaultDetails;
}
