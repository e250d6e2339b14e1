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

type PartName = FieldName | 'dialect';

/**
 * Records as 2.1 and 2.2 show them, with fields in braces. Literals within the braces of a field are left out with it: a session id stands
 * once a session is open (not in the specification). A target may contain parentheses: the last one ends the descriptor.
 */
const SHAPES = {
  load_failure: `[{timestamp} {utc_offset}]: {<session_id> }{runtime_tag}${AFTER_RUNTIME_TAG.load_failure}{plugin_file_path} in {plugin_loader_file_path} on line {line_number} ({http_method} {request_target})`,
  deprecation: `[{timestamp} {timezone_name}] {runtime_tag}${AFTER_RUNTIME_TAG.deprecation}{dialect}${HANDLER_NOTICE} in {session_file_path} on line {line_number}`,
} as const;

export type RecordKind = keyof typeof SHAPES;

export const RECORD_KINDS: readonly RecordKind[] = namesOf(SHAPES);

type BracesIn<Shape> = Shape extends `${string}{${infer Braces}}${infer Rest}` ? Braces | BracesIn<Rest> : never;

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}` ? `${Word}${Capitalize<CamelCase<Rest>>}` : Name;

type ValueOf<Name> = Name extends FieldName ? ((typeof FIELDS)[Name]['form'] extends 'number' ? number : string) : Dialect;

/** The fields of a kind of record as properties, with the specification's names in camelCase; texts are byte strings. */
export type FieldsOf<Kind extends RecordKind> = {
  readonly [Name in Extract<BracesIn<(typeof SHAPES)[Kind]>, PartName> as CamelCase<Name>]: ValueOf<Name>;
} & {
  readonly [Braces in BracesIn<(typeof SHAPES)[Kind]> as Braces extends `<${infer Name}> ` ? CamelCase<Name> : never]?: string;
};

/** A part of a record that is not a literal. Literals stand around an optional one. */
interface Part {
  readonly name: PartName;
  readonly form: keyof typeof FORMS;
  readonly property: string;
  readonly before: string;
  readonly after: string;
}

const PARTS = { load_failure: partsOf(SHAPES.load_failure), deprecation: partsOf(SHAPES.deprecation) };

function partsOf(shape: string): readonly (Part | string)[] {
  const isPartName = (name: string): name is PartName => name === 'dialect' || Object.hasOwn(FIELDS, name);
  return shape.split(/[{}]/).map((piece) => {
    const [, before = '', name = '', after = ''] = /^(\W*)(\w+)(\W*)$/.exec(piece) ?? [];
    if (!isPartName(name)) return piece;
    return { name, form: name === 'dialect' ? name : FIELDS[name].form, property: propertyOf(name), before, after };
  });
}

function namesIn(kind: RecordKind): readonly FieldName[] {
  return PARTS[kind].flatMap((part) => (typeof part === 'string' || part.name === 'dialect' ? [] : [part.name]));
}

export const FIELDS_OF = { load_failure: namesIn('load_failure'), deprecation: namesIn('deprecation') } as const;

type Values = Readonly<Record<string, string | number | undefined>>;

function propertyOf(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

const PROPERTIES: ReadonlyMap<string, string> = new Map(FIELD_NAMES.map((name) => [name, propertyOf(name)]));

export function fieldOf(
  record: FieldsOf<'load_failure'> | FieldsOf<'deprecation'>,
  name: FieldName,
): string | number | undefined {
  const values: Values = record;
  return values[PROPERTIES.get(name) ?? ''];
}

export function createWriter<Kind extends RecordKind>(kind: Kind): (fields: FieldsOf<Kind>) => string {
  return (fields) => {
    const values: Values = fields;
    let record = '';
    for (const part of PARTS[kind]) {
      const value = typeof part === 'string' ? undefined : values[part.property];
      if (typeof part === 'string') record += part;
      else if (part.name === 'dialect') record += value === 'php' ? DIALECT_GAPS.php : DIALECT_GAPS.spec;
      else if (value !== undefined) record += part.before + String(value) + part.after;
    }
    return record;
  };
}

/** Makes the inverse of the writer: undefined for any other line. It checks no timestamp, and takes linear time for any line. */
export function createParser<Kind extends RecordKind>(kind: Kind): (line: string) => FieldsOf<Kind> | undefined {
  const regex = new RegExp(joinRegex(kind, ({ form }) => `(${FORMS[form].read})`));
  const parts = PARTS[kind].filter((part) => typeof part !== 'string');
  const hasAll = (values: Values): values is Values & FieldsOf<Kind> =>
    parts.every(({ property, before }) => before !== '' || values[property] !== undefined);
  return (line) => {
    const captures = regex.exec(line);
    if (captures === null) return undefined;
    const values: Record<string, string | number> = {};
    let index = 0;
    for (const { form, property } of parts) {
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

/** The regular expression of a kind of record, for collectors. @param open the opening of the group of a field: `(?<timestamp>` */
export function regexOf(kind: RecordKind, open: (field: FieldName) => string): string {
  return joinRegex(kind, ({ name, form }) => {
    const { pattern } = FORMS[form];
    return name === 'dialect' ? pattern : `${open(name)}${pattern})`;
  });
}

function joinRegex(kind: RecordKind, capture: (part: Part) => string): string {
  const sources = PARTS[kind].map((part) => {
    if (typeof part === 'string') return escapeRegex(part);
    const source = escapeRegex(part.before) + capture(part) + escapeRegex(part.after);
    return part.before === '' ? source : `(?:${source})?`;
  });
  return `^${sources.join('')}$`;
}

function escapeRegex(literal: string): string {
  return literal.replace(/[()[\].*+?^${}|\\]/g, '\\$&');
}
