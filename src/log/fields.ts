import { namesOf } from '../wording.js';
import type { Dialect } from './deployment.js';

/** The severities and messages of records (2.1, 2.2, 7). */
export const SEVERITIES = { load_failure: 'Error', deprecation: 'Deprecated' } as const;
export const LOAD_FAILURE = 'Failed to load plugin file ';
export const HANDLER_NOTICE =
  'session_set_save_handler(): Providing individual callbacks instead of an object implementing SessionHandlerInterface is deprecated';

export const AFTER_RUNTIME_TAG = {
  load_failure: ` ${SEVERITIES.load_failure}: ${LOAD_FAILURE}`,
  deprecation: ` ${SEVERITIES.deprecation}:`,
} as const;

const DIALECT_GAPS = { spec: ' ', php: '  ' } as const satisfies Record<Dialect, string>;

/** The bytes of a field of a record, as `isFieldText` has them, in a regular expression. */
const FIELD_BYTE = String.raw`[\x21-\x7e\x80-\xff]`;

/** `pattern` is for collectors, `read` for `parseRecord`, which checks timestamps and offsets itself and takes any name of a zone. */
const FORMS = {
  timestamp: { pattern: '[0-9]{2}-[A-Z][a-z]{2}-[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}', read: '.{20}' },
  utc_offset: { pattern: '[+-][0-9]{4}', read: '.{5}' },
  zone: { pattern: '[A-Za-z][A-Za-z0-9_+/-]*', read: `${FIELD_BYTE}+` },
  session_id: { pattern: '[0-9A-Za-z,-]+', read: '[0-9A-Za-z,-]+' },
  text: { pattern: '[^ ]+', read: `${FIELD_BYTE}+` },
  // Each number is written in one way: without a leading zero.
  number: { pattern: '[0-9]+', read: '0|[1-9][0-9]{0,15}' },
  dialect: { pattern: ' {1,2}', read: ' {1,2}' },
} as const;

/** A field: its form, and its names in ECS (without the fields of `url`) and OTLP, where these are one field each. */
interface Field {
  readonly form: keyof typeof FORMS;
  readonly ecs?: string;
  readonly otlp?: string;
}

/** The fields of records (2.1, 2.2) by the specification's names, in the order in which pages and messages list them. */
export const FIELDS = {
  timestamp: { form: 'timestamp' },
  utc_offset: { form: 'utc_offset', ecs: 'event.timezone', otlp: 'webmail_diaglog.utc_offset' },
  timezone_name: { form: 'zone', ecs: 'event.timezone', otlp: 'webmail_diaglog.timezone_name' },
  session_id: { form: 'session_id', ecs: 'labels.session_id', otlp: 'session.id' },
  runtime_tag: { form: 'text', ecs: 'webmail_diaglog.runtime_tag', otlp: 'webmail_diaglog.runtime_tag' },
  plugin_file_path: { form: 'text', ecs: 'file.path', otlp: 'file.path' },
  plugin_loader_file_path: { form: 'text', ecs: 'log.origin.file.name', otlp: 'code.file.path' },
  session_file_path: { form: 'text', ecs: 'log.origin.file.name', otlp: 'code.file.path' },
  line_number: { form: 'number', ecs: 'log.origin.file.line', otlp: 'code.line.number' },
  http_method: { form: 'text', ecs: 'http.request.method', otlp: 'http.request.method' },
  request_target: { form: 'text', ecs: 'url.original', otlp: 'url.original' },
} as const satisfies Readonly<Record<string, Field>>;

export type FieldName = keyof typeof FIELDS;

export const FIELD_NAMES = namesOf(FIELDS);

/** A field of a record, or the spaces of the dialect, and the literals around it. An optional part is left out with its literals. */
interface Part {
  readonly before: string;
  readonly field: FieldName | 'dialect';
  readonly after?: string;
  readonly isOptional?: true;
}

export const PARTS = {
  load_failure: [
    { before: '[', field: 'timestamp' },
    { before: ' ', field: 'utc_offset', after: ']: ' },
    // Once a session is open: not in the specification.
    { before: '<', field: 'session_id', after: '> ', isOptional: true },
    { before: '', field: 'runtime_tag' },
    { before: AFTER_RUNTIME_TAG.load_failure, field: 'plugin_file_path' },
    { before: ' in ', field: 'plugin_loader_file_path' },
    { before: ' on line ', field: 'line_number' },
    { before: ' (', field: 'http_method' },
    // A target may contain parentheses: the last one ends the descriptor.
    { before: ' ', field: 'request_target', after: ')' },
  ],
  deprecation: [
    { before: '[', field: 'timestamp' },
    { before: ' ', field: 'timezone_name', after: '] ' },
    { before: '', field: 'runtime_tag' },
    { before: AFTER_RUNTIME_TAG.deprecation, field: 'dialect' },
    { before: `${HANDLER_NOTICE} in `, field: 'session_file_path' },
    { before: ' on line ', field: 'line_number' },
  ],
} as const satisfies Readonly<Record<string, readonly Part[]>>;

