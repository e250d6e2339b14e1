/** The fewest faults between the records of a group and those that belong in it. */
export interface Alignment {
  /** The place that each record takes; undefined for a record too many. */
  readonly taken: readonly (number | undefined)[];
  /** The indexes of records that changed places with the record before them. */
  readonly swapped: ReadonlySet<number>;
  /** The places that no record takes, and the number of records before each. */
  readonly missing: readonly { readonly place: number; readonly before: number }[];
}

type Step = 'take' | 'extra' | 'missing' | 'swap';

/**
 * Aligns a sequence of records with the places of a group, by dynamic programming: an edit distance with swaps of neighbours. A record
 * that is missing, too many, in the place of another, or behind the next one costs 1 each.
 *
 * @param places the place that each record names (section 6): 0 to `end` - 1 for plugins, `end` for the deprecation record, any other
 *   number for an unknown plugin
 * @param end the number of plugins
 */
export function align(places: readonly number[], end: number): Alignment {
  const width = end + 2;
  const costs = new Float64Array((places.length + 1) * width);
  const cost = (index: number, place: number): number => costs[index * width + place] ?? Infinity;
  /** The cheapest step that leads to so many records and places, and the cost up to there; of equal ones the first. */
  const bestStep = (index: number, place: number): { step: Step; cost: number } => {
    const named = places[index - 1];
    const expected = place - 1;
    const options: { step: Step; cost: number }[] = [];
    // Before the others: of a record that stands twice, the second is the one too many.
    if (index > 0) options.push({ step: 'extra', cost: cost(index - 1, place) + 1 });
    if (index > 0 && place > 0) {
      const mayStandFor = (named === end) === (expected === end);
      options.push({ step: 'take', cost: cost(index - 1, place - 1) + (named === expected ? 0 : mayStandFor ? 1 : Infinity) });
      if (index > 1 && place > 1 && named === expected - 1 && places[index - 2] === expected)
        options.push({ step: 'swap', cost: cost(index - 2, place - 2) + 1 });
    }
    if (place > 0) options.push({ step: 'missing', cost: cost(index, place - 1) + 1 });
    return options.reduce((best, option) => (option.cost < best.cost ? option : best), { step: 'take', cost: Infinity });
  };
  for (let index = 0; index <= places.length; index += 1) {
    for (let place = 0; place < width; place += 1) {
      if (index + place > 0) costs[index * width + place] = bestStep(index, place).cost;
    }
  }
  return traceBack(places.length, end + 1, (index, place) => bestStep(index, place).step);
}

function traceBack(length: number, until: number, stepTo: (index: number, place: number) => Step): Alignment {
  const taken = Array<number | undefined>(length).fill(undefined);
  const swapped = new Set<number>();
  const missing: { place: number; before: number }[] = [];
  let index = length;
  let place = until;
  while (index > 0 || place > 0) {
    const step = stepTo(index, place);
    if (step === 'missing') {
      place -= 1;
      missing.unshift({ place, before: index });
    } else if (step === 'extra') {
      index -= 1;
    } else if (step === 'take') {
      index -= 1;
      place -= 1;
      taken[index] = place;
    } else {
      taken[index - 1] = place - 2;
      taken[index - 2] = place - 1;
      swapped.add(index - 1);
      index -= 2;
      place -= 2;
    }
  }
  return { taken, swapped, missing };
}
