/** How the records of a group stand to those that belong in it. */
export interface Alignment {
  /** For each record the place that it takes; undefined for one that is too many. */
  readonly taken: readonly (number | undefined)[];
  /** The records (by index) that stand just behind the one that they belong before. */
  readonly swapped: ReadonlySet<number>;
  /** The places that no record takes, and how many records stand before each. */
  readonly missing: readonly { readonly place: number; readonly before: number }[];
}

type Step = 'take' | 'extra' | 'missing' | 'swap';

/**
 * Finds the fewest faults that explain a sequence of records: one that is missing, too many, in the place of another, or changed
 * places with its neighbour.
 *
 * @param places the place that each record names (section 6): 0 to `end` - 1 for plugins, `end` for the deprecation record, anything
 *   else for a plugin that is not known
 */
export function align(places: readonly number[], end: number): Alignment {
  const width = end + 2;
  const costs = new Float64Array((places.length + 1) * width);
  const cost = (index: number, place: number): number => costs[index * width + place] ?? Infinity;
  /** The steps that lead to a point, cheapest first; each costs what it costs, beyond the point it comes from. */
  const bestStep = (index: number, place: number): { step: Step; cost: number } => {
    const named = places[index - 1];
    const expected = place - 1;
    const options: { step: Step; cost: number }[] = [];
    // First, so that of a record that is there twice the second is too many.
    if (index > 0) options.push({ step: 'extra', cost: cost(index - 1, place) + 1 });
    if (index > 0 && place > 0) {
      const mayStandFor = (named === end) === (expected === end);
      options.push({ step: 'take', cost: cost(index - 1, place - 1) + (named === expected ? 0 : mayStandFor ? 1 : Infinity) });
      if (index > 1 && place > 1 && named === expected - 1 && places[index - 2] === expected)
        options.push({ step: 'swap', cost: cost(index - 2, place - 2) + 1 });
    }
    if (place > 0) options.push({ step: 'missing', cost: cost(index, place - 1) + 1 });
    return options.reduce((one, other) => (other.cost < one.cost ? other : one), { step: 'take', cost: Infinity });
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
