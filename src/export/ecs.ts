import { base64Of, encodeText, quoteJson, textOf } from '../log/byte-string.js';
import { fieldOf, FIELDS, HANDLER_NOTICE, LOAD_FAILURE, SEVERITIES, type FieldName } from '../log/fields.js';
import type { LogRecord } from '../log/line.js';
import { formatUtcSecond } from '../log/timestamp.js';
import type { LoggedLine } from '../reading/logged-lines.js';
import { EXPORTED_FIELDS, splitTarget, type DocumentForm, type FieldPlace } from './document-form.js';

const ECS_VERSION = '9.3.0';

/** The line of a document. Record and group are undefined for a foreign line. */
interface Shown {
  readonly logged: LoggedLine;
  readonly record: LogRecord | undefined;
  readonly group: number | undefined;
  readonly place: FieldPlace;
}

/** Formats a value as JSON; empty where a document has no such value. */
type Format = (shown: Shown) => string;

type Entry = readonly [path: string, format: Format];

const EVENT_TYPES = { load_failure: '["error"]', deprecation: '["info"]' } as const;

const ENTRIES: readonly Entry[] = [
  ['log.level', ({ record }) => (record === undefined ? '' : `"${SEVERITIES[record.kind]}"`)],
  ['@timestamp', ({ logged }) => quote(ECS.instantOf(logged.second))],
  ['log.file.path', ({ place }) => quote(place.source && encodeText(place.source))],
  ['event.kind', () => '"event"'],
  ['event.category', () => '["web"]'],
  ['message', formatMessage],
  ['error.message', (shown) => (shown.record?.kind === 'load_failure' ? formatMessage(shown) : '')],
  ['event.type', ({ record }) => (record === undefined ? '' : EVENT_TYPES[record.kind])],
  ['event.action', ({ record }) => `"${record?.kind ?? 'foreign'}"`],
  ['event.dataset', () => '"roundcube.log"'],
  ['webmail_diaglog.line', ({ place }) => String(place.line)],
  ['webmail_diaglog.group', ({ group }) => String(group ?? '')],
  ...EXPORTED_FIELDS.map((name): Entry => {
    if (name === 'request_target') return ['url', formatUrl];
    return [FIELDS[name].ecs, ({ record }) => (record === undefined ? '' : formatField(record, name))];
  }),
  ['event.sequence', ({ logged }) => String(logged.line)],
  ['event.original', ({ logged }) => quoteJson(logged.text)],
  ['ecs.version', () => `"${ECS_VERSION}"`],
  ['service.name', () => '"roundcube"'],
  ['service.type', () => '"roundcube"'],
  ['webmail_diaglog.original_base64', ({ logged }) => quote(base64Of(logged.text))],
];

const FIRST_KEYS = '@timestamp log message error file http url labels event ecs service webmail_diaglog'.split(' ');

/** Makes the function that formats an object of entries with nested objects as Filebeat writes them. Empty objects are left out. */
function nest(entries: readonly Entry[], keys = [...new Set(entries.map(([path]) => keyOf(path)))]): Format {
  const members = keys.map((key): Entry => {
    const ofKey = entries.filter(([path]) => keyOf(path) === key);
    const inner = ofKey.map(([path, format]): Entry => [path.slice(key.length + 1), format]);
    // Two fields may have one name, of which a record has one.
    const [[path, format] = ['', () => ''], [, other] = ['', () => '']] = inner;
    return [key, path === '' ? (shown) => format(shown) || other(shown) : nest(inner)];
  });
  return (shown) => {
    let json = '';
    for (const [key, format] of members) {
      const value = format(shown);
      if (value !== '') json += `${json === '' ? '{' : ','}"${key}":${value}`;
    }
    return json === '' ? '' : `${json}}`;
  };
}

function keyOf(path: string): string {
  return path.split('.', 1).join();
}

const formatDocument = nest(ENTRIES, FIRST_KEYS);

/**
 * Documents of the Elastic Common Schema, lines of NDJSON. Values without a field in the schema are in `webmail_diaglog`;
 * `original_base64` there has the bytes of a line that is not UTF-8.
 */
export const ECS: DocumentForm = {
  format: (logged, place) => {
    const { record, group } = 'record' in logged ? logged : { record: undefined, group: undefined };
    return `${formatDocument({ logged, record, group, place })}\n`;
  },
  instantOf: (second) => (second === undefined ? undefined : `${formatUtcSecond(second)}.000Z`),
};

function quote(bytes: string | undefined): string {
  return bytes === undefined ? '' : quoteJson(bytes);
}

function formatMessage({ record, logged }: Shown): string {
  if (record === undefined) return quoteJson(logged.text);
  return record.kind === 'load_failure' ? quoteJson(LOAD_FAILURE + record.pluginFilePath) : `"${HANDLER_NOTICE}"`;
}

function formatField(record: LogRecord, name: FieldName): string {
  const value = fieldOf(record, name);
  if (typeof value !== 'string') return String(value ?? '');
  return quoteJson(name === 'utc_offset' ? `${value.slice(0, 3)}:${value.slice(3)}` : value);
}

function formatUrl({ record }: Shown): string {
  if (record?.kind !== 'load_failure') return '';
  const { host, port, ...parts } = splitTarget(record.requestTarget);
  const text = (part: string | undefined): string | undefined => part && textOf(part);
  const [scheme, path, query, fragment] = [parts.scheme, parts.path, parts.query, parts.fragment].map(text);
  return JSON.stringify({ original: textOf(record.requestTarget), scheme, domain: text(host), port, path, query, fragment });
}
