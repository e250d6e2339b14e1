import { DataError } from '../errors.js';
import { Gunzipped } from './gunzip.js';

const GZIP = '\x1f\x8b';

/** Compressed formats that are not unpacked: their first bytes, and the command that unpacks them. */
const OTHER_FORMATS = [
  { magic: /^\x28\xb5\x2f\xfd/, name: 'zstd', unpack: 'zstd -dc' },
  { magic: /^\xfd7zXZ\0/, name: 'xz', unpack: 'xz -dc' },
  { magic: /^BZh[1-9]1AY&SY/, name: 'bzip2', unpack: 'bzip2 -dc' },
] as const;

/** The length of the longest magic number. */
export const MAGIC_BYTES = 10;

/**
 * Refuses compressed input other than gzip, which holds no lines.
 *
 * @param start the first bytes of the input, or all that have arrived
 * @throws DataError if they begin a compressed file
 */
export function refuseCompressed(start: Uint8Array, source: string): void {
  const text = Buffer.from(start.subarray(0, MAGIC_BYTES)).toString('latin1');
  const format = OTHER_FORMATS.find(({ magic }) => magic.test(text));
  if (format === undefined) return;
  throw new DataError({ source }, `it is ${format.name}-compressed`, `unpack it: ${format.unpack} FILE | webmail-diaglog …`);
}

/**
 * Refuses compressed input that is followed while it grows, gzip included: its last bytes are not unpacked before its end.
 *
 * @param start the first bytes of the input, or all that have arrived
 * @throws DataError if they begin a compressed file
 */
export function refuseCompressedGrowth(start: Uint8Array, source: string): void {
  refuseCompressed(start, source);
  if (isGzip(start)) throw new DataError({ source }, 'it is gzip-compressed and cannot be followed', 'compare it without --wait');
}

/** The bytes of an input, unpacked where they are gzip. */
export class UnpackedBytes implements AsyncIterable<Uint8Array> {
  readonly #stored: AsyncIterable<Uint8Array>;
  readonly #source: string;
  #gunzipped: Gunzipped | undefined;

  /** @param stored bytes cut anywhere; each chunk is valid until the next one is asked for */
  constructor(stored: AsyncIterable<Uint8Array>, source: string) {
    this.#stored = stored;
    this.#source = source;
  }

  /** True while bytes can be given without more stored ones. */
  get hasMore(): boolean {
    return this.#gunzipped?.hasMore === true;
  }

  /** @throws DataError if the bytes are compressed in another way than gzip, or their gzip is broken */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const stored = withWholeMagic(this.#stored);
    const first = await stored.next();
    if (first.done === true) return;
    const bytes = withFirst(first.value, stored);
    if (isGzip(first.value)) {
      this.#gunzipped = new Gunzipped(bytes, this.#source);
      yield* this.#gunzipped;
    } else {
      yield* passUncompressed(bytes, this.#source);
    }
  }
}

/** True for bytes that begin a gzip file. */
export function isGzip(start: Uint8Array): boolean {
  return Buffer.from(start.subarray(0, GZIP.length)).toString('latin1') === GZIP;
}

/** Joins first chunks that are shorter than the magic of gzip. */
async function* withWholeMagic(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    if (start === undefined) {
      yield chunk;
      continue;
    }
    start = start.length === 0 && chunk.length >= GZIP.length ? chunk : Buffer.concat([start, chunk]);
    if (start.length < GZIP.length) continue;
    yield start;
    start = undefined;
  }
  if (start !== undefined && start.length > 0) yield start;
}

async function* withFirst(first: Uint8Array, others: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* others;
}

async function* passUncompressed(chunks: AsyncIterable<Uint8Array>, source: string): AsyncGenerator<Uint8Array> {
  let start = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (start.length < MAGIC_BYTES) {
      start = Buffer.concat([start, chunk.subarray(0, MAGIC_BYTES)]);
      refuseCompressed(start, source);
    }
    yield chunk;
  }
}
