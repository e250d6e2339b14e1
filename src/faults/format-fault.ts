import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import { formatJsonField } from '../log/json-text.js';
import { formatIso, stampAt } from '../log/timestamp.js';
import type { Fault, FaultDetails } from './fault.js';

/**
 * A line of the fault report: a JSON object with `kind`, `line`, `lines`, `request` and what the kind has besides. Text, to be written as
 * UTF-8; ends in LF. A value that is not UTF-8 has U+FFFD where it is not, and its bytes beside it, in a field of its name and `_base64`.
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
