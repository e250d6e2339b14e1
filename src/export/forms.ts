import type { LinePlaces } from '../reading/line-places.js';
import type { LoggedLine } from '../reading/logged-lines.js';

/** The forms of `parse --as` with a document for each record. */
export const DOCUMENT_FORMS = ['records', 'ecs', 'otel'] as const;

/** A form of `parse --as` with a document for each record: plain records, Elastic Common Schema, or OTLP/JSON. */
export type DocumentFormName = (typeof DOCUMENT_FORMS)[number];

/** All forms of `parse --as`. */
export const LOG_FORMS = ['requests', ...DOCUMENT_FORMS, 'deployment'] as const;

/** A form of `parse --as`. */
export type LogForm = (typeof LOG_FORMS)[number];

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

  /** @param places the files of the log; if left out or a single file, `source` is undefined */
  constructor(places: LinePlaces | undefined) {
    this.#places = places !== undefined && places.sources.length > 1 ? places : undefined;
  }

  /** @param line the line, counted over all files */
  of(line: number): FieldPlace {
    if (this.#places === undefined) return { line, source: undefined };
    const place = this.#places.placeOf(line);
    return { line: place.line, source: JSON.stringify(place.source) };
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

/** Formats Unix seconds as ISO 8601 in UTC. */
export class UtcSeconds {
  readonly #minute = new LastValueCache(formatMinute);

  /** `YYYY-MM-DDTHH:MM:SS`, without a zone at its end; a year outside 0 to 9999 has a sign and six digits. */
  format(second: number): string {
    const minute = Math.floor(second / 60);
    const secondOfMinute = second - minute * 60;
    return `${this.#minute.of(minute)}${secondOfMinute < 10 ? '0' : ''}${String(secondOfMinute)}`;
  }
}

function formatMinute(minute: number): string {
  return new Date(minute * 60_000).toISOString().slice(0, -'SS.mmmZ'.length);
}
