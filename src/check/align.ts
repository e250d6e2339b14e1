/** The fewest faults between the records of a group and those that belong in it. */
export interface Alignment {
  /** The place that each record takes; undefined for a record too many. They rise, but for two records that changed places. */
  readonly taken: readonly (number | undefined)[];
  /** The places that no record takes, those between two records together, and the number of records before them. */
  readonly gaps: readonly { readonly before: number; readonly places: readonly number[] }[];
}

/** The least cost of some records and places, and the cell before the last step to it. */
interface Cell {
  readonly index: number;
  readonly place: number;
  readonly cost: number;
  readonly from?: Cell;
}

/**
 * Aligns a sequence of records with the places of a group, by dynamic programming: an edit distance with swaps of neighbours. A record
 * that is missing, too many, in the place of another, or behind the next one costs 1 each.
 *
 * @param places the place that each record names (section 6): 0 to `end` - 1 for plugins, `end` for the deprecation record, any other
 *   number for an unknown plugin
 * @param end the number of plugins
 */
export function align(places: readonly number[], end: number): Alignment {
  const rows: Cell[][] = [];
  for (let index = 0; index <= places.length; index += 1) {
    const row: Cell[] = [];
    rows.push(row);
    const [named = NaN, before] = [places[index - 1], places[index - 2]];
    for (let place = 0; place <= end + 1; place += 1) {
      const expected = place - 1;
      // A load failure and a deprecation record never stand for each other.
      const takingCost = (named === end) !== (expected === end) ? Infinity : Number(named !== expected);
      const swapCost = named === expected - 1 && before === expected ? 1 : Infinity;
      // By the first step of the least cost. Of a record that stands twice, the second is the one too many.
      let cell: Cell = { index, place, cost: index + place === 0 ? 0 : Infinity };
      for (const [from, stepCost] of [
        [rows[index - 1]?.[place], 1],
        [rows[index - 1]?.[place - 1], takingCost],
        [rows[index - 2]?.[place - 2], swapCost],
        [row[place - 1], 1],
      ] as const) {
        const cost = from === undefined ? Infinity : from.cost + stepCost;
        if (cost < cell.cost && from !== undefined) cell = { index, place, cost, from };
      }
      row.push(cell);
    }
  }
  const taken = Array<number | undefined>(places.length).fill(undefined);
  const gaps: { before: number; places: number[] }[] = [];
  for (let cell = rows.at(-1)?.at(-1); cell?.from !== undefined; cell = cell.from) {
    const { index, place } = cell.from;
    if (index < cell.index) {
      // No place for a record too many, the next one for another, the next two for two that changed places.
      for (let offset = 0; offset < cell.place - place; offset += 1) taken[index + offset] = cell.place - 1 - offset;
    } else if (gaps[0]?.before === index) {
      gaps[0].places.unshift(place);
    } else {
      gaps.unshift({ before: index, places: [place] });
    }
  }
  return { taken, gaps };
}
