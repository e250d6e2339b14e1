import { fieldOf, FIELDS, HANDLER_NOTICE, LOAD_FAILURE, SEVERITIES } from '../log/fields.js';
import { isUtf8, quoteBase64, quoteJson } from '../log/json-text.js';
import type { LogRecord } from '../log/line.js';
import type { LoggedLine } from '../reading/logged-lines.js';
import { EXPORTED_FIELDS, keepLast, splitTarget, type DocumentForm, type FieldPlace } from './document-form.js';
import { VERSION } from './version.js';

/** The first version of the semantic conventions with all names used here (`QUERY` was added last). */
const SCHEMA = '"schemaUrl":"https://opentelemetry.io/schemas/1.38.0"';

/** The text around a log record: an export request. The resource is the webmail; the instrumentation scope is this program. */
const RESOURCE = '{"attributes":[{"key":"service.name","value":{"stringValue":"roundcube"}}]}';
const SCOPE = `{"name":"webmail-diaglog","version":"${VERSION}"}`;
const HEAD = `{"resourceLogs":[{"resource":${RESOURCE},"scopeLogs":[{"scope":${SCOPE},"logRecords":[{`;
const TAIL = `}],${SCHEMA}}],${SCHEMA}}]}\n`;

/** ERROR and WARN (logs data model, Severity Fields). */
const SEVERITY_NUMBERS = { load_failure: 17, deprecation: 13 } as const;

/** The values of `http.request.method`. Another method is `_OTHER`, with its name in `http.request.method_original`. */
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY']);

/** The last second of OTLP, whose times are nanoseconds in unsigned 64 bits; 0 means unknown. */
const LAST_SECOND = 18_446_744_073;

/**
 * Formats records as OTLP/JSON, lines of NDJSON: each is a whole `ExportLogsServiceRequest` of one log record. Attributes outside
 * the semantic conventions begin with `webmail_diaglog.`; `original_base64` has the bytes of a line that is not UTF-8.
 */
export class OtelJson implements DocumentForm {
  readonly #url = keepLast(formatUrl);

  format(logged: LoggedLine, { line, source }: FieldPlace): string {
    const { text: original, second } = logged;
    const { record, group } = 'record' in logged ? logged : { record: undefined, group: undefined };
    const attributes =
      stringAttribute('log.record.original', original) +
      (source === undefined ? '' : attribute('log.file.path', `"stringValue":${source}`)) +
      (record === undefined ? '' : this.#formatFields(record)) +
      intAttribute('webmail_diaglog.line', line) +
      (group === undefined ? '' : intAttribute('webmail_diaglog.group', group)) +
      (isUtf8(original) ? '' : attribute('webmail_diaglog.original_base64', `"stringValue":${quoteBase64(original)}`));
    const own = record === undefined ? formatEvent('foreign', original) : formatRecord(record);
    return `${HEAD}${this.formatInstant(second)}${own},"attributes":[${attributes.slice(1)}]${TAIL}`;
  }

  formatInstant(second: number | undefined): string {
    return second === undefined || second < 1 || second > LAST_SECOND ? '' : `"timeUnixNano":"${String(second)}000000000",`;
  }

  #formatFields(record: LogRecord): string {
    let attributes = '';
    for (const name of EXPORTED_FIELDS) {
      const value = fieldOf(record, name);
      const key = FIELDS[name].otlp;
      if (typeof value === 'number') attributes += intAttribute(key, value);
      else if (value === undefined) continue;
      else if (name === 'request_target') attributes += this.#url(value);
      else attributes += name === 'http_method' ? formatMethod(key, value) : stringAttribute(key, value);
    }
    return attributes;
  }
}

function formatRecord(record: LogRecord): string {
  const { kind } = record;
  const message = kind === 'load_failure' ? LOAD_FAILURE + record.pluginFilePath : HANDLER_NOTICE;
  return `"severityNumber":${String(SEVERITY_NUMBERS[kind])},"severityText":"${SEVERITIES[kind]}",${formatEvent(kind, message)}`;
}

function formatEvent(name: string, body: string): string {
  return `"eventName":"webmail_diaglog.${name}","body":{"stringValue":${quoteJson(body)}}`;
}

/** Formats an attribute with a comma before it. */
function attribute(key: string, value: string): string {
  return `,{"key":"${key}","value":{${value}}}`;
}

function stringAttribute(key: string, bytes: string): string {
  return attribute(key, `"stringValue":${quoteJson(bytes)}`);
}

/** Formats an attribute whose value is a whole number: OTLP/JSON writes 64-bit numbers as strings. */
function intAttribute(key: string, value: number): string {
  return attribute(key, `"intValue":"${String(value)}"`);
}

function formatMethod(key: string, method: string): string {
  return KNOWN_METHODS.has(method)
    ? stringAttribute(key, method)
    : stringAttribute(key, '_OTHER') + stringAttribute(`${key}_original`, method);
}

function formatUrl(target: string): string {
  const { scheme, host, port, path, query, fragment } = splitTarget(target);
  const part = (key: string, value: string | undefined): string => (value === undefined ? '' : stringAttribute(key, value));
  return (
    stringAttribute(FIELDS.request_target.otlp, target) +
    part('url.scheme', scheme) +
    // Without the brackets that an IPv6 address has in a URL.
    part('server.address', host?.replace(/^\[|\]$/g, '')) +
    (port === undefined ? '' : intAttribute('server.port', port)) +
    part('url.path', path) +
    part('url.query', query) +
    part('url.fragment', fragment)
  );
}
