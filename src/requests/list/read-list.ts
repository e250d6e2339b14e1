import { requireChunks, requireFunction, requireOptions, requireText, type OptionChecks } from '../../arguments.js';
import type { Chunks } from '../../lines.js';
import { readLines } from './line-blocks.js';
import type { ListedRequest } from '../request.js';
import { RowReader, type RequestListOptions } from './row-reader.js';

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
