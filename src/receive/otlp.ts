import { JsonBytes, type Span } from './json.js';
import type { LineBuffer } from './line-buffer.js';
import { replyJson, type Protocol, type RequestHead } from './protocol.js';
import { RefusedError, refuseProtobuf } from './refused-error.js';

const LOGS = '/v1/logs';

/** Codes of google.rpc.Status by status; INVALID_ARGUMENT for any other. */
const CODES: Readonly<Record<number, number>> = { 413: 8, 415: 12, 429: 8, 503: 14 };
const INVALID_ARGUMENT = 3;

/** Finds the protocol OTLP/HTTP for a path; undefined for other paths. */
export function findOtlp({ path, type }: RequestHead): Protocol | undefined {
  if (!path.endsWith(LOGS)) return undefined;
  return {
    read: (body, lines) => {
      refuseProtobuf(type, 'OTEL_EXPORTER_OTLP_PROTOCOL=http/json');
      readRequests(body, lines);
      return replyJson(200, {});
    },
    refuse: (status, message) => replyJson(status, { code: CODES[status] ?? INVALID_ARGUMENT, message }),
  };
}

/** `{"resourceLogs":[{"resource":{…},"scopeLogs":[{"logRecords":[{…}]}]}]}`, once or several times in a row: a line a log record. */
function readRequests(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  let count = 0;
  for (const request of json.values()) {
    count += 1;
    for (const resourceLogs of elementsOf(json, request, 'resourceLogs')) {
      const resource = json.member(resourceLogs.start, 'resource');
      for (const scopeLogs of elementsOf(json, resourceLogs, 'scopeLogs')) {
        for (const record of elementsOf(json, scopeLogs, 'logRecords')) addRecord(json, record, resource, lines);
      }
    }
  }
  if (count === 0) throw new RefusedError(400, 'the body is empty');
}

function addRecord(json: JsonBytes, record: Span, resource: Span | undefined, lines: LineBuffer): void {
  // Refuses what is not an object, too.
  const hasMembers = json.firstMember(record.start) !== undefined;
  const { bytes } = json;
  if (resource === undefined) {
    lines.json(bytes, record.start, record.end);
  } else {
    // The record without its closing brace.
    lines.json(bytes, record.start, record.end - 1);
    lines.text(hasMembers ? ',"resource":' : '"resource":');
    lines.json(bytes, resource.start, resource.end);
    lines.text('}');
  }
  lines.endLine();
}

/** The elements of an array in an object; none if the object does not have the array. */
function elementsOf(json: JsonBytes, object: Span, name: string): Iterable<Span> {
  const found = json.member(object.start, name);
  return found === undefined ? [] : json.elements(found.start);
}
