import type { Deployment } from '../log/deployment.js';
import type { LogRequest } from '../log/group.js';
import { jsonFieldsOf } from '../log/json-text.js';
import { formatIso, stampAt } from '../log/timestamp.js';
import type { Fault, FaultDetails } from './fault.js';

/**
 * A line of the fault report: a JSON object with `kind`, `line`, `lines`, `request` and what the kind has besides. Text, to be written as
 * UTF-8; ends in LF. A value that is not UTF-8 has U+FFFD where it is not, and its bytes beside it, in a field of its name and `_base64`.
 */
export function formatFault({ line, lines, request, details }: Fault, deployment: Deployment): string {
  const fields = { kind: details.kind, line, lines, request: fieldsOf(request, deployment) };
  return `${JSON.stringify({ ...fields, ...detailFieldsOf(details, deployment) })}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a request; its timestamp is that of the log, in ISO 8601 with the offset. */
function fieldsOf({ millisecond, method, target }: LogRequest, deployment: Deployment): Fields {
  const timestamp = formatIso(stampAt(Math.floor(millisecond / 1000), deployment));
  return { timestamp, method, ...jsonFieldsOf('target', target) };
}

function detailFieldsOf(details: FaultDetails, deployment: Deployment): Fields {
  switch (details.kind) {
    case 'torn':
      return { bytes: details.bytes };
    case 'altered':
      return { field: details.field, ...valueFieldsOf('from', details.from), ...valueFieldsOf('to', details.to) };
    case 'interleave':
      return { requests: details.requests.map((request) => fieldsOf(request, deployment)) };
    case 'foreign':
      if (details.login === undefined) return {};
      return { ...jsonFieldsOf('user', details.login.user), ...jsonFieldsOf('address', details.login.address) };
    default:
      return {};
  }
}

function valueFieldsOf(name: string, value: string | number): Fields {
  return typeof value === 'string' ? jsonFieldsOf(name, value) : { [name]: value };
}
