import { requireChunks, requireFunction, requireOptions, requireText, type OptionChecks } from '../../arguments.js';
import type { BadRowError } from '../../errors.js';
import { recordOn } from '../../input/log-lines.js';
import type { Chunks } from '../../lines.js';
import { createDeployment } from '../../log/deployment.js';
import { zoneNamed } from '../../log/zone.js';
import { isAccessLine } from '../access-log/access-line.js';
import { parseInstant } from '../instant.js';
import type { Refusal, ListedRequest } from '../request.js';
import { explainJson, readListRows, type ListForm } from './list-rows.js';

/** Options of `readRequestList`. */
export interface RequestListOptions {
  /** The IANA name of the deployment's zone, for timestamps without an offset. Default `Europe/Warsaw`. */
  readonly timezone?: string;
  /** The name of the list in messages: a file as it was given. Default `<list>`. */
  readonly source?: string;
  /** Called with each bad row, which is then skipped. By default the first bad row is thrown. */
  readonly onBadRow?: (error: BadRowError) => void;
}

const REQUEST_LIST_OPTIONS: OptionChecks<keyof RequestListOptions> = {
  timezone: requireText,
  source: requireText,
  onBadRow: requireFunction,
};

/**
 * Reads a request list in CSV: `timestamp,request_target` or `timestamp,http_method,request_target`, or columns named by a
 * header. A row is one line. Gives requests in the order of the rows, in a batch for each block of input, possibly empty. Requests
 * before a bad row are given before the error is thrown.
 * @param chunks the bytes of the list, cut anywhere; a Node stream, for example
 * @throws TypeError for an unknown option, and if the chunks are not a stream of bytes; RangeError for an unknown time zone
 * @throws BadRowError on the first row that is not a request, unless there is an `onBadRow`
 * @throws DataError if the header has a column twice or a column is missing
 */
export async function* readRequestList(
  chunks: Chunks,
  options: RequestListOptions = {},
): AsyncGenerator<readonly ListedRequest[]> {
  requireChunks(chunks, 'chunks');
  requireOptions(options, 'options', REQUEST_LIST_OPTIONS);
  const { timezone = createDeployment().timezone, source = '<list>', onBadRow } = options;
  const zone = zoneNamed(timezone);
  /** The Unix second of the request before, which decides the meaning of a local time in the autumn hour. */
  let latestSecond = 0;
  const form: ListForm<ListedRequest> = {
    numberColumn: 'timestamp',
    headless: [
      ['timestamp', 'target'],
      ['timestamp', 'method', 'target'],
    ],
    parseNumber: (cell) => parseInstant(cell, zone, latestSecond),
    explainLine,
    make: (millisecond, method, target, line) => {
      latestSecond = Math.floor(millisecond / 1000);
      return { millisecond, method, target, line };
    },
  };
  yield* readListRows(chunks, source, form, onBadRow);
}

/** Recognizes a line of an access log, a record of the log, and a line of JSON. Such a line is always a bad row. */
function explainLine(text: string): Refusal | undefined {
  if (isAccessLine(text))
    return { problem: 'it is a line of an access log', remedy: (option) => `give ${option('from', 'access-log')}` };
  if (recordOn(text) !== undefined)
    return { problem: 'it is a record of the log', remedy: 'convert the log with webmail-diaglog parse' };
  return explainJson(text, ['timestamp', 'http_method', 'request_target']);
}
