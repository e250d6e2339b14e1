export interface Alignment {
  /** The place that each record takes; undefined for a record too many. They rise, but for two records that changed places. */
  readonly taken: readonly (number | undefined)[];
  /** The places that no record takes, those between two records together, and the number of records before them. */
  readonly gaps: readonly { readonly before: number; readonly places: readonly number[] }[];
}

/**
 * Aligns records with the places of a group, by dynamic programming: an edit distance with swaps of neighbours. A record that is missing,
 * too many, in the place of another, or behind the next one costs 1 each.
 *
 * @param places the place that each record names (section 6)
 * @param end the number of plugins, and the place of a deprecation record
 */
export function align(places: readonly number[], end: number, count = end + 1): Alignment {
  const width = count + 1;
  const costs = new Uint32Array((places.length + 1) * width);
  const costTo = (index: number, place: number): number => (place < 0 ? Infinity : (costs[index * width + place] ?? Infinity));
  // The cost up to so many records and places by each last step.
  const bySurplus = (index: number, place: number): number => costTo(index - 1, place) + 1;
  const byMissing = (index: number, place: number): number => costTo(index, place - 1) + 1;
  const bySwap = (index: number, place: number): number =>
    places[index - 1] === place - 2 && places[index - 2] === place - 1 ? costTo(index - 2, place - 2) + 1 : Infinity;
  const byTaking = (index: number, place: number): number => {
    const [named, expected] = [places[index - 1], place - 1];
    // A load failure and a deprecation record never stand for each other.
    if ((named === end) !== (expected === end)) return Infinity;
    return costTo(index - 1, place - 1) + (named === expected ? 0 : 1);
  };
  for (let index = 0; index <= places.length; index += 1) {
    for (let place = index === 0 ? 1 : 0; place < width; place += 1) {
      costs[index * width + place] = Math.min(
        bySurplus(index, place),
        byTaking(index, place),
        bySwap(index, place),
        byMissing(index, place),
      );
    }
  }
  const taken = Array<number | undefined>(places.length).fill(undefined);
  const gaps: { before: number; places: number[] }[] = [];
  let index = places.length;
  let place = count;
  // Back from the end, by the first step of the least cost. Of a record that stands twice, the second is the one too many. Records before
  // all places are too many, too.
  while (place > 0) {
    const cost = costTo(index, place);
    if (cost === bySurplus(index, place)) {
      index -= 1;
    } else if (cost === byTaking(index, place)) {
      index -= 1;
      place -= 1;
      taken[index] = place;
    } else if (cost === bySwap(index, place)) {
      taken[index - 1] = place - 2;
      taken[index - 2] = place - 1;
      index -= 2;
      place -= 2;
    } else {
      place -= 1;
      if (gaps[0]?.before === index) gaps[0].places.unshift(place);
      else gaps.unshift({ before: index, places: [place] });
    }
  }
  return { taken, gaps };
}
