import type { LinePlaces } from '../reading/line-places.js';
import { LastValueCache } from './last-value-cache.js';

/** The place of a line, for the fields of a form. */
export interface FieldPlace {
  /** The line in its own file. */
  readonly line: number;
  /** The name of the file as a JSON string; undefined where the log is a single file. */
  readonly source: string | undefined;
}

/** The place of a line in a log that is a single file. */
export function placeInSingleFile({ line }: { readonly line: number }): FieldPlace {
  return { line, source: undefined };
}

/** Gives the places of lines as fields show them. */
export class FieldPlaces {
  readonly #places: LinePlaces | undefined;
  readonly #source = new LastValueCache((source: string) => JSON.stringify(source));

  /** @param places of the files of the log; left out, or of a single file, no place names a file */
  constructor(places: LinePlaces | undefined) {
    this.#places = places !== undefined && places.sources.length > 1 ? places : undefined;
  }

  /** @param line counted over all files */
  of(line: number): FieldPlace {
    if (this.#places === undefined) return { line, source: undefined };
    const place = this.#places.placeOf(line);
    return { line: place.line, source: this.#source.of(place.source) };
  }
}
