import { FIELDS, HANDLER_NOTICE, LOAD_FAILURE, readerOf, SEVERITIES, type RecordKind } from '../log/fields.js';
import { isUtf8, quoteBase64, quoteJson } from '../log/json-text.js';
import type { LoggedLine } from '../reading/logged-lines.js';
import { formatUtcSecond, MinuteText } from '../log/timestamp.js';
import {
  exportedFieldsOf,
  keepLast,
  splitTarget,
  type DocumentForm,
  type ExportedField,
  type FieldPlace,
} from './document-form.js';

/** The version of the schema whose fields are used. */
const ECS_VERSION = '9.3.0';

/** The part of a document that a line fills, as JSON. */
interface Shown {
  readonly logged: LoggedLine;
  readonly place: FieldPlace;
  readonly instant: string | undefined;
  readonly original: string;
  readonly url: string | undefined;
}

/** A value: JSON, or the function that formats it of what is shown; undefined where a document has no such value. */
type JsonValue = string | ((shown: Shown) => string | undefined);

/** A value and its path of keys, with dots between them. */
type Entry = readonly [path: string, value: JsonValue];

const COMMON: readonly Entry[] = [
  ['@timestamp', ({ instant }) => instant],
  ['log.file.path', ({ place }) => place.source],
  ['event.kind', '"event"'],
  ['event.category', '["web"]'],
];

const AFTER_KIND: readonly Entry[] = [
  ['event.dataset', '"roundcube.log"'],
  ['webmail_diaglog.line', ({ place }) => String(place.line)],
];

const LAST: readonly Entry[] = [
  ['event.sequence', ({ logged }) => String(logged.line)],
  ['event.original', ({ original }) => original],
  ['ecs.version', `"${ECS_VERSION}"`],
  ['service.name', '"roundcube"'],
  ['service.type', '"roundcube"'],
  ['webmail_diaglog.original_base64', ({ logged: { text } }) => (isUtf8(text) ? undefined : quoteBase64(text))],
];

const FOREIGN: readonly Entry[] = [
  ...COMMON,
  ['message', ({ original }) => original],
  ['event.action', '"foreign"'],
  ...AFTER_KIND,
  ...LAST,
];

function entriesOf(kind: RecordKind, type: string, messages: readonly Entry[]): readonly Entry[] {
  return [
    ['log.level', `"${SEVERITIES[kind]}"`],
    ...COMMON,
    ...messages,
    ['event.type', `["${type}"]`],
    ['event.action', `"${kind}"`],
    ...AFTER_KIND,
    [
      'webmail_diaglog.group',
      ({ logged }) => ('record' in logged && logged.group !== undefined ? String(logged.group) : undefined),
    ],
    ...exportedFieldsOf(kind).map(entryOf),
    ...LAST,
  ];
}

function entryOf(name: ExportedField): Entry {
  if (name === 'request_target') return ['url', ({ url }) => url];
  const read = readerOf(name);
  const format = name === 'utc_offset' ? quoteOffset : name === 'line_number' ? String : quoteJson;
  const value: JsonValue = ({ logged }) => {
    const field = 'record' in logged ? read(logged.record) : undefined;
    return field === undefined ? undefined : format(String(field));
  };
  return [FIELDS[name].ecs, value];
}

function quoteOffset(utcOffset: string): string {
  return `"${utcOffset.slice(0, 3)}:${utcOffset.slice(3)}"`;
}

function quoteMessage({ logged }: Shown): string | undefined {
  return 'record' in logged && logged.record.kind === 'load_failure'
    ? quoteJson(LOAD_FAILURE + logged.record.pluginFilePath)
    : undefined;
}

/** Formats objects in objects from values at paths of keys. The text between two values is made once for each two paths. */
class NestedJson {
  readonly #values: readonly JsonValue[];
  /** The text before each value, by the number of the value before it (0: none), and by its own index. */
  readonly #texts: readonly (readonly string[])[];
  readonly #ends: readonly string[];

  /** @param entries those that share keys stand together */
  constructor(entries: readonly Entry[]) {
    const paths = entries.map(([path]) => path.split('.'));
    this.#values = entries.map(([, value]) => value);
    this.#texts = [[], ...paths].map((before) => paths.map((keys) => textBetween(before, keys)));
    this.#ends = ['{}', ...paths.map((keys) => '}'.repeat(keys.length))];
  }

  format(shown: Shown): string {
    const values = this.#values;
    let json = '';
    let before = 0;
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      const text = typeof value === 'function' ? value(shown) : value;
      if (text === undefined) continue;
      json += (this.#texts[before]?.[index] ?? '') + text;
      before = index + 1;
    }
    return json + (this.#ends[before] ?? '');
  }
}

/** The text from behind the value at some keys (none: from the beginning) up to the value at other keys. */
function textBetween(before: readonly string[], keys: readonly string[]): string {
  let common = 0;
  while (common < before.length - 1 && before[common] === keys[common]) common += 1;
  const opened = keys.slice(common).map((key, index) => `${index === 0 ? '' : '{'}"${key}":`);
  return (before.length === 0 ? '{' : `${'}'.repeat(before.length - 1 - common)},`) + opened.join('');
}

/** The first keys of a document, in their order. */
const FIRST_KEYS = '@timestamp log message error file http url labels event ecs service webmail_diaglog'.split(' ');

function documentOf(entries: readonly Entry[]): NestedJson {
  const rankOf = ([path]: Entry): number => FIRST_KEYS.indexOf(path.split('.')[0] ?? '');
  return new NestedJson(entries.toSorted((entry, other) => rankOf(entry) - rankOf(other)));
}

const DOCUMENTS = {
  load_failure: documentOf(
    entriesOf('load_failure', 'error', [
      ['message', quoteMessage],
      ['error.message', quoteMessage],
    ]),
  ),
  deprecation: documentOf(entriesOf('deprecation', 'info', [['message', `"${HANDLER_NOTICE}"`]])),
  foreign: documentOf(FOREIGN),
};

/**
 * Formats records as documents of the Elastic Common Schema, lines of NDJSON, with nested objects as Filebeat writes them. Values
 * without a field in the schema are in `webmail_diaglog`; `original_base64` there has the bytes of a line that is not UTF-8.
 */
export class EcsJson implements DocumentForm {
  readonly #utc = new MinuteText(formatUtcSecond);
  readonly #url = keepLast(formatUrl);

  format(logged: LoggedLine, place: FieldPlace): string {
    const instant = logged.second === undefined ? undefined : this.formatInstant(logged.second);
    const kind = 'record' in logged ? logged.record.kind : 'foreign';
    const url = 'record' in logged && logged.record.kind === 'load_failure' ? this.#url(logged.record.requestTarget) : undefined;
    return `${DOCUMENTS[kind].format({ logged, place, instant, original: quoteJson(logged.text), url })}\n`;
  }

  formatInstant(second: number | undefined): string {
    return second === undefined ? '' : `"${this.#utc.format(second)}.000Z"`;
  }
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
