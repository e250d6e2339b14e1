import { DataError } from '../../errors.js';
import { countOf, quoteBytes } from '../../wording.js';
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
/** Undefined for a column that is passed over. */
type Columns = readonly (Column | undefined)[];

export interface ListForm {
  /** A first row with a cell of this name is a header. */
  readonly numberColumn: 'timestamp' | 'weight';
  /** The columns of lists without a header, and of a header the required ones first. */
  readonly headless: readonly [required: readonly Column[], all: readonly Column[]];
  readonly parseNumber: (cell: string) => number | Refusal;
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
  #columns: Columns | undefined;
  #isFirst = true;

  constructor(form: ListForm, source: string) {
    this.#form = form;
    this.#source = source;
  }

  /** Reads a row: its values or its refusal; undefined for a header. @throws DataError for an invalid header */
  read({ cells, line, refusal: notCsv }: Row): ListRow | Refusal | undefined {
    const { numberColumn, headless, explainLine } = this.#form;
    if (notCsv !== undefined) return explainLine(cells.join(',')) ?? notCsv;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (isFirst && cells.some((cell) => cell.toLowerCase() === numberColumn)) {
      this.#columns = this.#readHeader(cells, line);
      return undefined;
    }
    const columns = this.#columns ?? headless.find((form) => form.length === cells.length);
    if (columns?.length !== cells.length) return explainLine(cells.join(',')) ?? this.#explainCount(cells, columns?.length);
    const cell = cells[columns.indexOf(numberColumn)] ?? '';
    const number = this.#form.parseNumber(cell);
    if (typeof number !== 'number') {
      const names = `${columnNames(headless[0]).join(', ')} and ${NAMES.method[0]}`;
      const problem = `${number.problem}, and the row is not a header that names ${names}`;
      return refuseCell(numberColumn, cells, columns, isFirst && /^\D+$/.test(cell) ? { ...number, problem } : number);
    }
    const target = cells[columns.indexOf('target')] ?? '';
    const wrongTarget = checkTarget(target);
    if (wrongTarget !== undefined) return refuseCell('target', cells, columns, wrongTarget);
    const methodAt = columns.indexOf('method');
    const methodCell = methodAt === -1 ? '' : cells[methodAt];
    const method = methodCell === undefined || methodCell === '' ? 'GET' : methodCell;
    const wrongMethod = method === 'GET' ? undefined : checkMethod(method);
    if (wrongMethod !== undefined) return refuseCell('method', cells, columns, wrongMethod);
    this.#columns = columns;
    return { number, method, target };
  }

  /** The columns of a header, which names them in any order and case, and may name others. @throws DataError */
  #readHeader(cells: readonly string[], line: number): Columns {
    const [required, all] = this.#form.headless;
    const columns = cells.map((cell) => all.find((column) => NAMES[column].some((name) => name === cell.toLowerCase())));
    const place = { source: this.#source, line };
    for (const column of all) {
      const [first, second] = columns.flatMap((name, index) => (name === column ? [String(index + 1)] : []));
      if (second !== undefined) {
        const problem = `the header names ${NAMES[column].join(' or ')} twice (columns ${String(first)} and ${second})`;
        throw new DataError(place, problem, 'keep one of them');
      }
      if (first === undefined && required.includes(column)) {
        const problem = `the header has no column ${NAMES[column][0]}: it names ${quoteBytes(cells.join(','))}`;
        const names = `${columnNames(required).join(' and ')}, and ${NAMES.method[0]} if there is one`;
        throw new DataError(place, problem, `name the columns ${names}`);
      }
    }
    return columns;
  }

  /** @param expected undefined while the columns are not known */
  #explainCount(cells: readonly string[], expected: number | undefined): Refusal {
    const [only = '', another] = cells;
    const [separator] = another === undefined ? (/[;\t]/.exec(only) ?? []) : [];
    if (separator !== undefined) {
      const name = separator === ';' ? 'semicolons' : 'tabs';
      return { problem: `the row has ${name} instead of commas`, remedy: 'separate cells with commas' };
    }
    const problem = `the row has ${countOf(cells.length, 'cell')} instead of ${String(expected ?? '2 or 3')}`;
    if (expected === undefined) {
      const forms = this.#form.headless.map((form) => columnNames(form).join(',')).join(' or ');
      return { problem, remedy: `give ${forms}, or name the columns in a header` };
    }
    if (cells.length < expected) {
      const missing = `column ${String(cells.length + 1)} is missing`;
      return { problem: `${problem}: ${missing}`, remedy: 'give every cell, even if it is empty' };
    }
    const extra = `column ${String(expected + 1)} is ${quoteBytes(cells[expected] ?? '')}`;
    return { problem: `${problem}: ${extra}`, remedy: 'quote a cell that holds a comma' };
  }
}

function refuseCell(column: Column, cells: readonly string[], columns: Columns, { problem, remedy }: Refusal): Refusal {
  const index = columns.indexOf(column);
  const name = `${NAMES[column][0]} ${quoteBytes(cells[index] ?? '')} (column ${String(index + 1)})`;
  return { problem: `${name} ${problem}`, remedy };
}

function columnNames(columns: readonly Column[]): readonly string[] {
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
