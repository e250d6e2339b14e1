import { quoteBytes } from '../../wording.js';
import type { Fault } from '../request.js';

/** The columns of a kind of list. */
export interface ListForm<C extends string> {
  readonly columns: readonly ColumnNames<C>[];
  /** A first row with a cell of this name is a header. */
  readonly headerName: string;
  /** The rows of lists without a header, each with another number of cells. */
  readonly headless: readonly (readonly C[])[];
}

/** A column that a list may have, and its names in a header, in lower case. */
interface ColumnNames<C extends string> {
  readonly column: C;
  readonly names: readonly [string, ...string[]];
  /** True if a header must name the column. */
  readonly isRequired: boolean;
}

/** The column of each cell of a row; undefined for a cell that is ignored. */
type Columns<C extends string> = readonly (C | undefined)[];

/** The columns of a list: those of its header, or those of its first good row. */
export class ListColumns<C extends string> {
  readonly #form: ListForm<C>;
  #columns: Columns<C> | undefined;

  constructor(form: ListForm<C>) {
    this.#form = form;
  }

  /** True for a first row that is a header. */
  isHeader(cells: readonly string[]): boolean {
    return cells.some((cell) => cell.toLowerCase() === this.#form.headerName);
  }

  /** Reads a header, which names columns in any order and case. Unknown names are ignored. @returns the fault of the header */
  readHeader(cells: readonly string[]): Fault | undefined {
    const { columns } = this.#form;
    const named = cells.map((cell) => columns.find(({ names }) => names.includes(cell.toLowerCase()))?.column);
    for (const { column, names, isRequired } of columns) {
      const first = named.indexOf(column);
      const second = named.indexOf(column, first + 1);
      if (first !== -1 && second !== -1) {
        const places = `columns ${String(first + 1)} and ${String(second + 1)}`;
        return { problem: `the header names ${names.join(' or ')} twice (${places})`, remedy: 'keep one of them' };
      }
      if (first !== -1 || !isRequired) continue;
      const required = columns.filter((known) => known.isRequired).map((known) => known.names[0]);
      const optional = columns.filter((known) => !known.isRequired).map((known) => known.names[0]);
      return {
        problem: `the header has no column ${names[0]}: it names ${quoteBytes(cells.join(','))}`,
        remedy: `name the columns ${required.join(' and ')}, and ${optional.join(', ')} if there is one`,
      };
    }
    this.#columns = named;
    return undefined;
  }

  /** The columns of a row that is no header, or the fault of a row with too few or too many cells. */
  of(cells: readonly string[]): Columns<C> | Fault {
    const { headless } = this.#form;
    const columns = this.#columns ?? headless.find((form) => form.length === cells.length);
    if (columns?.length === cells.length) return columns;
    const forms = headless.map((form) => form.map((column) => this.#nameOf(column)).join(','));
    return findCountFault(cells, columns?.length, forms.join(' or '));
  }

  /** Takes the columns of a good row for those of all further ones. */
  keep(columns: Columns<C>): void {
    this.#columns = columns;
  }

  /** The fault of a cell, with its name and its place. @param columns those of its row */
  explainCell(columns: Columns<C>, column: C, cell: string, { problem, remedy }: Fault): Fault {
    const place = `${this.#nameOf(column)} ${quoteBytes(cell)} (column ${String(columns.indexOf(column) + 1)})`;
    return { problem: `${place} ${problem}`, remedy };
  }

  #nameOf(column: C): string {
    return this.#form.columns.find((known) => known.column === column)?.names[0] ?? column;
  }
}

/**
 * Describes the fault of a row with too few or too many cells.
 *
 * @param expected the number of cells of a row; undefined while the columns are not known
 * @param forms the forms of rows without a header, for the remedy (`timestamp,request_target or …`)
 */
function findCountFault(cells: readonly string[], expected: number | undefined, forms: string): Fault {
  const [only = '', another] = cells;
  if (another === undefined && /[;\t]/.test(only)) {
    return {
      problem: `the row has ${only.includes(';') ? 'semicolons' : 'tabs'} instead of commas`,
      remedy: 'separate cells with commas',
    };
  }
  const count = another === undefined ? '1 cell' : `${String(cells.length)} cells`;
  if (expected === undefined) {
    return {
      problem: `the row has ${count} instead of 2 or 3`,
      remedy: `give ${forms}, or name the columns in a header`,
    };
  }
  if (cells.length > expected) {
    const extra = `column ${String(expected + 1)} is ${quoteBytes(cells[expected] ?? '')}`;
    return {
      problem: `the row has ${count} instead of ${String(expected)}: ${extra}`,
      remedy: 'quote a cell that holds a comma',
    };
  }
  return {
    problem: `the row has ${count} instead of ${String(expected)}: column ${String(cells.length + 1)} is missing`,
    remedy: 'give every cell, an empty one too',
  };
}
