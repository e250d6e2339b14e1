import { DataError } from '../errors.js';
import type { Gunzip } from './gunzip.js';

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

/** True for bytes that begin a gzip file. */
export function isGzip(start: Uint8Array): boolean {
  return byteStringOf(start.subarray(0, GZIP.length)) === GZIP;
}

/**
 * Refuses input that holds no lines: compressed in another way than gzip, a tar archive, UTF-16.
 *
 * @param start the first bytes of the input, or all that have arrived
 * @param isUnpacked true for bytes that were gzip
 * @throws DataError if they begin such a file
 */
export function refuseCompressed(start: Uint8Array, source: string, isUnpacked = false): void {
  const text = byteStringOf(start.subarray(0, MAGIC_BYTES));
  const file = OTHER_FILES.find(({ magic }) => magic.test(text));
  if (file !== undefined) {
    const command = isUnpacked ? file.packedCommand : file.command;
    throw new DataError({ source }, `it is ${file.name}`, `${file.remedy}: ${command} | webmail-diaglog …`);
  }
  const format = isUnpacked ? undefined : OTHER_FORMATS.find(({ magic }) => magic.test(text));
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

/** The bytes of an input, unpacked where they are gzip, and counted. */
export class UnpackedBytes implements AsyncIterable<Uint8Array> {
  readonly #stored: AsyncIterable<Uint8Array>;
  readonly #source: string;
  #gunzip: Gunzip | undefined;
  /** The first bytes that were given, up to `MAGIC_BYTES`. */
  #start = Buffer.alloc(0);
  /** The bytes that have been read, as they are stored. */
  bytesRead = 0;
  /** The bytes that have been given, unpacked. */
  bytesGiven = 0;

  /** @param stored bytes cut anywhere; each chunk is valid until the next one is asked for */
  constructor(stored: AsyncIterable<Uint8Array>, source: string) {
    this.#stored = stored;
    this.#source = source;
  }

  /** True while bytes can be given without more stored ones. */
  get hasMore(): boolean {
    return this.#gunzip?.hasMore === true;
  }

  /** @throws DataError if the bytes are compressed in another way than gzip, or their gzip is broken */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    /** First bytes that are fewer than the magic of gzip; undefined once it is known whether the bytes are gzip. */
    let few: Uint8Array | undefined = new Uint8Array();
    try {
      for await (const chunk of this.#stored) {
        this.bytesRead += chunk.length;
        let bytes = chunk;
        if (few !== undefined) {
          bytes = few.length === 0 && chunk.length >= GZIP.length ? chunk : Buffer.concat([few, chunk]);
          few = bytes.length < GZIP.length ? bytes : undefined;
          if (few !== undefined) continue;
          // Loaded here alone: zlib takes part of the start of every run.
          if (isGzip(bytes)) this.#gunzip = new (await import('./gunzip.js')).Gunzip(this.#source);
        }
        if (this.#gunzip === undefined) yield this.#check(bytes);
        else for await (const unpacked of this.#gunzip.write(bytes)) yield this.#check(unpacked);
      }
      if (this.#gunzip !== undefined) for await (const unpacked of this.#gunzip.end()) yield this.#check(unpacked);
      else if (few !== undefined && few.length > 0) yield this.#check(few);
    } finally {
      this.#gunzip?.close();
    }
  }

  /** Counts bytes that are given. @throws DataError if the first of them begin a file that holds no lines */
  #check(bytes: Uint8Array): Uint8Array {
    if (this.#start.length < MAGIC_BYTES) {
      this.#start = Buffer.concat([this.#start, bytes.subarray(0, MAGIC_BYTES)]);
      refuseCompressed(this.#start, this.#source, this.#gunzip !== undefined);
    }
    this.bytesGiven += bytes.length;
    return bytes;
  }
}

function byteStringOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
