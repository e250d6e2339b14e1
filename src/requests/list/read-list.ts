import { requireChunks, requireFunction, requireOptions, requireText, type OptionChecks } from '../../arguments.js';
import type { Chunks } from '../../lines.js';
import { readLines, OVERLONG, type LineBlock } from './line-blocks.js';
import { type ListedRequest, findMethodFault, findTargetFault, type Fault } from '../request.js';
import { BadRowError, DataError } from '../../errors.js';
import { createDeployment } from '../../log/deployment.js';
import { parseRecord } from '../../log/line.js';
import { zoneNamed, type Zone } from '../../log/zone.js';
import { quoteBytes } from '../../wording.js';
import { isAccessLine } from '../access-log/read-access-log.js';
import { findCountFault, parseHeader, type ColumnNames, type Columns } from './header.js';
import { parseLines, findJsonFault } from './csv-rows.js';
import { parseInstant } from '../instant.js';

/**
 * Reads a request list in CSV: `timestamp,request_target` or `timestamp,http_method,request_target`, or columns named by a
 * header. A row is one line. Gives requests in the order of the rows, in a batch for each block of input, possibly empty. The
 * requests before a bad row are given before the error is thrown.
 *
 * @param chunks the bytes of the list, cut anywhere; a Node stream, for example
 * @throws TypeError for an unknown option, and if the chunks are not a stream of bytes; RangeError for an unknown time zone
 * @throws BadRowError on the first row that is not a request, unless there is an `onBadRow`
 * @throws DataError if the header has a column twice or a column is missing, and if the list is in UTF-16
 */
export async function* readRequestList(
  chunks: Chunks,
  options: RequestListOptions = {},
): AsyncGenerator<readonly ListedRequest[]> {
  requireChunks(chunks, 'chunks');
  requireOptions(options, 'options', REQUEST_LIST_OPTIONS);
  const reader = new RowReader(options);
  for await (const block of readLines(chunks)) {
    const batch: ListedRequest[] = [];
    const error = await reader.read(block, batch);
    yield batch;
    if (error !== undefined) throw error;
  }
}

const REQUEST_LIST_OPTIONS: OptionChecks<keyof RequestListOptions> = {
  timezone: requireText,
  source: requireText,
  onBadRow: requireFunction,
};

/** The reading of a request list. */
export interface RequestListOptions {
  /** The IANA name of the zone of timestamps without an offset: the deployment's. Default `Europe/Warsaw`. */
  readonly timezone?: string;
  /** The name of the list in messages: a file as it was given. Default `<list>`. */
  readonly source?: string;
  /** Called with each bad row, which is then skipped. By default the first bad row is thrown. */
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

/** The columns of lists without a header, by the number of cells. */
const HEADLESS = new Map<number, RequestColumns>([
  [2, { count: 2, at: { timestamp: 0, method: -1, target: 1 } }],
  [3, { count: 3, at: { timestamp: 0, method: 1, target: 2 } }],
]);
const HEADLESS_FORMS = 'timestamp,request_target or timestamp,http_method,request_target';

const BOM = '\xef\xbb\xbf';

/** Reads the rows of a request list, a block at a time. */
class RowReader {
  readonly #zone: Zone;
  readonly #source: string;
  readonly #onBadRow: ((error: BadRowError) => void) | undefined;
  /** Set by the header, or by the first good row. */
  #columns: RequestColumns | undefined;
  #atFirstRow = true;
  /** The second of the row before: it decides the meaning of a local time in the autumn hour. */
  #second = 0;

  constructor({ timezone = createDeployment().timezone, source = '<list>', onBadRow }: RequestListOptions) {
    this.#zone = zoneNamed(timezone);
    this.#source = source;
    this.#onBadRow = onBadRow;
  }

  /** Adds the requests of a block to `batch`, up to the first error that ends the list. @returns that error */
  async read({ line: firstLine, text: raw, overlong }: LineBlock, batch: ListedRequest[]): Promise<DataError | undefined> {
    if (overlong) return this.#refuse(firstLine, OVERLONG);
    if (firstLine === 1 && /^(?:\xff\xfe|\xfe\xff)/.test(raw)) {
      const remedy = 'convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)';
      return new DataError({ source: this.#source, line: 1 }, 'the list is in UTF-16', remedy);
    }
    const text = firstLine === 1 && raw.startsWith(BOM) ? raw.slice(BOM.length) : raw;

    for (const row of await parseLines(text, firstLine)) {
      const error =
        row.fault === undefined
          ? this.#readRow(row.cells, row.line, batch)
          : this.#refuse(row.line, explainFault(row.text, row.fault));
      if (error !== undefined) return error;
    }
    return undefined;
  }

  /** Adds the request of a row to `batch`, or reads the header. @returns the error that ends the list, if there is one */
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
    const targetFault = findTargetFault(target);
    if (targetFault !== undefined) return this.#refuseCell(line, 'request_target', at.target, target, targetFault);
    const method = cells[at.method] ?? '';
    const methodFault = method === '' ? undefined : findMethodFault(method);
    if (methodFault !== undefined) return this.#refuseCell(line, 'http_method', at.method, method, methodFault);

    this.#columns = columns;
    this.#second = Math.floor(instant / 1000);
    batch.push({ millisecond: instant, method: method === '' ? 'GET' : method, target, line });
    return undefined;
  }

  #readHeader(cells: readonly string[], line: number): DataError | undefined {
    const columns = parseHeader(cells, COLUMNS, { timestamp: -1, method: -1, target: -1 });
    if ('problem' in columns) return new DataError({ source: this.#source, line }, columns.problem, columns.remedy);
    this.#columns = columns;
    return undefined;
  }

  /** Reports a bad row to `onBadRow`. @returns the error that ends the list, if there is no `onBadRow` */
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

/** Gives a line of an access log, a record of the log and a line of JSON a fault of its own; such a line is always a bad row. */
function explainFault(text: string, fault: Fault): Fault {
  if (isAccessLine(text)) return { problem: 'it is a line of an access log', remedy: 'give --from access-log' };
  if (parseRecord(text) !== undefined) return { problem: 'it is a record of the log', remedy: 'parse makes a list of a log' };
  return findJsonFault(text, ['timestamp', 'http_method', 'request_target']) ?? fault;
}

function isHeader(cells: readonly string[]): boolean {
  return cells.some((cell) => cell.toLowerCase() === 'timestamp');
}
