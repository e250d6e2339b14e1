import { FIELDS, HANDLER_NOTICE, LOAD_FAILURE, readerOf, SEVERITIES, type RecordKind } from '../log/fields.js';
import { isUtf8, quoteBase64, quoteJson } from '../log/json-text.js';
import type { LoggedLine } from '../reading/logged-lines.js';
import { exportedFieldsOf, type ExportedField } from './field-order.js';
import { formatUtcSecond, MinuteText } from '../log/timestamp.js';
import { LastValueCache, type DocumentForm, type FieldPlace } from './document-form.js';
import { NestedJson, type JsonValue } from './nested-json.js';
import { splitTarget } from './split-target.js';

/** The version of the schema whose fields are used. */
const ECS_VERSION = '9.3.0';

/** What a document shows of a line, as JSON. */
interface Shown {
  readonly logged: LoggedLine;
  readonly place: FieldPlace;
  readonly instant: string | undefined;
  /** The whole line. */
  readonly original: string;
  /** The request target. */
  readonly url: string | undefined;
}

type Entry = readonly [path: string, value: JsonValue<Shown>];

/** The fields of every document. */
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

/** The fields of a kind of record. */
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
  const value: JsonValue<Shown> = ({ logged }) => {
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

/** The first keys of a document, in their order. */
const FIRST_KEYS = '@timestamp log message error file http url labels event ecs service webmail_diaglog'.split(' ');

function documentOf(entries: readonly Entry[]): NestedJson<Shown> {
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
 * Formats records as documents of the Elastic Common Schema, lines of NDJSON. Fields are nested objects, as the guidelines of the schema
 * say and Filebeat writes. Values without a field in the schema are in `webmail_diaglog`.
 *
 * U+FFFD replaces bytes that are not UTF-8; `webmail_diaglog.original_base64` then has the bytes of the whole line.
 */
export class EcsJson implements DocumentForm {
  readonly #utc = new MinuteText(formatUtcSecond);
  readonly #url = new LastValueCache(formatUrl);

  format(logged: LoggedLine, place: FieldPlace): string {
    const instant = logged.second === undefined ? undefined : this.formatInstant(logged.second);
    const kind = 'record' in logged ? logged.record.kind : 'foreign';
    const url =
      'record' in logged && logged.record.kind === 'load_failure' ? this.#url.of(logged.record.requestTarget) : undefined;
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
