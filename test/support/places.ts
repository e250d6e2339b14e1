import type { LinePlaces } from '../../src/reading/line-places.js';

/** The places of the lines of a single file. */
export function placesIn(source: string): LinePlaces {
  return { sources: [source], placeOf: (line) => ({ source, line }) };
}
