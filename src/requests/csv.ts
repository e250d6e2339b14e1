import { BadRowError, DataError } from '../errors.js';
import { copyBytes } from '../log/byte-string.js';
import { zoneNamed, type Zone } from '../log/zone.js';
import { quoteBytes } from '../quote.js';
import { findRowFault, parseRows } from './csv-rows.js';
import { endOf, sliceCells, splitPlainRows, startOf } from './plain-rows.js';
import { parseCommonInstant, parseInstant } from './instant.js';
import { readLines, type LineBlock } from './lines.js';
import { findMethodFault, findTargetFault, type Fault, type ListedRequest } from './request.js';

/** How a request list is to be read. */
export interface RequestListOptions {
  /** IANA name of the zone whose wall clock a timestamp without an offset is on: the deployment's. */
  readonly timezone: string;
  /** What error messages call the list: a file as it was given. Default `<list>`. */
  readonly source?: string;
  /** Called with each bad row, which is then passed over. Left out: the first bad row is thrown. */
  readonly onBadRow?: (error: BadRowError) => void;
}

/**
 * Reads a request list in CSV: `timestamp,request_target` or `timestamp,http_method,request_target`, or columns named by a header.
 * A row is one line. Gives a batch of requests, in the order of the rows, for each piece of input (an empty one where it brought no
 * request); what came before a bad row is given before the error is thrown.
 *
 * @param chunks the bytes of the list, cut anywhere; a Node stream will do
 * @throws BadRowError on the first row that is no request, unless `onBadRow` takes it
 * @throws DataError on a header that lacks or doubles a column, and on a list in UTF-16
 */
export async function* readRequestList(
  chunks: AsyncIterable<Uint8Array>,
  options: RequestListOptions,
): AsyncGenerator<readonly ListedRequest[]> {
  const reader = new RowReader(options);
  for await (const block of readLines(chunks)) {
    const batch: ListedRequest[] = [];
    const error = await reader.read(block, batch);
    yield batch;
    if (error !== undefined) throw error;
  }
}

/** A line that may be a row: its cells, or what is wrong with it before cells can be told. */
interface Row {
  readonly line: number;
  readonly cells: readonly string[];
  readonly fault: Fault | undefined;
}

/** Which cell of a row holds what, and how many cells a row has. */
interface Columns {
  readonly count: number;
  readonly timestamp: number;
  /** -1 where every request is a `GET`. */
  readonly method: number;
  readonly target: number;
}

/** The names that a header may use, in lower case. */
const COLUMNS: readonly { readonly column: 'timestamp' | 'method' | 'target'; readonly names: readonly string[] }[] = [
  { column: 'timestamp', names: ['timestamp'] },
  { column: 'method', names: ['http_method', 'method'] },
  { column: 'target', names: ['request_target', 'target'] },
];

const NAME_THE_COLUMNS = 'if this row is a header, name the columns timestamp, request_target and http_method';

/** Lists without a header, by their number of cells. */
const HEADLESS = new Map<number, Columns>([
  [2, { count: 2, timestamp: 0, method: -1, target: 1 }],
  [3, { count: 3, timestamp: 0, method: 1, target: 2 }],
]);

class RowReader {
  readonly #zone: Zone;
  readonly #source: string;
  readonly #onBadRow: ((error: BadRowError) => void) | undefined;
  /** Known from the header, or from the first good row. */
  #columns: Columns | undefined;
  #atFirstRow = true;
  /** The second of the row before, which decides what a local time in the autumn hour means. */
  #second = 0;
  /** Targets that have been found good: most lists hold few of them, many times. */
  readonly #targets = new Map<string, string>();

  constructor({ timezone, source = '<list>', onBadRow }: RequestListOptions) {
    this.#zone = zoneNamed(timezone);
    this.#source = source;
    this.#onBadRow = onBadRow;
  }

