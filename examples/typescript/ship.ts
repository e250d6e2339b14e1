import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

/** The pipeline under test: puts each line of a log into the field `message` of a JSON object. */
export async function* ship(log: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const message of createInterface({ input: Readable.from(log), crlfDelay: Infinity }))
    yield Buffer.from(`${JSON.stringify({ message })}\n`);
}
