import { requireChunks, requireFunction, requireOptions, requireText, type OptionChecks } from '../../arguments.js';
import type { Chunks } from '../../lines.js';
import { type ListedRequest, findMethodFault, findTargetFault, type Fault } from '../request.js';
import { BadRowError, DataError } from '../../errors.js';
import { createDeployment } from '../../log/deployment.js';
import { parseRecord } from '../../log/line.js';
import { zoneNamed, type Zone } from '../../log/zone.js';
import { isAccessLine } from '../access-log/read-access-log.js';
import { findJsonFault, readRows, type Row } from './csv-rows.js';
import { ListColumns, type ListForm } from './header.js';
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
  for await (const rows of readRows(chunks)) {
    const batch: ListedRequest[] = [];
    const error = reader.read(rows, batch);
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

type Column = 'timestamp' | 'method' | 'target';

/** The columns of a request list. */
const LIST_FORM: ListForm<Column> = {
  columns: [
    { column: 'timestamp', names: ['timestamp'], isRequired: true },
    { column: 'method', names: ['http_method', 'method'], isRequired: false },
    { column: 'target', names: ['request_target', 'target'], isRequired: true },
  ],
  headerName: 'timestamp',
  headless: [
    ['timestamp', 'target'],
    ['timestamp', 'method', 'target'],
  ],
};

const NAME_THE_COLUMNS = 'if this row is a header, name the columns timestamp, request_target and http_method';

const UTF_16: Fault = { problem: 'the list is in UTF-16', remedy: 'convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)' };

/** Reads the rows of a request list, a block at a time. */
class RowReader {
  readonly #zone: Zone;
  readonly #source: string;
  readonly #onBadRow: ((error: BadRowError) => void) | undefined;
  readonly #columns = new ListColumns(LIST_FORM);
  #atFirstRow = true;
  /** The second of the row before: it decides the meaning of a local time in the autumn hour. */
  #second = 0;

  constructor({ timezone = createDeployment().timezone, source = '<list>', onBadRow }: RequestListOptions) {
    this.#zone = zoneNamed(timezone);
    this.#source = source;
    this.#onBadRow = onBadRow;
  }

  /** Adds the requests of rows to `batch`, up to the first error that ends the list. @returns that error */
  read(rows: readonly Row[], batch: ListedRequest[]): DataError | undefined {
    for (const row of rows) {
      const { line } = row;
      const beginning = row.fault === undefined ? row.cells[0] : row.text;
      if (line === 1 && /^(?:\xff\xfe|\xfe\xff)/.test(beginning ?? '')) return this.#endAt(line, UTF_16);
      const error =
        row.fault === undefined ? this.#readRow(row.cells, line, batch) : this.#refuse(line, explainFault(row.text, row.fault));
      if (error !== undefined) return error;
    }
    return undefined;
  }

  /** Adds the request of a row to `batch`, or reads the header. @returns the error that ends the list, if there is one */
  #readRow(cells: readonly string[], line: number, batch: ListedRequest[]): DataError | undefined {
    const isFirst = this.#atFirstRow;
    this.#atFirstRow = false;
    if (isFirst && this.#columns.isHeader(cells)) {
      const fault = this.#columns.readHeader(cells);
      return fault && this.#endAt(line, fault);
    }
    const columns = this.#columns.of(cells);
    if ('problem' in columns) return this.#refuse(line, explainFault(cells.join(','), columns));
    const refuseCell = (column: Column, cell: string, fault: Fault): BadRowError | undefined =>
      this.#refuse(line, this.#columns.explainCell(columns, column, cell, fault));

    const timestamp = cells[columns.indexOf('timestamp')] ?? '';
    const instant = parseInstant(timestamp, this.#zone, this.#second);
    if (typeof instant !== 'number') {
      const fault = isFirst && !/\d/.test(timestamp) ? { ...instant, remedy: NAME_THE_COLUMNS } : instant;
      return refuseCell('timestamp', timestamp, fault);
    }
    const target = cells[columns.indexOf('target')] ?? '';
    const targetFault = findTargetFault(target);
    if (targetFault !== undefined) return refuseCell('target', target, targetFault);
    const method = cells[columns.indexOf('method')] ?? '';
    const methodFault = method === '' ? undefined : findMethodFault(method);
    if (methodFault !== undefined) return refuseCell('method', method, methodFault);

    this.#columns.keep(columns);
    this.#second = Math.floor(instant / 1000);
    batch.push({ millisecond: instant, method: method === '' ? 'GET' : method, target, line });
    return undefined;
  }

  #endAt(line: number, { problem, remedy }: Fault): DataError {
    return new DataError({ source: this.#source, line }, problem, remedy);
  }

  /** Reports a bad row to `onBadRow`. @returns the error that ends the list, if there is no `onBadRow` */
  #refuse(line: number, { problem, remedy }: Fault): BadRowError | undefined {
    const error = new BadRowError({ source: this.#source, line }, problem, remedy);
    if (this.#onBadRow === undefined) return error;
    this.#onBadRow(error);
    return undefined;
  }
}

/** Gives a line of an access log, a record of the log and a line of JSON a fault of its own; such a line is always a bad row. */
function explainFault(text: string, fault: Fault): Fault {
  if (isAccessLine(text)) return { problem: 'it is a line of an access log', remedy: 'give --from access-log' };
  if (parseRecord(text) !== undefined)
    return { problem: 'it is a record of the log', remedy: 'make a list of it with webmail-diaglog parse' };
  return findJsonFault(text, ['timestamp', 'http_method', 'request_target']) ?? fault;
}