  /** Adds the block's requests to `batch`, as far as the first error that ends the list; that is returned. */
  async read({ line: firstLine, text: raw, overlong }: LineBlock, batch: ListedRequest[]): Promise<DataError | undefined> {
    if (overlong) return this.#refuse(firstLine, { problem: 'the line is longer than 1 MiB', remedy: 'shorten it' });
    if (firstLine === 1 && /^(?:\xff\xfe|\xfe\xff)/.test(raw)) {
      const remedy = 'convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)';
      return new DataError({ source: this.#source, line: 1 }, 'the list is in UTF-16', remedy);
    }
    const text = firstLine === 1 && raw.startsWith(BOM) ? raw.slice(BOM.length) : raw;

    let line = firstLine;
    let error: DataError | undefined;
    const restAt = splitPlainRows(text, (bounds) => {
      if (!this.#readPlainRow(text, bounds, line, batch)) error = this.#readRow(sliceCells(text, bounds), line, batch);
      line += 1;
      return error === undefined;
    });
    if (error !== undefined || restAt === text.length) return error;
    for (const row of await parseLines(text.slice(restAt), line)) {
      error = row.fault === undefined ? this.#readRow(row.cells, row.line, batch) : this.#refuse(row.line, row.fault);
      if (error !== undefined) return error;
    }
    return undefined;
  }

  /**
   * Adds the request of a row to `batch`, if its columns are known and nothing is unusual about it: `#readRow` without a string for
   * every cell.
   *
   * @param bounds as `splitPlainRows` gives them
   */
  #readPlainRow(text: string, bounds: readonly number[], line: number, batch: ListedRequest[]): boolean {
    const columns = this.#columns;
    if (columns?.count !== bounds.length - 1) return false;
    const { timestamp, method: methodColumn, target: targetColumn } = columns;
    const instant = parseCommonInstant(text, startOf(bounds, timestamp), endOf(bounds, timestamp), this.#zone, this.#second);
    if (instant === undefined) return false;
    const targetCell = text.slice(startOf(bounds, targetColumn), endOf(bounds, targetColumn));
    const target = this.#targets.get(targetCell) ?? this.#checkTarget(targetCell);
    if (typeof target !== 'string') return false;
    let method = 'GET';
    if (methodColumn !== -1) {
      const cell = text.slice(startOf(bounds, methodColumn), endOf(bounds, methodColumn));
      if (cell !== '' && cell !== method) {
        if (findMethodFault(cell) !== undefined) return false;
        method = cell;
      }
    }
    this.#second = Math.floor(instant / 1000);
    batch.push({ millisecond: instant, method, target, line });
    return true;
  }

  /** Adds the request of a row to `batch`; a header it takes in. Gives the error that ends the list, if there is one. */
  #readRow(cells: readonly string[], line: number, batch: ListedRequest[]): DataError | undefined {
    const isFirst = this.#atFirstRow;
    this.#atFirstRow = false;
    if (isFirst && isHeader(cells)) return this.#readHeader(cells, line);
    const columns = this.#columns ?? HEADLESS.get(cells.length);
    if (columns?.count !== cells.length) return this.#refuse(line, findCountFault(cells, columns));

    const timestamp = cells[columns.timestamp] ?? '';
    const instant = parseInstant(timestamp, this.#zone, this.#second);
    if (typeof instant !== 'number') {
      const fault = isFirst && !/\d/.test(timestamp) ? { ...instant, remedy: NAME_THE_COLUMNS } : instant;
      return this.#refuseCell(line, 'timestamp', columns.timestamp, timestamp, fault);
    }
    const target = cells[columns.target] ?? '';
    const sound = this.#targets.get(target) ?? this.#checkTarget(target);
    if (typeof sound !== 'string') return this.#refuseCell(line, 'request_target', columns.target, target, sound);
    const method = cells[columns.method] ?? '';
    const methodFault = method === '' ? undefined : findMethodFault(method);
    if (methodFault !== undefined) return this.#refuseCell(line, 'http_method', columns.method, method, methodFault);

    this.#columns = columns;
    this.#second = Math.floor(instant / 1000);
    batch.push({ millisecond: instant, method: method === '' ? 'GET' : method, target: sound, line });
    return undefined;
  }

  /** A target that is not known yet: as it is to be handed on, or what is wrong with it. */
  #checkTarget(target: string): string | Fault {
    const fault = findTargetFault(target);
    if (fault !== undefined) return fault;
    if (target.length > MAX_KNOWN_TARGET_LENGTH || this.#targets.size === MAX_KNOWN_TARGETS) return target;
    const own = copyBytes(target);
    this.#targets.set(own, own);
    return own;
  }

  #readHeader(cells: readonly string[], line: number): DataError | undefined {
    const header = cells.map((cell) => cell.toLowerCase());
    const columns = { count: cells.length, timestamp: -1, method: -1, target: -1 };
    for (const { column, names } of COLUMNS) {
      const [first, second] = header.flatMap((name, index) => (names.includes(name) ? [index] : []));
      if (second !== undefined) {
        const places = `columns ${String(Number(first) + 1)} and ${String(second + 1)}`;
        return this.#badHeader(line, `the header names ${names.join(' or ')} twice (${places})`, 'keep one of them');
      }
      columns[column] = first ?? -1;
    }
    if (columns.target === -1) {
      return this.#badHeader(
        line,
        `the header has no column request_target: it names ${quoteBytes(cells.join(','))}`,
        'name the columns timestamp and request_target, and http_method if there is one',
      );
    }
    this.#columns = columns;
    return undefined;
  }

  #badHeader(line: number, problem: string, remedy: string): DataError {
    return new DataError({ source: this.#source, line }, problem, remedy);
  }

  /** A bad row: passed over, or the end of the list. */
  #refuse(line: number, { problem, remedy }: Fault): BadRowError | undefined {
    const error = new BadRowError({ source: this.#source, line }, problem, remedy);
    if (this.#onBadRow === undefined) return error;
    this.#onBadRow(error);
    return undefined;
  }

  #refuseCell(line: number, name: string, column: number, cell: string, fault: Fault): BadRowError | undefined {
    const place = `${name} ${quoteBytes(cell)} (column ${String(column + 1)})`;
    return this.#refuse(line, { problem: `${place} ${fault.problem}`, remedy: fault.remedy });
  }
}

function isHeader(cells: readonly string[]): boolean {
  return cells.some((cell) => cell.toLowerCase() === 'timestamp');
}

/** What is wrong with a row of too few or too many cells. */
function findCountFault(cells: readonly string[], columns: Columns | undefined): Fault {
  const [only = '', another] = cells;
  if (another === undefined && /[;\t]/.test(only)) {
    return {
      problem: `the row has no comma, but ${only.includes(';') ? 'semicolons' : 'tabs'}`,
      remedy: 'separate cells with commas',
    };
  }
  const count = another === undefined ? '1 cell' : `${String(cells.length)} cells`;
  if (columns === undefined) {
    return {
      problem: `the row has ${count} where 2 or 3 belong`,
      remedy: 'give timestamp,request_target or timestamp,http_method,request_target, or name the columns in a header',
    };
  }
  const expected = String(columns.count);
  if (cells.length > columns.count) {
    const extra = `column ${String(columns.count + 1)} is ${quoteBytes(cells[columns.count] ?? '')}`;
    return {
      problem: `the row has ${count}, ${expected} belong there: ${extra}`,
      remedy: 'quote a cell that holds a comma',
    };
  }
  return {
    problem: `the row has ${count}, ${expected} belong there: column ${String(cells.length + 1)} is missing`,
    remedy: 'give every cell, an empty one too',
  };
}

const BOM = '\xef\xbb\xbf';

/** The first so many targets are known, up to this length; others are checked each time, which costs little more. */
const MAX_KNOWN_TARGETS = 4096;
const MAX_KNOWN_TARGET_LENGTH = 1024;

/** The lines that may be rows, neither blank nor comments: all that `splitPlainRows` leaves. */
async function parseLines(text: string, firstLine: number): Promise<Row[]> {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const rows: { line: number; fault: Fault | undefined }[] = [];
  const sound: string[] = [];
  for (const [index, lineText] of lines.entries()) {
    // At the end of the input a line may lack its LF: a CR there ends nothing.
    const ended = index < lines.length - 1 || text.endsWith('\n');
    const content = ended && lineText.endsWith('\r') ? lineText.slice(0, -1) : lineText;
    if (content.startsWith('#') || /^[ \t]*$/.test(content)) continue;
    const fault = findRowFault(content);
    rows.push({ line: firstLine + index, fault });
    if (fault === undefined) sound.push(content);
  }
  const cells = (await parseRows(sound)).values();
  return rows.map((row) => ({ ...row, cells: row.fault === undefined ? (cells.next().value ?? []) : [] }));
}
