import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import { jsonFieldsOf } from '../log/byte-string.js';
import { formatIso, stampAt } from '../log/timestamp.js';
import type { FaultKind, ForeignRecord } from './kinds.js';

/** The details of a fault, beyond its lines and its request. */
export type FaultDetails =
  | { readonly kind: Exclude<FaultKind, 'torn' | 'altered' | 'interleave' | 'foreign'> }
  /** The number of bytes of the record that remain. */
  | { readonly kind: 'torn'; readonly bytes: number }
  /** The changed field, named as in `parse --as records`, its value before and its value now; texts are byte strings. */
  | { readonly kind: 'altered'; readonly field: string; readonly from: string | number; readonly to: string | number }
  /** All requests of the cluster, in the order in which their groups begin. */
  | { readonly kind: 'interleave'; readonly requests: readonly LogRequest[] }
  /** The kind of the record; of a failed login the user and the client's address, byte strings. */
  | { readonly kind: 'foreign'; readonly record: ForeignRecord; readonly user?: string; readonly address?: string };

/** A group that may become part of a fault. Its lines are byte strings without LF. */
export interface Group<T extends LogRequest = LogRequest> {
  readonly request: T;
  readonly second: number;
  readonly bytes: number;
  readonly lines: readonly string[];
}

export type Groups = readonly [Group, ...Group[]];

/** The lines that replace groups: those before the fault, those that it touches, and those after it. */
export interface Change {
  readonly before: readonly string[];
  readonly touched: readonly string[];
  readonly after: readonly string[];
  readonly details: FaultDetails;
}

export function replaceLines(
  lines: readonly string[],
  at: number,
  replaced: number,
  touched: readonly string[],
  details: FaultDetails,
): Change {
  return { before: lines.slice(0, at), touched, after: lines.slice(at + replaced), details };
}

/** A fault in a log. */
export interface Fault {
  /** The first line that the fault touches, counted from the first line (1) that the run writes. */
  readonly line: number;
  /** The number of lines that the fault touches. */
  readonly lines: number;
  /** The request of the group at which the fault begins. */
  readonly request: LogRequest;
  readonly details: FaultDetails;
}

/**
 * Formats a line of the fault report: a JSON object with `kind`, `line`, `lines`, `request` and the details of the kind. Text, to be
 * written as UTF-8; ends in LF. U+FFFD replaces bytes that are not UTF-8; a field with `_base64` behind its name then has the bytes.
 * @param fault a fault from `injectFaults`
 * @param deployment the deployment that wrote the log: the request's time is on its clock
 */
export function formatFault({ line, lines, request, details }: Fault, deployment: Deployment): string {
  const { kind, ...rest } = details;
  const showRequest = ({ millisecond, method, target }: LogRequest): object => {
    const timestamp = formatIso(stampAt(Math.floor(millisecond / 1000), deployment));
    return { timestamp, ...jsonFieldsOf('method', method), ...jsonFieldsOf('target', target) };
  };
  const shown = Object.entries<string | number | readonly LogRequest[]>(rest).map(([name, value]): object => {
    if (typeof value === 'string') return jsonFieldsOf(name, value);
    return { [name]: typeof value === 'number' ? value : value.map(showRequest) };
  });
  return `${JSON.stringify(Object.assign({ kind, line, lines, request: showRequest(request) }, ...shown))}\n`;
}