export const FIELDS_OF = { load_failure: namesIn(PARTS.load_failure), deprecation: namesIn(PARTS.deprecation) } as const;

function namesIn(parts: readonly Part[]): readonly FieldName[] {
  return parts.flatMap(({ field }) => (field === 'dialect' ? [] : [field]));
}

export type RecordKind = keyof typeof PARTS;

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}` ? `${Word}${Capitalize<CamelCase<Rest>>}` : Name;

type ValueOf<Name> = Name extends FieldName ? ((typeof FIELDS)[Name]['form'] extends 'number' ? number : string) : Dialect;

type PartOf<Kind extends RecordKind> = (typeof PARTS)[Kind][number];

/** The fields of a kind of record as properties, with the specification's names in camelCase; texts are byte strings. */
export type FieldsOf<Kind extends RecordKind> = {
  readonly [P in Exclude<PartOf<Kind>, { readonly isOptional: true }> as CamelCase<P['field']>]: ValueOf<P['field']>;
} & {
  readonly [P in Extract<PartOf<Kind>, { readonly isOptional: true }> as CamelCase<P['field']>]?: ValueOf<P['field']>;
};

type RecordFields = { readonly [Kind in RecordKind]: FieldsOf<Kind> }[RecordKind];

type Values = Readonly<Record<string, string | number | undefined>>;

function propertyOf(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

const PROPERTIES: ReadonlyMap<string, string> = new Map(FIELD_NAMES.map((name) => [name, propertyOf(name)]));

export function fieldOf(record: RecordFields, name: FieldName): string | number | undefined {
  const values: Values = record;
  return values[PROPERTIES.get(name) ?? ''];
}

export function createWriter<Kind extends RecordKind>(kind: Kind): (fields: FieldsOf<Kind>) => string {
  const parts: readonly Part[] = PARTS[kind];
  const compiled = parts.map((part) => ({ ...part, property: propertyOf(part.field) }));
  return (fields) => {
    const values: Values = fields;
    let record = '';
    for (const { before, field, after = '', isOptional, property } of compiled) {
      const value = values[property];
      if (isOptional === true && value === undefined) continue;
      record += before + (field === 'dialect' ? gapOf(value) : String(value)) + after;
    }
    return record;
  };
}

function gapOf(dialect: unknown): string {
  return dialect === 'php' ? DIALECT_GAPS.php : DIALECT_GAPS.spec;
}

/** Makes the inverse of the writer: undefined for any other line. It checks no timestamp, and takes linear time for any line. */
export function createParser<Kind extends RecordKind>(kind: Kind): (line: string) => FieldsOf<Kind> | undefined {
  const parts: readonly Part[] = PARTS[kind];
  const regex = new RegExp(joinRegex(parts, ({ field }) => `(${FORMS[formOf(field)].read})`));
  const fields = parts.map(({ field, isOptional }) => ({ property: propertyOf(field), form: formOf(field), isOptional }));
  const required = fields.filter(({ isOptional }) => isOptional !== true);
  const hasAll = (values: Values): values is Values & FieldsOf<Kind> =>
    required.every(({ property }) => values[property] !== undefined);
  return (line) => {
    const captures = regex.exec(line);
    if (captures === null) return undefined;
    const values: Record<string, string | number> = {};
    let index = 0;
    for (const { property, form } of fields) {
      index += 1;
      const text = captures[index];
      if (text === undefined) continue;
      if (form === 'dialect') values[property] = text === DIALECT_GAPS.php ? 'php' : 'spec';
      else if (form !== 'number') values[property] = text;
      else if (Number.isSafeInteger(Number(text))) values[property] = Number(text);
    }
    return hasAll(values) ? values : undefined;
  };
}

function formOf(field: Part['field']): keyof typeof FORMS {
  return field === 'dialect' ? 'dialect' : FIELDS[field].form;
}

/** The regular expression of a kind of record, for collectors. @param open the opening of the group of a field: `(?<timestamp>` */
export function regexOf(kind: RecordKind, open: (field: FieldName) => string): string {
  return joinRegex(PARTS[kind], ({ field }) => {
    const { pattern } = FORMS[formOf(field)];
    return field === 'dialect' ? pattern : `${open(field)}${pattern})`;
  });
}

function joinRegex(parts: readonly Part[], capture: (part: Part) => string): string {
  const sources = parts.map((part) => {
    const source = escapeRegex(part.before) + capture(part) + escapeRegex(part.after ?? '');
    return part.isOptional === true ? `(?:${source})?` : source;
  });
  return `^${sources.join('')}$`;
}

function escapeRegex(literal: string): string {
  return literal.replace(/[()[\].*+?^${}|\\]/g, '\\$&');
}
