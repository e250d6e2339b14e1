import { DataError } from '../errors.js';

/** How the bytes of compressed files begin, and what unpacks them. */
const FORMATS = [
  { magic: /^\x1f\x8b/, name: 'gzip', unpack: 'gunzip -c' },
  { magic: /^\x28\xb5\x2f\xfd/, name: 'zstd', unpack: 'zstd -dc' },
  { magic: /^\xfd7zXZ\0/, name: 'xz', unpack: 'xz -dc' },
  { magic: /^BZh[1-9]1AY&SY/, name: 'bzip2', unpack: 'bzip2 -dc' },
] as const;

/** No magic is longer. */
const MAGIC_BYTES = 10;

/**
 * Refuses compressed bytes: to whoever reads lines they would be nonsense.
 *
 * @param start the first bytes of an input, or all that have come
 * @throws DataError if they are those of a compressed file
 */
export function refuseCompressed(start: Uint8Array, source: string): void {
  const text = Buffer.from(start.subarray(0, MAGIC_BYTES)).toString('latin1');
  const format = FORMATS.find(({ magic }) => magic.test(text));
  if (format === undefined) return;
  throw new DataError({ source }, `it is ${format.name}-compressed`, `unpack it: ${format.unpack} FILE | webmail-diaglog …`);
}

/** Passes bytes on, cut anywhere. @throws DataError if they are compressed */
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
