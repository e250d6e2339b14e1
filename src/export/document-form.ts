import type { LinePlaces } from '../reading/line-places.js';
import type { LoggedLine } from '../reading/logged-lines.js';

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
