import { fieldOf, FIELDS, HANDLER_NOTICE, LOAD_FAILURE, SEVERITIES } from '../log/fields.js';
import { isUtf8, quoteBase64, quoteJson } from '../log/json-text.js';
import type { LogRecord } from '../log/line.js';
import { formatUtcSecond, MinuteText } from '../log/timestamp.js';
import type { LoggedLine } from '../reading/logged-lines.js';
import { EXPORTED_FIELDS, keepLast, splitTarget, type DocumentForm, type FieldPlace } from './document-form.js';

/** The version of the schema whose fields are used. */
const ECS_VERSION = '9.3.0';

/** The part of a document that a line fills; texts are JSON. */
interface Shown {
  readonly logged: LoggedLine;
  readonly record: LogRecord | undefined;
  readonly group: number | undefined;
  readonly place: FieldPlace;
  readonly instant: string;
  readonly message: string;
  readonly original: string;
  /** Of a load failure; empty for any other line. */
  readonly url: string;
}

/** A value and its path of keys, with dots between them: JSON, or the function that formats it; empty where a document has no such value. */
type Entry = readonly [path: string, value: string | ((shown: Shown) => string)];

const EVENT_TYPES = { load_failure: '["error"]', deprecation: '["info"]' } as const;

/** The fields of documents; of those with the same first key, in their order. */
const ENTRIES: readonly Entry[] = [
  ['log.level', ({ record }) => (record === undefined ? '' : `"${SEVERITIES[record.kind]}"`)],
  ['@timestamp', ({ instant }) => instant],
  ['log.file.path', ({ place }) => place.source ?? ''],
  ['event.kind', '"event"'],
  ['event.category', '["web"]'],
  ['message', ({ message }) => message],
  ['error.message', ({ record, message }) => (record?.kind === 'load_failure' ? message : '')],
  ['event.type', ({ record }) => (record === undefined ? '' : EVENT_TYPES[record.kind])],
  ['event.action', ({ record }) => `"${record?.kind ?? 'foreign'}"`],
  ['event.dataset', '"roundcube.log"'],
  ['webmail_diaglog.line', ({ place }) => String(place.line)],
  ['webmail_diaglog.group', ({ group }) => (group === undefined ? '' : String(group))],
  ...EXPORTED_FIELDS.map((name): Entry => {
    if (name === 'request_target') return ['url', ({ url }) => url];
    const format = name === 'utc_offset' ? quoteOffset : name === 'line_number' ? String : quoteJson;
    return [
      FIELDS[name].ecs,
      ({ record }) => {
        const field = record && fieldOf(record, name);
        return field === undefined ? '' : format(String(field));
      },
    ];
  }),
  ['event.sequence', ({ logged }) => String(logged.line)],
  ['event.original', ({ original }) => original],
  ['ecs.version', `"${ECS_VERSION}"`],
  ['service.name', '"roundcube"'],
  ['service.type', '"roundcube"'],
  ['webmail_diaglog.original_base64', ({ logged: { text } }) => (isUtf8(text) ? '' : quoteBase64(text))],
];

/** The first keys of a document, in their order. */
const FIRST_KEYS = '@timestamp log message error file http url labels event ecs service webmail_diaglog'.split(' ');

function rankOf([path]: Entry): number {
  return FIRST_KEYS.indexOf(path.split('.')[0] ?? '');
}

const SORTED = ENTRIES.toSorted((entry, other) => rankOf(entry) - rankOf(other));
const VALUES = SORTED.map(([, value]) => value);
const PATHS = SORTED.map(([path]) => path.split('.'));

/** The text before each value, by the number of the value before it (0: none), and by its own index. */
const TEXTS = [[], ...PATHS].map((before) => PATHS.map((keys) => textBetween(before, keys)));
const ENDS = ['{}', ...PATHS.map((keys) => '}'.repeat(keys.length))];

/** The text from behind the value at some keys (none: from the beginning) up to the value at other keys. */
function textBetween(before: readonly string[], keys: readonly string[]): string {
  let common = 0;
  while (common < before.length - 1 && before[common] === keys[common]) common += 1;
  const opened = keys.slice(common).map((key, index) => `${index === 0 ? '' : '{'}"${key}":`);
  return (before.length === 0 ? '{' : `${'}'.repeat(before.length - 1 - common)},`) + opened.join('');
}

/**
 * Formats records as documents of the Elastic Common Schema, lines of NDJSON, with nested objects as Filebeat writes them. Values
 * without a field in the schema are in `webmail_diaglog`; `original_base64` there has the bytes of a line that is not UTF-8.
 */
export class EcsJson implements DocumentForm {
  readonly #utc = new MinuteText(formatUtcSecond);
  readonly #url = keepLast(formatUrl);

  format(logged: LoggedLine, place: FieldPlace): string {
    const { record, group } = 'record' in logged ? logged : { record: undefined, group: undefined };
    const url = record?.kind === 'load_failure' ? this.#url(record.requestTarget) : '';
    const [instant, original] = [this.formatInstant(logged.second), quoteJson(logged.text)];
    const shown: Shown = { logged, record, group, place, instant, message: formatMessage(record, original), original, url };
    let json = '';
    let before = 0;
    for (let index = 0; index < VALUES.length; index += 1) {
      const value = VALUES[index] ?? '';
      const text = typeof value === 'string' ? value : value(shown);
      if (text === '') continue;
      json += (TEXTS[before]?.[index] ?? '') + text;
      before = index + 1;
    }
    return `${json}${ENDS[before] ?? ''}\n`;
  }

  formatInstant(second: number | undefined): string {
    return second === undefined ? '' : `"${this.#utc.format(second)}.000Z"`;
  }
}

function formatMessage(record: LogRecord | undefined, original: string): string {
  if (record === undefined) return original;
  return record.kind === 'load_failure' ? quoteJson(LOAD_FAILURE + record.pluginFilePath) : `"${HANDLER_NOTICE}"`;
}

function quoteOffset(utcOffset: string): string {
  return `"${utcOffset.slice(0, 3)}:${utcOffset.slice(3)}"`;
}

function formatUrl(target: string): string {
  const { scheme, host, port, path, query, fragment } = splitTarget(target);
  const field = (name: string, value: string | undefined): string =>
    value === undefined ? '' : `,"${name}":${quoteJson(value)}`;
  return (
    `{"original":${quoteJson(target)}${field('scheme', scheme)}${field('domain', host)}` +
    (port === undefined ? '' : `,"port":${String(port)}`) +
    `${field('path', path)}${field('query', query)}${field('fragment', fragment)}}`
  );
}
