import { base64Of, encodeText, quoteJson } from '../log/byte-string.js';
import { fieldOf, FIELDS, HANDLER_NOTICE, LOAD_FAILURE, SEVERITIES } from '../log/fields.js';
import type { LogRecord } from '../log/line.js';
import { EXPORTED_FIELDS, splitTarget, type DocumentForm } from './document-form.js';
import { VERSION } from '../version.js';

/** The first version of the semantic conventions with all names used here (`QUERY` was added last). */
const SCHEMA = { schemaUrl: 'https://opentelemetry.io/schemas/1.38.0' };

/** The text around a log record: an export request. The resource is the webmail; the instrumentation scope is this program. */
const RESOURCE = { attributes: [{ key: 'service.name', value: { stringValue: 'roundcube' } }] };
const SCOPE = { name: 'webmail-diaglog', version: VERSION };
const SCOPE_LOGS = { scope: SCOPE, logRecords: ['RECORD'], ...SCHEMA };
const REQUEST = JSON.stringify({ resourceLogs: [{ resource: RESOURCE, scopeLogs: [SCOPE_LOGS], ...SCHEMA }] });
const [HEAD = '', TAIL = ''] = REQUEST.split('"RECORD"');

const SEVERITY_NUMBERS = { load_failure: 17, deprecation: 13 } as const;

/** The values of `http.request.method`. Another method is `_OTHER`, with its name in `http.request.method_original`. */
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY']);

/** The last second of OTLP, whose times are nanoseconds in unsigned 64 bits; 0 means unknown. */
const LAST_SECOND = 18_446_744_073;

/**
 * OTLP/JSON: each document is a whole `ExportLogsServiceRequest` of one log record. Attributes outside the semantic conventions begin
 * with `webmail_diaglog.`; `original_base64` has the bytes of a line that is not UTF-8.
 */
export const OTEL: DocumentForm = {
  format: (logged, { line, source }) => {
    const { text: original, second } = logged;
    const { record, group } = 'record' in logged ? logged : { record: undefined, group: undefined };
    const instant = OTEL.instantOf(second);
    const time = instant === undefined ? '' : `"timeUnixNano":"${instant}",`;
    const attributes =
      attribute('log.record.original', original) +
      attribute('log.file.path', source && encodeText(source)) +
      (record === undefined ? '' : formatFields(record)) +
      attribute('webmail_diaglog.line', line) +
      attribute('webmail_diaglog.group', group) +
      attribute('webmail_diaglog.original_base64', base64Of(original));
    const own = record === undefined ? formatEvent('foreign', original) : formatRecord(record);
    return `${HEAD}{${time}${own},"attributes":[${attributes.slice(1)}]}${TAIL}\n`;
  },
  instantOf: (second) => (second === undefined || second < 1 || second > LAST_SECOND ? undefined : `${String(second)}000000000`),
};

function formatRecord(record: LogRecord): string {
  const { kind } = record;
  const message = kind === 'load_failure' ? LOAD_FAILURE + record.pluginFilePath : HANDLER_NOTICE;
  return `"severityNumber":${String(SEVERITY_NUMBERS[kind])},"severityText":"${SEVERITIES[kind]}",${formatEvent(kind, message)}`;
}

function formatEvent(name: string, body: string): string {
  return `"eventName":"webmail_diaglog.${name}","body":{"stringValue":${quoteJson(body)}}`;
}

function formatFields(record: LogRecord): string {
  let attributes = '';
  for (const name of EXPORTED_FIELDS) {
    const value = fieldOf(record, name);
    const key = FIELDS[name].otlp;
    const isUnknown = name === 'http_method' && typeof value === 'string' && !KNOWN_METHODS.has(value);
    attributes += isUnknown ? attribute(key, '_OTHER') + attribute(`${key}_original`, value) : attribute(key, value);
    if (name === 'request_target' && typeof value === 'string') attributes += formatUrl(value);
  }
  return attributes;
}

function formatUrl(target: string): string {
  const { scheme, host, port, path, query, fragment } = splitTarget(target);
  return (
    attribute('url.scheme', scheme) +
    // Without the brackets that an IPv6 address has in a URL.
    attribute('server.address', host?.replace(/^\[|\]$/g, '')) +
    attribute('server.port', port) +
    attribute('url.path', path) +
    attribute('url.query', query) +
    attribute('url.fragment', fragment)
  );
}

/** Formats an attribute with a comma before it; empty for no value. OTLP/JSON writes 64-bit numbers as strings. @param value bytes */
function attribute(key: string, value: string | number | undefined): string {
  if (value === undefined) return '';
  const shown = typeof value === 'number' ? `"intValue":"${String(value)}"` : `"stringValue":${quoteJson(value)}`;
  return `,{"key":"${key}","value":{${shown}}}`;
}
