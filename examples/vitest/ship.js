import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

/** The timestamp at the beginning of every record, and the request target at the end of a load failure. */
const RECORD = /^\[(\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d) [^\]]+\](?:.*\(\S+ (\S+)\)$)?/;

/**
 * The pipeline under test: parses each line of a log into a JSON object.
 *
 * @param {AsyncIterable<Uint8Array>} log
 */
export async function* ship(log) {
  for await (const line of createInterface({ input: Readable.from(log), crlfDelay: Infinity })) {
    const [, time, url] = RECORD.exec(line) ?? [];
    yield Buffer.from(`${JSON.stringify({ time, url })}\n`);
  }
}
