import { DataError } from '../errors.js';
import type { Gunzipped } from './gunzip.js';

const GZIP = '\x1f\x8b';

/** Compressed formats that are not unpacked: their first bytes, and the command that unpacks them. */
const OTHER_FORMATS = [
  { magic: /^\x28\xb5\x2f\xfd/, name: 'zstd', unpack: 'zstd -dc' },
  { magic: /^\xfd7zXZ\0/, name: 'xz', unpack: 'xz -dc' },
  { magic: /^BZh[1-9]1AY&SY/, name: 'bzip2', unpack: 'bzip2 -dc' },
] as const;

/** Forms of files that hold no lines as they are: their first bytes, and the commands that give the lines, of a gzip file too. */
const OTHER_FILES = [
  {
    magic: /^[^]{257}ustar(?:\0| {2}\0)/,
    name: 'a tar archive',
    remedy: 'take the file out',
    command: 'tar xOf FILE',
    packedCommand: 'tar xzOf FILE',
  },
  {
    magic: /^(?:\xff\xfe|\xfe\xff)/,
    name: 'UTF-16 text',
    remedy: 'convert it',
    command: 'iconv -f utf-16 -t utf-8 FILE',
    packedCommand: 'gzip -dc FILE | iconv -f utf-16 -t utf-8',
  },
] as const;

/** Up to the end of the magic number of tar, which stands farthest. */
export const MAGIC_BYTES = 265;

/**
 * Refuses input that holds no lines: compressed in another way than gzip, a tar archive, UTF-16.
 *
 * @param start the first bytes of the input, or all that have arrived
 * @throws DataError if they begin such a file
 */
export function refuseCompressed(start: Uint8Array, source: string): void {
  const text = Buffer.from(start.subarray(0, MAGIC_BYTES)).toString('latin1');
  refuseOtherFile(text, source, 'command');
  const format = OTHER_FORMATS.find(({ magic }) => magic.test(text));
  if (format === undefined) return;
  throw new DataError({ source }, `it is ${format.name}-compressed`, `unpack it: ${format.unpack} FILE | webmail-diaglog …`);
}

/** @param text the first bytes, a byte string @param command the key of the command that gives the lines */
function refuseOtherFile(text: string, source: string, command: 'command' | 'packedCommand'): void {
  const file = OTHER_FILES.find(({ magic }) => magic.test(text));
  if (file === undefined) return;
  throw new DataError({ source }, `it is ${file.name}`, `${file.remedy}: ${file[command]} | webmail-diaglog …`);
}

/** Refuses unpacked bytes that hold no lines. @throws DataError */
function refuseUnpacked(start: Uint8Array, source: string): void {
  refuseOtherFile(Buffer.from(start.subarray(0, MAGIC_BYTES)).toString('latin1'), source, 'packedCommand');
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
      // Loaded here alone: zlib takes part of the start of every run.
      const { Gunzipped } = await import('./gunzip.js');
      this.#gunzipped = new Gunzipped(bytes, this.#source);
      yield* passLines(this.#gunzipped, this.#source, refuseUnpacked);
    } else {
      yield* passLines(bytes, this.#source, refuseCompressed);
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

/** @param refuse throws if the first bytes begin a file that holds no lines */
async function* passLines(
  chunks: AsyncIterable<Uint8Array>,
  source: string,
  refuse: (start: Uint8Array, source: string) => void,
): AsyncGenerator<Uint8Array> {
  let start = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (start.length < MAGIC_BYTES) {
      start = Buffer.concat([start, chunk.subarray(0, MAGIC_BYTES)]);
      refuse(start, source);
    }
    yield chunk;
  }
}
