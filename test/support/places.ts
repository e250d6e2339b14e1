import type { LinePlaces } from '../../src/reading/line-places.js';

export function placesIn(source: string): LinePlaces {
  return { sources: [source], placeOf: (line) => ({ source, line }) };
}
