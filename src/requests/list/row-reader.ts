import { DataError } from '../../errors.js';
import { quoteBytes } from '../../wording.js';
import { checkMethod, checkTarget, type Refusal } from '../request.js';
import type { Row } from './csv-rows.js';

/** The names of each column in a header; messages show the first. */
const NAMES = {
  timestamp: ['timestamp'],
  weight: ['weight'],
  method: ['http_method', 'method'],
  target: ['request_target', 'target'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Column = keyof typeof NAMES;

export interface ListForm {
  /** A first row with a cell of this name is a header. */
  readonly numberColumn: 'timestamp' | 'weight';
  /** The columns of lists without a header, and of a header the required ones first. */
  readonly headless: readonly [required: readonly Column[], all: readonly Column[]];
  /** Parses the number. @param isFirst true in the first row */
  readonly parseNumber: (cell: string, isFirst: boolean) => number | Refusal;
  readonly explainLine: (line: string) => Refusal | undefined;
}

interface ListRow {
  readonly number: number;
  readonly method: string;
  readonly target: string;
}

/** Reads the rows of a list, in order. The header, or else the first good row, decides the columns. */
export class RowReader {
  readonly #form: ListForm;
  readonly #source: string;
  #columns: readonly (Column | undefined)[] | undefined;
  #isFirst = true;

  constructor(form: ListForm, source: string) {
    this.#form = form;
    this.#source = source;
  }

  /** Reads a row: its values or its refusal; undefined for a header. @throws DataError for an invalid header */
  read(row: Row): ListRow | Refusal | undefined {
    const { cells, line, refusal: notCsv } = row;
    if (notCsv !== undefined) return this.#form.explainLine(cells.join(',')) ?? notCsv;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (isFirst && cells.some((cell) => cell.toLowerCase() === this.#form.numberColumn)) {
      const refusal = this.#readHeader(cells);
      if (refusal !== undefined) throw new DataError({ source: this.#source, line }, refusal.problem, refusal.remedy);
      return undefined;
    }
    const columns = this.#columns ?? this.#form.headless.find((form) => form.length === cells.length);
    if (columns?.length !== cells.length) {
      return this.#form.explainLine(cells.join(',')) ?? this.#explainCount(cells, columns?.length);
    }
    return this.#readCells(cells, columns, isFirst);
  }

  #readCells(cells: readonly string[], columns: readonly (Column | undefined)[], isFirst: boolean): ListRow | Refusal {
    const { numberColumn, parseNumber } = this.#form;
    const numberCell = cells[columns.indexOf(numberColumn)] ?? '';
    const number = parseNumber(numberCell, isFirst);
    if (typeof number !== 'number') return explainCell(columns, numberColumn, numberCell, number);
    const target = cells[columns.indexOf('target')] ?? '';
    const targetRefusal = checkTarget(target);
    if (targetRefusal !== undefined) return explainCell(columns, 'target', target, targetRefusal);
    const methodAt = columns.indexOf('method');
    const method = methodAt === -1 ? '' : (cells[methodAt] ?? '');
    const methodRefusal = method === '' ? undefined : checkMethod(method);
    if (methodRefusal !== undefined) return explainCell(columns, 'method', method, methodRefusal);
    this.#columns = columns;
    return { number, method: method === '' ? 'GET' : method, target };
  }

  /** Reads a header, which names columns in any order and case, and may name others. @returns undefined if it is valid */
  #readHeader(cells: readonly string[]): Refusal | undefined {
    const [required, all] = this.#form.headless;
    const named = cells.map((cell) => all.find((column) => NAMES[column].some((name) => name === cell.toLowerCase())));
    for (const column of all) {
      const [first, second] = named.flatMap((name, index) => (name === column ? [String(index + 1)] : []));
      if (second !== undefined) {
        const columns = `columns ${String(first)} and ${second}`;
        return { problem: `the header names ${NAMES[column].join(' or ')} twice (${columns})`, remedy: 'keep one of them' };
      }
      if (first !== undefined || !required.includes(column)) continue;
      return {
        problem: `the header has no column ${NAMES[column][0]}: it names ${quoteBytes(cells.join(','))}`,
        remedy: `name the columns ${namesOf(required).join(' and ')}, and ${NAMES.method[0]} if there is one`,
      };
    }
    this.#columns = named;
    return undefined;
  }

  /** @param expected undefined while the columns are not known */
  #explainCount(cells: readonly string[], expected: number | undefined): Refusal {
    const [only = '', another] = cells;
    if (another === undefined && /[;\t]/.test(only)) {
      const separator = only.includes(';') ? 'semicolons' : 'tabs';
      return { problem: `the row has ${separator} instead of commas`, remedy: 'separate cells with commas' };
    }
    const count = another === undefined ? '1 cell' : `${String(cells.length)} cells`;
    if (expected === undefined) {
      const forms = this.#form.headless.map((form) => namesOf(form).join(',')).join(' or ');
      return { problem: `the row has ${count} instead of 2 or 3`, remedy: `give ${forms}, or name the columns in a header` };
    }
    const problem = `the row has ${count} instead of ${String(expected)}: column`;
    if (cells.length < expected) {
      return { problem: `${problem} ${String(cells.length + 1)} is missing`, remedy: 'give every cell, even if it is empty' };
    }
    const extra = quoteBytes(cells[expected] ?? '');
    return { problem: `${problem} ${String(expected + 1)} is ${extra}`, remedy: 'quote a cell that holds a comma' };
  }
}

function explainCell(
  columns: readonly (Column | undefined)[],
  column: Column,
  cell: string,
  { problem, remedy }: Refusal,
): Refusal {
  const name = `${NAMES[column][0]} ${quoteBytes(cell)} (column ${String(columns.indexOf(column) + 1)})`;
  return { problem: `${name} ${problem}`, remedy };
}

function namesOf(columns: readonly Column[]): readonly string[] {
  return columns.map((column) => NAMES[column][0]);
}

/** A record of a log begins with `[` and a digit. */
const JSON_BEGINNING = /^\s*(?:\{\s*(?:["}]|$)|\[\s*(?:["{]|$))/;

/** Refuses a line of JSON in a CSV list. @param columns the columns of the list */
export function explainJson(line: string, columns: readonly string[]): Refusal | undefined {
  if (!JSON_BEGINNING.test(line)) return undefined;
  const filter = `[${columns.map((column) => `.${column}`).join(', ')}] | @csv`;
  return { problem: 'it is a line of JSON', remedy: `convert it to CSV, such as with jq -r '${filter}'` };
}
