import { BadRowError, DataError } from '../../errors.js';
import { parseRecord } from '../../log/line.js';
import { zoneNamed, type Zone } from '../../log/zone.js';
import { quoteBytes } from '../../wording.js';
import { isAccessLine } from '../access-log/read-access-log.js';
import { findCountFault, parseHeader, type ColumnNames, type Columns } from './columns.js';
import { parseLines } from './csv-lines.js';
import { parseCommonInstant, parseInstant } from '../instant.js';
import { TargetCache } from '../target-cache.js';
import type { LineBlock } from './line-blocks.js';
import { endOf, sliceCells, splitPlainRows, startOf } from './plain-rows.js';
import { findMethodFault, type Fault, type ListedRequest } from '../request.js';

/** How a request list is to be read. */
export interface RequestListOptions {
  /** IANA name of the zone whose wall clock a timestamp without an offset is on: the deployment's. */
  readonly timezone: string;
  /** What error messages call the list: a file as it was given. Default `<list>`. */
  readonly source?: string;
  /** Called with each bad row, which is then passed over. Left out: the first bad row is thrown. */
  readonly onBadRow?: (error: BadRowError) => void;
}

type RequestColumn = 'timestamp' | 'method' | 'target';
type RequestColumns = Columns<RequestColumn>;

const COLUMNS: readonly ColumnNames<RequestColumn>[] = [
  { column: 'timestamp', names: ['timestamp'], isRequired: true },
  { column: 'method', names: ['http_method', 'method'], isRequired: false },
  { column: 'target', names: ['request_target', 'target'], isRequired: true },
];

const NAME_THE_COLUMNS = 'if this row is a header, name the columns timestamp, request_target and http_method';

/** Lists without a header, by their number of cells. */
const HEADLESS = new Map<number, RequestColumns>([
  [2, { count: 2, at: { timestamp: 0, method: -1, target: 1 } }],
  [3, { count: 3, at: { timestamp: 0, method: 1, target: 2 } }],
]);
const HEADLESS_FORMS = 'timestamp,request_target or timestamp,http_method,request_target';

const BOM = '\xef\xbb\xbf';

/** Reads the rows of a request list, block by block. */
export class RowReader {
  readonly #zone: Zone;
  readonly #source: string;
  readonly #onBadRow: ((error: BadRowError) => void) | undefined;
  /** Known from the header, or from the first good row. */
  #columns: RequestColumns | undefined;
  #atFirstRow = true;
  /** The second of the row before, which decides what a local time in the autumn hour means. */
  #second = 0;
  readonly #targets = new TargetCache();

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
      error =
        row.fault === undefined
          ? this.#readRow(row.cells, row.line, batch)
          : this.#refuse(row.line, explainFault(row.text, row.fault));
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
    const { timestamp, method: methodColumn, target: targetColumn } = columns.at;
    const instant = parseCommonInstant(text, startOf(bounds, timestamp), endOf(bounds, timestamp), this.#zone, this.#second);
    if (instant === undefined) return false;
    const target = this.#targets.checkWithin(text, startOf(bounds, targetColumn), endOf(bounds, targetColumn));
    if (typeof target !== 'string') return false;
    const method = methodColumn === -1 ? '' : text.slice(startOf(bounds, methodColumn), endOf(bounds, methodColumn));
    if (method !== '' && findMethodFault(method) !== undefined) return false;
    this.#second = Math.floor(instant / 1000);
    batch.push({ millisecond: instant, method: method === '' ? 'GET' : method, target, line });
    return true;
  }

  /** Adds the request of a row to `batch`; a header it takes in. Gives the error that ends the list, if there is one. */
  #readRow(cells: readonly string[], line: number, batch: ListedRequest[]): DataError | undefined {
    const isFirst = this.#atFirstRow;
    this.#atFirstRow = false;
    if (isFirst && isHeader(cells)) return this.#readHeader(cells, line);
    const columns = this.#columns ?? HEADLESS.get(cells.length);
    if (columns?.count !== cells.length) {
      return this.#refuse(line, explainFault(cells.join(','), findCountFault(cells, columns?.count, HEADLESS_FORMS)));
    }
    const { at } = columns;

    const timestamp = cells[at.timestamp] ?? '';
    const instant = parseInstant(timestamp, this.#zone, this.#second);
    if (typeof instant !== 'number') {
      const fault = isFirst && !/\d/.test(timestamp) ? { ...instant, remedy: NAME_THE_COLUMNS } : instant;
      return this.#refuseCell(line, 'timestamp', at.timestamp, timestamp, fault);
    }
    const target = cells[at.target] ?? '';
    const sound = this.#targets.check(target);
    if (typeof sound !== 'string') return this.#refuseCell(line, 'request_target', at.target, target, sound);
    const method = cells[at.method] ?? '';
    const methodFault = method === '' ? undefined : findMethodFault(method);
    if (methodFault !== undefined) return this.#refuseCell(line, 'http_method', at.method, method, methodFault);

    this.#columns = columns;
    this.#second = Math.floor(instant / 1000);
    batch.push({ millisecond: instant, method: method === '' ? 'GET' : method, target: sound, line });
    return undefined;
  }

  #readHeader(cells: readonly string[], line: number): DataError | undefined {
    const columns = parseHeader(cells, COLUMNS, { timestamp: -1, method: -1, target: -1 });
    if ('problem' in columns) return new DataError({ source: this.#source, line }, columns.problem, columns.remedy);
    this.#columns = columns;
    return undefined;
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

/** A line of an access log always has a quote where a row has none, and a record has no comma that a request may not have. */
function explainFault(text: string, fault: Fault): Fault {
  if (isAccessLine(text)) return { problem: 'it is a line of an access log', remedy: 'give --from access-log' };
  return parseRecord(text) === undefined
    ? fault
    : { problem: 'it is a record of the log', remedy: 'parse makes a list of a log' };
}

function isHeader(cells: readonly string[]): boolean {
  return cells.some((cell) => cell.toLowerCase() === 'timestamp');
}
