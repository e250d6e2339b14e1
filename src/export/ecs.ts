import type { Deprecation, LoadFailure } from '../log/line.js';
import { HANDLER_NOTICE, LOAD_FAILURE, SEVERITIES } from '../log/record.js';
import { isUtf8, quoteBase64, quoteJson } from '../log/json-text.js';
import type { LoggedRecord } from '../reading/logged-records.js';
import { LastValueCache } from './last-value-cache.js';
import { splitTarget } from './split-target.js';

/** The version of the schema whose fields are used. */
const ECS_VERSION = '9.3.0';

/** The fields that are the same in every document. */
const FIXED = `"ecs":{"version":"${ECS_VERSION}"},"service":{"name":"roundcube","type":"roundcube"}`;

/**
 * Formats records as documents of the Elastic Common Schema, lines of NDJSON. Fields are nested objects, as in the guidelines of the
 * schema and in what Filebeat writes. Values that the schema has no field for are in `webmail_diaglog`.
 *
 * U+FFFD stands for bytes that are not UTF-8; `webmail_diaglog.original_base64` then holds the bytes of the whole line.
 */
export class EcsJson {
  readonly #timestamp = new LastValueCache(formatTimestamp);
  readonly #origin = new LastValueCache(quoteJson);
  readonly #method = new LastValueCache(quoteJson);
  readonly #url = new LastValueCache(formatUrl);
  readonly #runtimeTag = new LastValueCache(quoteJson);

  /** The document of a record: text, to be written as UTF-8; ends in LF. */
  format({ record, line, text: original, group, second }: LoggedRecord): string {
    const own = record.kind === 'load_failure' ? this.#formatFailure(record) : this.#formatDeprecation(record);
    const event = `"sequence":${String(line)},"original":${quoteJson(original)}`;
    const custom =
      `"line":${String(line)}${group === undefined ? '' : `,"group":${String(group)}`},"runtime_tag":` +
      `${this.#runtimeTag.of(record.runtimeTag)}${isUtf8(original) ? '' : `,"original_base64":${quoteBase64(original)}`}`;
    return `{${this.#timestamp.of(second)}${own},${event}},${FIXED},"webmail_diaglog":{${custom}}}\n`;
  }

  /** The fields of this kind of record, from `log` up to the middle of `event`. */
  #formatFailure(failure: LoadFailure): string {
    const { pluginFilePath, pluginLoaderFilePath, utcOffset } = failure;
    const message = quoteJson(LOAD_FAILURE + pluginFilePath);
    return (
      `${this.#formatLog(SEVERITIES.load_failure, pluginLoaderFilePath, failure.lineNumber)},"message":${message}` +
      `,"error":{"message":${message}},"file":{"path":${quoteJson(pluginFilePath)}}` +
      `,"http":{"request":{"method":${this.#method.of(failure.httpMethod)}}},"url":{${this.#url.of(failure.requestTarget)}}` +
      `,"event":{"kind":"event","category":["web"],"type":["error"],"action":"load_failure","dataset":"roundcube.log"` +
      `,"timezone":"${utcOffset.slice(0, 3)}:${utcOffset.slice(3)}"`
    );
  }

  /** The fields of this kind of record, from `log` up to the middle of `event`. */
  #formatDeprecation({ sessionFilePath, lineNumber, timezoneName }: Deprecation): string {
    return (
      `${this.#formatLog(SEVERITIES.deprecation, sessionFilePath, lineNumber)},"message":"${HANDLER_NOTICE}"` +
      `,"event":{"kind":"event","category":["web"],"type":["info"],"action":"deprecation","dataset":"roundcube.log"` +
      `,"timezone":${quoteJson(timezoneName)}`
    );
  }

  #formatLog(level: string, path: string, line: number): string {
    return `"log":{"level":"${level}","origin":{"file":{"name":${this.#origin.of(path)},"line":${String(line)}}}}`;
  }
}

/** A Unix second as `@timestamp`; empty for an unknown second, for which the schema has no value. */
function formatTimestamp(second: number | undefined): string {
  return second === undefined ? '' : `"@timestamp":"${new Date(second * 1000).toISOString()}",`;
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
