import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import { formatJsonField } from '../log/json-text.js';
import { formatIso, stampAt } from '../log/timestamp.js';
import type { HeldGroup } from './held-group.js';
import type { FaultKind } from './kinds.js';

/** A user who could not log in, and the client's address. Byte strings. */
export interface FailedLogin {
  readonly user: string;
  readonly address: string;
}

/** The details of a fault in the report, besides its kind, its lines and its request. */
export type FaultDetails =
  | { readonly kind: Exclude<FaultKind, 'torn' | 'altered' | 'interleave' | 'foreign'> }
  /** The number of bytes of the record that are kept. */
  | { readonly kind: 'torn'; readonly bytes: number }
  /** The changed field, by the name that `parse --as records` gives it, its value before and its value now; texts are byte strings. */
  | { readonly kind: 'altered'; readonly field: string; readonly from: string | number; readonly to: string | number }
  /** All requests of the cluster, in the order in which their groups begin. */
  | { readonly kind: 'interleave'; readonly requests: readonly LogRequest[] }
  | { readonly kind: 'foreign'; readonly login: FailedLogin | undefined };

/** The groups that a fault takes: one, or those of a cluster. */
export type Groups = readonly [HeldGroup, ...HeldGroup[]];

/** Groups that have been changed. */
export interface Change {
  /** Byte arrays and byte strings: joined, the whole lines that replace the groups. */
  readonly parts: readonly (Uint8Array | string)[];
  /** The number of these lines. */
  readonly lineCount: number;
  /** The index (from 0) of the first line that the fault touches, and the number of lines that it touches. */
  readonly at: number;
  readonly touched: number;
  readonly details: FaultDetails;
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

/**
 * A line of the fault report: a JSON object with `kind`, `line`, `lines`, `request` and the details of the kind. Text, to be written as
 * UTF-8; ends in LF. A value that is not UTF-8 holds U+FFFD in place of its invalid bytes; a field with `_base64` behind its name then
 * holds the bytes.
 *
 * @param fault as `injectFaults` gives it
 * @param deployment the one that wrote the log: the request's time is on its clock
 */
export function formatFault({ line, lines, request, details }: Fault, deployment: Deployment): string {
  const place = `"kind":"${details.kind}","line":${String(line)},"lines":${String(lines)}`;
  return `{${place},"request":${formatRequest(request, deployment)}${formatDetails(details, deployment)}}\n`;
}

/** A request; its timestamp is that of the log, in ISO 8601 with the offset. */
function formatRequest({ millisecond, method, target }: LogRequest, deployment: Deployment): string {
  const timestamp = formatIso(stampAt(Math.floor(millisecond / 1000), deployment));
  return `{"timestamp":"${timestamp}",${formatJsonField('method', method)},${formatJsonField('target', target)}}`;
}

/** The further fields of a kind, each with a comma before it. */
function formatDetails(details: FaultDetails, deployment: Deployment): string {
  switch (details.kind) {
    case 'torn':
      return `,"bytes":${String(details.bytes)}`;
    case 'altered':
      return `,"field":"${details.field}",${formatValue('from', details.from)},${formatValue('to', details.to)}`;
    case 'interleave':
      return `,"requests":[${details.requests.map((request) => formatRequest(request, deployment)).join()}]`;
    case 'foreign':
      if (details.login === undefined) return '';
      return `,${formatJsonField('user', details.login.user)},${formatJsonField('address', details.login.address)}`;
    default:
      return '';
  }
}

function formatValue(name: string, value: string | number): string {
  return typeof value === 'string' ? formatJsonField(name, value) : `"${name}":${String(value)}`;
}
