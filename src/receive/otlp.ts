import { JsonBytes, type Span } from '../json-bytes.js';
import type { LineBuffer } from './line-buffer.js';
import { replyJson, type Protocol } from './protocol.js';
import { RefusedError, refuseProtobuf } from './refused-error.js';

/** Codes of google.rpc.Status by status; INVALID_ARGUMENT for any other. */
const CODES: Readonly<Record<number, number>> = { 413: 8, 415: 12, 429: 8, 503: 14 };
const INVALID_ARGUMENT = 3;

/** The protocol OTLP/HTTP. */
export const OTLP: Protocol = {
  paths: /\/v1\/logs$/,
  read: (body, lines, { type }) => {
    refuseProtobuf(type, 'OTEL_EXPORTER_OTLP_PROTOCOL=http/json');
    readRequests(body, lines);
    return replyJson(200, {});
  },
  refuse: (status, message) => replyJson(status, { code: CODES[status] ?? INVALID_ARGUMENT, message }),
};

/** `{"resourceLogs":[{"resource":{…},"scopeLogs":[{"logRecords":[{…}]}]}]}`, once or several times in a row: a line a log record. */
function readRequests(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  if (json.skipBlanks(0) === body.length) throw new RefusedError(400, 'the body is empty');
  for (const request of json.values()) {
    for (const resourceLogs of elementsOf(json, request, 'resourceLogs')) {
      const resource = json.member(resourceLogs.start, 'resource');
      for (const scopeLogs of elementsOf(json, resourceLogs, 'scopeLogs')) {
        for (const record of elementsOf(json, scopeLogs, 'logRecords')) {
          const isEmpty = json.isEmptyObject(record.start);
          const open = { start: record.start, end: record.end - 1 };
          lines.add(resource === undefined ? [record] : [open, isEmpty ? '"resource":' : ',"resource":', resource, '}']);
        }
      }
    }
  }
}

/** The elements of an array in an object; none if the object does not have the array. */
function elementsOf(json: JsonBytes, object: Span, name: string): Iterable<Span> {
  const found = json.member(object.start, name);
  return found === undefined ? [] : json.elements(found.start);
}
