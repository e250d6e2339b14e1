import { JsonBytes, type Span } from '../log/json-bytes.js';
import type { LineBuffer } from './lines.js';
import type { Message } from './protobuf.js';
import { RefusedError } from './bodies.js';
import { replyJson, type Protocol, type Reply } from './protocols.js';

/** Codes of google.rpc.Status by status; INVALID_ARGUMENT for any other. */
const CODES: Readonly<Record<number, number>> = { 413: 8, 415: 12, 429: 8, 500: 13, 502: 14, 503: 14, 504: 14 };
const INVALID_ARGUMENT = 3;

export const OTLP: Protocol = {
  read: (body, lines) => {
    readRequests(body, lines);
    return { answer: () => replyJson(200, {}) };
  },
  readProtobuf: async (body, lines) => {
    await readProtobuf(body, lines);
    return { answer: () => replyProtobuf(200, '') };
  },
  refuse: (status, message, { type }) => {
    const code = CODES[status] ?? INVALID_ARGUMENT;
    if (type.includes('protobuf')) return replyProtobuf(status, formatStatus(code, message));
    return replyJson(status, { code, message });
  },
};

function replyProtobuf(status: number, body: string): Reply {
  return { status, type: 'application/x-protobuf', body };
}

/** google.rpc.Status in Protobuf: 1 is the code, 2 the message. @returns a byte string */
function formatStatus(code: number, message: string): string {
  const length = message.length < 0x80 ? [message.length] : [(message.length & 0x7f) | 0x80, message.length >> 7];
  return `${String.fromCharCode(0x08, code, 0x12, ...length)}${message}`;
}

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
          if (resource === undefined) lines.add(record);
          else lines.add(open, isEmpty ? '"resource":' : ',"resource":', resource, '}');
        }
      }
    }
  }
}

function elementsOf(json: JsonBytes, object: Span, name: string): Iterable<Span> {
  const found = json.member(object.start, name);
  return found === undefined ? [] : json.elements(found.start);
}

/** Numbers of the fields on the way to a log record: `ExportLogsServiceRequest`, `ResourceLogs`, `ScopeLogs`. */
const NUMBERS = { resourceLogs: 1, resource: 1, scopeLogs: 2, logRecords: 2 } as const;

const ANY_VALUE: Message = {
  1: ['stringValue', 'text', 'oneof'],
  2: ['boolValue', 'bool', 'oneof'],
  3: ['intValue', 'int64', 'oneof'],
  4: ['doubleValue', 'double', 'oneof'],
  5: ['arrayValue', () => ({ 1: ['values', () => ANY_VALUE, 'repeated'] }), 'oneof'],
  6: ['kvlistValue', () => ({ 1: ['values', () => KEY_VALUE, 'repeated'] }), 'oneof'],
  7: ['bytesValue', 'base64', 'oneof'],
};

const KEY_VALUE: Message = { 1: ['key', 'text'], 2: ['value', () => ANY_VALUE] };

const LOG_RECORD: Message = {
  1: ['timeUnixNano', 'fixed64'],
  2: ['severityNumber', 'int32'],
  3: ['severityText', 'text'],
  5: ['body', () => ANY_VALUE],
  6: ['attributes', () => KEY_VALUE, 'repeated'],
  7: ['droppedAttributesCount', 'uint32'],
  8: ['flags', 'fixed32'],
  9: ['traceId', 'hex'],
  10: ['spanId', 'hex'],
  11: ['observedTimeUnixNano', 'fixed64'],
  12: ['eventName', 'text'],
};

const RESOURCE: Message = {
  1: ['attributes', () => KEY_VALUE, 'repeated'],
  2: ['droppedAttributesCount', 'uint32'],
  3: ['entityRefs', () => ENTITY, 'repeated'],
};

const ENTITY: Message = {
  1: ['schemaUrl', 'text'],
  2: ['type', 'text'],
  3: ['idKeys', 'text', 'repeated'],
  4: ['descriptionKeys', 'text', 'repeated'],
};

/** The same lines from an `ExportLogsServiceRequest` in Protobuf. */
async function readProtobuf(body: Buffer, lines: LineBuffer): Promise<void> {
  const { lastValueIn, readMessage, valuesIn } = await import('./protobuf.js');
  for (const resourceLogs of valuesIn(body, NUMBERS.resourceLogs)) {
    const found = lastValueIn(resourceLogs, NUMBERS.resource);
    const resource = found && readMessage(found, RESOURCE);
    for (const scopeLogs of valuesIn(resourceLogs, NUMBERS.scopeLogs)) {
      for (const record of valuesIn(scopeLogs, NUMBERS.logRecords))
        lines.add(JSON.stringify({ ...readMessage(record, LOG_RECORD), resource }));
    }
  }
}
