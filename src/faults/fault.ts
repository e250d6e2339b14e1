import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import { formatJsonField } from '../log/json-text.js';
import { formatIso, stampAt } from '../log/timestamp.js';
import type { HeldGroup } from './held-group.js';
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

export type Groups = readonly [HeldGroup, ...HeldGroup[]];

export interface Change {
  /** Byte arrays and byte strings: joined, the lines that replace the groups. */
  readonly parts: readonly (Uint8Array | string)[];
  /** The first line that the fault touches, from 0, and the number of such lines. */
  readonly at: number;
  readonly touched: number;
  readonly details: FaultDetails;
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
 *
 * @param fault a fault from `injectFaults`
 * @param deployment the deployment that wrote the log: the request's time is on its clock
 */
export function formatFault({ line, lines, request, details }: Fault, deployment: Deployment): string {
  const head = `"kind":"${details.kind}","line":${String(line)},"lines":${String(lines)}`;
  return `{${head},"request":${formatRequest(request, deployment)}${formatDetails(details, deployment)}}\n`;
}

function formatRequest({ millisecond, method, target }: LogRequest, deployment: Deployment): string {
  const timestamp = formatIso(stampAt(Math.floor(millisecond / 1000), deployment));
  return `{"timestamp":"${timestamp}",${formatJsonField('method', method)},${formatJsonField('target', target)}}`;
}

function formatDetails({ kind: _kind, ...details }: FaultDetails, deployment: Deployment): string {
  const format = ([name, value]: [string, string | number | readonly LogRequest[]]): string => {
    if (typeof value === 'string') return `,${formatJsonField(name, value)}`;
    const shown =
      typeof value === 'number' ? String(value) : `[${value.map((request) => formatRequest(request, deployment)).join()}]`;
    return `,"${name}":${shown}`;
  };
  return Object.entries(details).map(format).join('');
}
