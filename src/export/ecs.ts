import type { Deprecation, LoadFailure, LogRecord } from '../log/line.js';
import { HANDLER_NOTICE, LOAD_FAILURE, SEVERITIES } from '../log/fields.js';
import { isUtf8, quoteBase64, quoteJson } from '../log/json-text.js';
import type { LoggedForeignLine, LoggedLine, LoggedRecord } from '../reading/logged-lines.js';
import { LastValueCache, UtcSeconds, type DocumentForm, type FieldPlace } from './forms.js';
import { splitTarget } from './split-target.js';

/** The version of the schema whose fields are used. */
const ECS_VERSION = '9.3.0';

/** The fields that are the same in every document. */
const FIXED = `"ecs":{"version":"${ECS_VERSION}"},"service":{"name":"roundcube","type":"roundcube"}`;

/** The fields of `event` that are the same in every document: the first two, and the field behind `event.action`. */
const EVENT = '"kind":"event","category":["web"]';
const DATASET = '"dataset":"roundcube.log"';

/**
 * Formats records as documents of the Elastic Common Schema, lines of NDJSON. Fields are nested objects, as the guidelines of the schema
 * say and Filebeat writes. Values without a field in the schema are in `webmail_diaglog`.
 *
 * U+FFFD replaces bytes that are not UTF-8; `webmail_diaglog.original_base64` then has the bytes of the whole line.
 */
export class EcsJson implements DocumentForm {
  readonly #utc = new UtcSeconds();
  readonly #url = new LastValueCache(formatUrl);

  format(logged: LoggedLine, { line, source }: FieldPlace): string {
    const { line: sequence, text: original, second } = logged;
    const path = source === undefined ? '' : `"file":{"path":${source}}`;
    const event = `"sequence":${String(sequence)},"original":${quoteJson(original)}`;
    const bytes = isUtf8(original) ? '' : `,"original_base64":${quoteBase64(original)}`;
    const custom = `"line":${String(line)}${'record' in logged ? formatCustom(logged) : ''}${bytes}`;
    const own = 'record' in logged ? this.#formatRecord(logged.record, path) : formatForeign(logged, path);
    return `{${this.formatInstant(second)}${own},${event}},${FIXED},"webmail_diaglog":{${custom}}}\n`;
  }

  formatInstant(second: number | undefined): string {
    return second === undefined ? '' : `"@timestamp":"${this.#utc.format(second)}.000Z",`;
  }

  #formatRecord(record: LogRecord, path: string): string {
    if (record.kind === 'deprecation') return formatDeprecation(record, path);
    return formatFailure(record, this.#url.of(record.requestTarget), path);
  }
}

function formatCustom({ record, group }: LoggedRecord): string {
  return `${group === undefined ? '' : `,"group":${String(group)}`},"runtime_tag":${quoteJson(record.runtimeTag)}`;
}

/** The fields of this kind of record, from `log` up to the middle of `event`. */
function formatFailure(failure: LoadFailure, url: string, path: string): string {
  const { pluginFilePath, pluginLoaderFilePath, utcOffset } = failure;
  const message = quoteJson(LOAD_FAILURE + pluginFilePath);
  return (
    `${formatLog(SEVERITIES.load_failure, path, pluginLoaderFilePath, failure.lineNumber)},"message":${message}` +
    `,"error":{"message":${message}},"file":{"path":${quoteJson(pluginFilePath)}}` +
    `,"http":{"request":{"method":${quoteJson(failure.httpMethod)}}},"url":{${url}}` +
    `,"event":{${EVENT},"type":["error"],"action":"load_failure",${DATASET}` +
    `,"timezone":"${utcOffset.slice(0, 3)}:${utcOffset.slice(3)}"`
  );
}

/** The fields of this kind of record, from `log` up to the middle of `event`. */
function formatDeprecation({ sessionFilePath, lineNumber, timezoneName }: Deprecation, path: string): string {
  return (
    `${formatLog(SEVERITIES.deprecation, path, sessionFilePath, lineNumber)},"message":"${HANDLER_NOTICE}"` +
    `,"event":{${EVENT},"type":["info"],"action":"deprecation",${DATASET},"timezone":${quoteJson(timezoneName)}`
  );
}

function formatLog(level: string, path: string, origin: string, line: number): string {
  const file = path === '' ? '' : `${path},`;
  return `"log":{"level":"${level}",${file}"origin":{"file":{"name":${quoteJson(origin)},"line":${String(line)}}}}`;
}

/** The fields of a foreign line, from `log` up to the middle of `event`. */
function formatForeign({ text }: LoggedForeignLine, path: string): string {
  return `${path === '' ? '' : `"log":{${path}},`}"message":${quoteJson(text)},"event":{${EVENT},"action":"foreign",${DATASET}`;
}

function formatUrl(target: string): string {
  const { scheme, host, port, path, query, fragment } = splitTarget(target);
  const field = (name: string, value: string | undefined): string =>
    value === undefined ? '' : `,"${name}":${quoteJson(value)}`;
  return (
    `"original":${quoteJson(target)}${field('scheme', scheme)}${field('domain', host)}` +
    (port === undefined ? '' : `,"port":${String(port)}`) +
    `${field('path', path)}${field('query', query)}${field('fragment', fragment)}`
  );
}
