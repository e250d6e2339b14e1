import { BadRowError, DataError, type Place } from '../../errors.js';
import type { Chunks } from '../../lines.js';
import { countOf, quoteBytes } from '../../wording.js';
import { checkMethod, checkTarget, type Refusal } from '../request.js';
import { readRows, type Row } from './csv-rows.js';

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

export interface ListForm<T> {
  /** A first row with a cell of this name is a header. */
  readonly numberColumn: 'timestamp' | 'weight';
  /** The columns of lists without a header, and of a header the required ones first. */
  readonly headless: readonly [required: readonly Column[], all: readonly Column[]];
  readonly parseNumber: (cell: string) => number | Refusal;
  /** Recognizes a line of another format, which is always a bad row. */
  readonly explainLine: (line: string) => Refusal | undefined;
  readonly make: (number: number, method: string, target: string, line: number) => T;
}

/**
 * Reads the rows of a list, in a batch for each block of input. The header, or else the first good row, decides the columns. A bad row is
 * given to `onBadRow`, or thrown after the rows before it. @throws DataError for an invalid header
 */
export async function* readListRows<T>(
  chunks: Chunks,
  source: string,
  form: ListForm<T>,
  onBadRow?: (error: BadRowError) => void,
): AsyncGenerator<readonly T[]> {
  let columns: Columns | undefined;
  let isFirst = true;
  for await (const rows of readRows(chunks)) {
    const batch: T[] = [];
    try {
      for (const row of rows) {
        const mayBeHeader: boolean = isFirst && row.refusal === undefined;
        if (mayBeHeader) isFirst = false;
        if (mayBeHeader && row.cells.some((cell) => cell.toLowerCase() === form.numberColumn)) {
          columns = readHeader(row.cells, form, { source, line: row.line });
          continue;
        }
        const rowColumns = columns ?? form.headless.find(({ length }) => length === row.cells.length);
        const refusal = row.refusal ?? readCells(row, rowColumns, form, mayBeHeader, batch);
        if (refusal === undefined) {
          columns = rowColumns;
          continue;
        }
        const { problem, remedy } = form.explainLine(row.cells.join(',')) ?? refusal;
        const error = new BadRowError({ source, line: row.line }, problem, remedy);
        if (onBadRow === undefined) throw error;
        onBadRow(error);
      }
    } finally {
      // The rows before a bad one, too.
      yield batch;
    }
  }
}

/** The columns of a header, which names them in any order and case, and may name others. @throws DataError */
function readHeader(cells: readonly string[], { headless: [required, all] }: ListForm<unknown>, place: Place): Columns {
  const columns = cells.map((cell) => all.find((column) => NAMES[column].some((name) => name === cell.toLowerCase())));
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

function readCells<T>(
  { line, cells }: Row,
  columns: Columns | undefined,
  { numberColumn, headless, parseNumber, make }: ListForm<T>,
  mayBeHeader: boolean,
  batch: T[],
): Refusal | undefined {
  if (columns?.length !== cells.length) return explainCount(cells, columns?.length, headless);
  const cell = cells[columns.indexOf(numberColumn)] ?? '';
  const number = parseNumber(cell);
  if (typeof number !== 'number') {
    const names = `${columnNames(headless[0]).join(', ')} and ${NAMES.method[0]}`;
    const problem = `${number.problem}, and the row is not a header that names ${names}`;
    return refuseCell(numberColumn, cells, columns, mayBeHeader && /^\D+$/.test(cell) ? { ...number, problem } : number);
  }
  const target = cells[columns.indexOf('target')] ?? '';
  const wrongTarget = checkTarget(target);
  if (wrongTarget !== undefined) return refuseCell('target', cells, columns, wrongTarget);
  const methodAt = columns.indexOf('method');
  const method = methodAt === -1 ? '' : (cells[methodAt] ?? '');
  const wrongMethod = method === '' || method === 'GET' ? undefined : checkMethod(method);
  if (wrongMethod !== undefined) return refuseCell('method', cells, columns, wrongMethod);
  batch.push(make(number, method === '' ? 'GET' : method, target, line));
  return undefined;
}

function refuseCell(column: Column, cells: readonly string[], columns: Columns, { problem, remedy }: Refusal): Refusal {
  const index = columns.indexOf(column);
  const name = `${NAMES[column][0]} ${quoteBytes(cells[index] ?? '')} (column ${String(index + 1)})`;
  return { problem: `${name} ${problem}`, remedy };
}

/** @param expected undefined while the columns are not known */
function explainCount(cells: readonly string[], expected: number | undefined, headless: ListForm<unknown>['headless']): Refusal {
  const [only = '', another] = cells;
  if (another === undefined && /[;\t]/.test(only))
    return { problem: 'the row has semicolons or tabs instead of commas', remedy: 'separate cells with commas' };
  const problem = `the row has ${countOf(cells.length, 'cell')} instead of ${String(expected ?? '2 or 3')}`;
  if (expected === undefined) {
    const forms = headless.map((columns) => columnNames(columns).join(',')).join(' or ');
    return { problem, remedy: `give ${forms}, or name the columns in a header` };
  }
  const column = `column ${String(Math.min(cells.length, expected) + 1)}`;
  if (cells.length < expected)
    return { problem: `${problem}: ${column} is missing`, remedy: 'give every cell, even if it is empty' };
  return { problem: `${problem}: ${column} is ${quoteBytes(cells[expected] ?? '')}`, remedy: 'quote a cell that holds a comma' };
}

function columnNames(columns: readonly Column[]): readonly string[] {
  return columns.map((column) => NAMES[column][0]);
}

const JSON_BEGINNING = /^\s*(?:\{\s*(?:["}]|$)|\[\s*(?:["{]|$))/;

/** Refuses a line of JSON in a CSV list. @param columns the columns of the list */
export function explainJson(line: string, columns: readonly string[]): Refusal | undefined {
  if (!JSON_BEGINNING.test(line)) return undefined;
  const filter = `[${columns.map((column) => `.${column}`).join(', ')}] | @csv`;
  return { problem: 'it is a line of JSON', remedy: `convert it to CSV, such as with jq -r '${filter}'` };
}
