import { FIELD_NAMES } from '../log/fields.js';
import type { LinePlaces } from '../reading/line-places.js';
import type { LoggedLine } from '../reading/logged-lines.js';
import { partsOf, type TargetParts } from '../requests/target.js';

/** A form of `parse --as` with a document for each record. Only `format` decides the content of documents. */
export interface DocumentForm {
  /** Formats the document of a record or a foreign line: JSON, to be written as UTF-8; ends in LF. */
  readonly format: (logged: LoggedLine, place: FieldPlace) => string;
  /** The text of a Unix second in documents, where it stands in quotes; undefined if they show no time. */
  readonly instantOf: (second: number | undefined) => string | undefined;
}

export interface FieldPlace {
  readonly line: number;
  /** The name of the file; undefined where the log is a single file. */
  readonly source: string | undefined;
}

/** @param line counted over all files */
export type PlaceOf = (line: number) => FieldPlace;

export function placesIn({ sources, placeOf }: LinePlaces): PlaceOf {
  return (given) => {
    const { source, line } = placeOf(given);
    return { line, source: sources.length > 1 ? source : undefined };
  };
}

const FIRST = [
  'plugin_loader_file_path',
  'session_file_path',
  'line_number',
  'plugin_file_path',
  'http_method',
  'request_target',
] as const;

/** The fields that have names in ECS and OTLP, in their order in a document: all but the timestamp, whose instant every document shows. */
export const EXPORTED_FIELDS = [...new Set([...FIRST, ...FIELD_NAMES])].filter((name) => name !== 'timestamp');

const HOST = /^(\[[^\]]+\]|[^:]+)(?::(\d{0,5}))?$/;

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
  const given = { host, port: port === '' ? undefined : Number(port), path: path === '' ? undefined : path };
  return { scheme: scheme?.toLowerCase(), ...given, query, fragment };
}
