import { quoteBytes } from '../../wording.js';
import type { Fault } from '../request.js';

/** A column that a list may have, and its names in a header, in lower case. */
export interface ColumnNames<C extends string> {
  readonly column: C;
  readonly names: readonly [string, ...string[]];
  /** True if a header must name the column. */
  readonly isRequired: boolean;
}

/** The number of cells of a row, and the cell of each column: from 0, -1 if the column is missing. */
export interface Columns<C extends string> {
  readonly count: number;
  readonly at: Readonly<Record<C, number>>;
}

/**
 * Parses a header, which names columns in any order and case. Unknown names are ignored.
 *
 * @param none -1 for each column
 * @returns the columns, or the fault of the header
 */
export function parseHeader<C extends string>(
  cells: readonly string[],
  columns: readonly ColumnNames<C>[],
  none: Readonly<Record<C, number>>,
): Columns<C> | Fault {
  const header = cells.map((cell) => cell.toLowerCase());
  const at: Record<C, number> = { ...none };
  for (const { column, names, isRequired } of columns) {
    const [first, second] = header.flatMap((name, index) => (names.includes(name) ? [index] : []));
    if (second !== undefined) {
      const places = `columns ${String(Number(first) + 1)} and ${String(second + 1)}`;
      return { problem: `the header names ${names.join(' or ')} twice (${places})`, remedy: 'keep one of them' };
    }
    if (first === undefined && isRequired) {
      const required = columns.filter((known) => known.isRequired).map((known) => known.names[0]);
      const optional = columns.filter((known) => !known.isRequired).map((known) => known.names[0]);
      return {
        problem: `the header has no column ${names[0]}: it names ${quoteBytes(cells.join(','))}`,
        remedy: `name the columns ${required.join(' and ')}, and ${optional.join(', ')} if there is one`,
      };
    }
    at[column] = first ?? -1;
  }
  return { count: cells.length, at };
}

/**
 * Describes the fault of a row with too few or too many cells.
 *
 * @param expected the number of cells of a row; undefined while the columns are not known
 * @param forms the forms of rows without a header, for the remedy (`timestamp,request_target or …`)
 */
export function findCountFault(cells: readonly string[], expected: number | undefined, forms: string): Fault {
  const [only = '', another] = cells;
  if (another === undefined && /[;\t]/.test(only)) {
    return {
      problem: `the row has no comma, but ${only.includes(';') ? 'semicolons' : 'tabs'}`,
      remedy: 'separate cells with commas',
    };
  }
  const count = another === undefined ? '1 cell' : `${String(cells.length)} cells`;
  if (expected === undefined) {
    return {
      problem: `the row has ${count} where 2 or 3 belong`,
      remedy: `give ${forms}, or name the columns in a header`,
    };
  }
  if (cells.length > expected) {
    const extra = `column ${String(expected + 1)} is ${quoteBytes(cells[expected] ?? '')}`;
    return {
      problem: `the row has ${count}, ${String(expected)} belong there: ${extra}`,
      remedy: 'quote a cell that holds a comma',
    };
  }
  return {
    problem: `the row has ${count}, ${String(expected)} belong there: column ${String(cells.length + 1)} is missing`,
    remedy: 'give every cell, an empty one too',
  };
}
