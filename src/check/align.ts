export interface Alignment {
  /** The place that each record takes; undefined for a record too many. They rise, but for two records that changed places. */
  readonly taken: readonly (number | undefined)[];
  /** The places that no record takes, those between two records together, and the number of records before them. */
  readonly gaps: readonly { readonly before: number; readonly places: readonly number[] }[];
}

/**
 * Aligns records with the places of a group, one after the other. A record that names another place stands in the next one if the record
 * behind it goes on from there; it changed places with that record if that names the next one; else records are missing before it.
 *
 * @param places the place that each record names (section 6)
 * @param end the number of plugins, and the place of a deprecation record
 */
export function align(places: readonly number[], end: number, count = end + 1): Alignment {
  const taken: (number | undefined)[] = [];
  const gaps: { before: number; places: number[] }[] = [];
  let next = 0;
  const skipTo = (place: number): void => {
    const skipped = Array.from({ length: place - next }, (_, index) => next + index);
    if (skipped.length > 0) gaps.push({ before: taken.length, places: skipped });
    next = place;
  };
  while (taken.length < places.length) {
    const [place = 0, following, ...others] = places.slice(taken.length);
    const isFailure = place !== end && next < end;
    const goesOn = following === undefined ? place < next && next + 1 === count : following === next + 1;
    if (place === next + 1 && following === next) {
      taken.push(place, next);
      next += 2;
    } else if (place === next || (isFailure && goesOn)) {
      taken.push(next);
      next += 1;
    } else if (place > next && (place === end ? following === undefined : following !== next && !others.includes(next))) {
      skipTo(place);
      taken.push(place);
      next += 1;
    } else {
      taken.push(undefined);
    }
  }
  skipTo(count);
  return { taken, gaps };
}
