import { readLines } from './line-blocks.js';
import type { ListedRequest } from '../request.js';
import { RowReader, type RequestListOptions } from './row-reader.js';

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
