import { FIELDS_OF, type FieldName, type RecordKind } from '../log/fields.js';
import type { LinePlaces } from '../reading/line-places.js';
import type { LoggedLine } from '../reading/logged-lines.js';
import { partsOf, type TargetParts } from '../requests/target.js';

/** A form of `parse --as` with a document for each record. Only `format` decides the content of documents. */
export interface DocumentForm {
  /** Formats the document of a record or a foreign line: text, to be written as UTF-8; ends in LF. */
  format(logged: LoggedLine, place: FieldPlace): string;
  /** Formats a Unix second exactly as in `format`; empty if the document shows no time. */
  formatInstant(second: number | undefined): string;
}

/** The place of a line, as fields of a document show it. */
export interface FieldPlace {
  /** The line in its own file. */
  readonly line: number;
  /** The name of the file as a JSON string; undefined where the log is a single file. */
  readonly source: string | undefined;
}

/** Gives the places of lines, as fields of a document show them. */
export class FieldPlaces {
  readonly #places: LinePlaces | undefined;
  readonly #hasSource: boolean;

  /** @param places the files of the log; if left out or a single file, `source` is undefined */
  constructor(places: LinePlaces | undefined) {
    this.#places = places;
    this.#hasSource = places !== undefined && places.sources.length > 1;
  }

  /** @param line the line, counted over all files */
  of(line: number): FieldPlace {
    if (this.#places === undefined || (!this.#hasSource && this.#places.hasPieces !== true)) return { line, source: undefined };
    const place = this.#places.placeOf(line);
    return { line: place.line, source: this.#hasSource ? JSON.stringify(place.source) : undefined };
  }
}

/** A cache of the last formatted value, such as the URL of a group or the minute of many groups. */
export class LastValueCache<T> {
  readonly #format: (value: T) => string;
  #last: { readonly value: T; readonly text: string } | undefined;

  constructor(format: (value: T) => string) {
    this.#format = format;
  }

  /** The formatted value. */
  of(value: T): string {
    if (this.#last === undefined || this.#last.value !== value) this.#last = { value, text: this.#format(value) };
    return this.#last.text;
  }
}

/** The fields that have names in ECS and OTLP: all but the timestamp, whose instant every document shows. */
export type ExportedField = Exclude<FieldName, 'timestamp'>;

/** The first fields of a document; the others follow in the order of the specification. */
const FIRST = [
  'plugin_loader_file_path',
  'session_file_path',
  'line_number',
  'plugin_file_path',
  'http_method',
  'request_target',
] as const;

/** The exported fields of a kind of record, in their order in a document. */
export function exportedFieldsOf(kind: RecordKind): readonly ExportedField[] {
  const names = FIELDS_OF[kind].filter((name) => name !== 'timestamp');
  return [...FIRST.filter((name) => names.includes(name)), ...names.filter((name) => FIRST.every((first) => first !== name))];
}

/** The host and the port of an authority without its user. */
const HOST = /^(\[[^\]]+\]|[^:]+)(?::(\d{0,5}))?$/;

/** The components of a request target for fields; undefined if missing. The scheme is in lower case. */
type UrlParts = Partial<Omit<TargetParts, 'authority' | 'path'>> & {
  readonly path?: string | undefined;
  /** Without user and port; an IPv6 address in its brackets. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
};

/** Splits a request target (2.4) in origin-form or absolute-form. Other forms (`*`, `host:443`) have no components. */
export function splitTarget(target: string): UrlParts {
  const { scheme, authority = '', path, query, fragment } = partsOf(target);
  if (scheme === undefined && !target.startsWith('/')) return {};
  const [, host, port = ''] = HOST.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? [];
  return {
    scheme: scheme?.toLowerCase(),
    host,
    port: port === '' ? undefined : Number(port),
    path: path === '' ? undefined : path,
    query,
    fragment,
  };
}
