import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

/**
 * The pipeline under test: puts each line of a log into the field `message` of a JSON object.
 *
 * @param {AsyncIterable<Uint8Array>} log
 */
export async function* ship(log) {
  for await (const message of createInterface({ input: Readable.from(log), crlfDelay: Infinity }))
    yield Buffer.from(`${JSON.stringify({ message })}\n`);
}
