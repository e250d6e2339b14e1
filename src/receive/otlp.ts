import { JsonBytes, type Span } from '../log/json-bytes.js';
import type { LineBuffer } from './line-buffer.js';
import type { Message } from './protobuf.js';
import { isProtobuf, RefusedError } from './bodies.js';
import { replyJson, type Protocol, type Reply } from './protocol.js';

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
    return isProtobuf(type) ? replyProtobuf(status, formatStatus(code, message)) : replyJson(status, { code, message });
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

/** Numbers of the fields on the way to a log record: `ExportLogsServiceRequest`, `ResourceLogs`, `ScopeLogs`. */
const NUMBERS = { resourceLogs: 1, resource: 1, scopeLogs: 2, logRecords: 2 } as const;

const ANY_VALUE: Message = {
  isOneof: true,
  fields: {
    1: { name: 'stringValue', is: 'text' },
    2: { name: 'boolValue', is: 'bool' },
    3: { name: 'intValue', is: 'int64' },
    4: { name: 'doubleValue', is: 'double' },
    5: { name: 'arrayValue', is: () => ARRAY_VALUE },
    6: { name: 'kvlistValue', is: () => KEY_VALUE_LIST },
    7: { name: 'bytesValue', is: 'base64' },
  },
};

const KEY_VALUE: Message = { fields: { 1: { name: 'key', is: 'text' }, 2: { name: 'value', is: () => ANY_VALUE } } };
const ARRAY_VALUE: Message = { fields: { 1: { name: 'values', is: () => ANY_VALUE, isRepeated: true } } };
const KEY_VALUE_LIST: Message = { fields: { 1: { name: 'values', is: () => KEY_VALUE, isRepeated: true } } };

const LOG_RECORD: Message = {
  fields: {
    1: { name: 'timeUnixNano', is: 'fixed64' },
    2: { name: 'severityNumber', is: 'int32' },
    3: { name: 'severityText', is: 'text' },
    5: { name: 'body', is: () => ANY_VALUE },
    6: { name: 'attributes', is: () => KEY_VALUE, isRepeated: true },
    7: { name: 'droppedAttributesCount', is: 'uint32' },
    8: { name: 'flags', is: 'fixed32' },
    9: { name: 'traceId', is: 'hex' },
    10: { name: 'spanId', is: 'hex' },
    11: { name: 'observedTimeUnixNano', is: 'fixed64' },
    12: { name: 'eventName', is: 'text' },
  },
};

const ENTITY: Message = {
  fields: {
    1: { name: 'schemaUrl', is: 'text' },
    2: { name: 'type', is: 'text' },
    3: { name: 'idKeys', is: 'text', isRepeated: true },
    4: { name: 'descriptionKeys', is: 'text', isRepeated: true },
  },
};

const RESOURCE: Message = {
  fields: {
    1: { name: 'attributes', is: () => KEY_VALUE, isRepeated: true },
    2: { name: 'droppedAttributesCount', is: 'uint32' },
    3: { name: 'entityRefs', is: () => ENTITY, isRepeated: true },
  },
};

/** The same lines from an `ExportLogsServiceRequest` in Protobuf. */
async function readProtobuf(body: Buffer, lines: LineBuffer): Promise<void> {
  const { lastValueIn, valuesIn, writeMembers } = await import('./protobuf.js');
  for (const resourceLogs of valuesIn(body, NUMBERS.resourceLogs)) {
    const resource = lastValueIn(resourceLogs, NUMBERS.resource);
    for (const scopeLogs of valuesIn(resourceLogs, NUMBERS.scopeLogs)) {
      for (const record of valuesIn(scopeLogs, NUMBERS.logRecords)) {
        lines.text('{');
        const hasMembers = writeMembers(record, LOG_RECORD, lines);
        if (resource !== undefined) {
          lines.text(hasMembers ? ',"resource":{' : '"resource":{');
          writeMembers(resource, RESOURCE, lines);
          lines.text('}');
        }
        lines.text('}');
        lines.end();
      }
    }
  }
}
