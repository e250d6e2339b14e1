import { DataError } from '../errors.js';

/** Compressed formats: their first bytes, and the command that unpacks them. */
const FORMATS = [
  { magic: /^\x1f\x8b/, name: 'gzip', unpack: 'gunzip -c' },
  { magic: /^\x28\xb5\x2f\xfd/, name: 'zstd', unpack: 'zstd -dc' },
  { magic: /^\xfd7zXZ\0/, name: 'xz', unpack: 'xz -dc' },
  { magic: /^BZh[1-9]1AY&SY/, name: 'bzip2', unpack: 'bzip2 -dc' },
] as const;

/** The length of the longest magic number. */
const MAGIC_BYTES = 10;

/**
 * Refuses compressed input, which holds no lines.
 *
 * @param start the first bytes of the input, or all that have arrived
 * @throws DataError if they begin a compressed file
 */
export function refuseCompressed(start: Uint8Array, source: string): void {
  const text = Buffer.from(start.subarray(0, MAGIC_BYTES)).toString('latin1');
  const format = FORMATS.find(({ magic }) => magic.test(text));
  if (format === undefined) return;
  throw new DataError({ source }, `it is ${format.name}-compressed`, `unpack it: ${format.unpack} FILE | webmail-diaglog …`);
}

/** Gives the chunks of an input unchanged. @throws DataError if the input is compressed, and what `chunks` throws */
export async function* passUncompressed(chunks: AsyncIterable<Uint8Array>, source: string): AsyncGenerator<Uint8Array> {
  let start = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (start.length < MAGIC_BYTES) {
      start = Buffer.concat([start, chunk.subarray(0, MAGIC_BYTES)]);
      refuseCompressed(start, source);
    }
    yield chunk;
  }
}
