import { DataError } from '../errors.js';
import { Peekable } from './peekable.js';

const GZIP = '\x1f\x8b';

/** Inputs that hold no lines as they are: their first bytes, and the way to the lines, also from a gzip file if that is refused too. */
const REFUSED: readonly (readonly [magic: RegExp, form: string, remedy: string, packedRemedy?: string])[] = [
  [/^[^]{257}ustar(?:\0| {2}\0)/, 'a tar archive', 'take the file out: tar xOf FILE', 'take the file out: tar xzOf FILE'],
  [
    /^(?:\xff\xfe|\xfe\xff)/,
    'UTF-16 text',
    'convert it: iconv -f utf-16 -t utf-8 FILE',
    'convert it: gzip -dc FILE | iconv -f utf-16 -t utf-8',
  ],
  [/^\x28\xb5\x2f\xfd/, 'zstd-compressed', 'unpack it: zstd -dc FILE'],
  [/^\xfd7zXZ\0/, 'xz-compressed', 'unpack it: xz -dc FILE'],
  [/^BZh[1-9]1AY&SY/, 'bzip2-compressed', 'unpack it: bzip2 -dc FILE'],
  [/^\x04\x22\x4d\x18/, 'lz4-compressed', 'unpack it: lz4 -dc FILE'],
  [/^PK\x03\x04/, 'a ZIP archive', 'unpack it: unzip -p FILE'],
];

/** Up to the end of the magic number of tar, which stands farthest. */
export const MAGIC_BYTES = 265;

/** True for bytes that begin a gzip file, also if only its first byte is there yet. */
export function isGzip(start: Uint8Array): boolean {
  return start[0] === GZIP.charCodeAt(0) && (start.length === 1 || start[1] === GZIP.charCodeAt(1));
}

type Origin = 'stored' | 'unpacked' | 'growing';

/** Checks the first bytes of an input, however they are cut: an input that holds no lines is refused. */
export class StartCheck {
  readonly #source: string;
  readonly #origin: Origin;
  #start = Buffer.alloc(0);

  constructor(source: string, origin: Origin) {
    this.#source = source;
    this.#origin = origin;
  }

  /** @throws DataError if the first bytes are compressed, a tar archive or UTF-16 */
  pass<B extends Uint8Array>(block: B): B {
    if (this.#start.length < MAGIC_BYTES) {
      this.#start = Buffer.concat([this.#start, block.subarray(0, MAGIC_BYTES)]);
      this.#refuse(this.#start.toString('latin1', 0, MAGIC_BYTES));
    }
    return block;
  }

  #refuse(start: string): void {
    const source = this.#source;
    // The last bytes of gzip are not unpacked before its end.
    if (this.#origin === 'growing' && start.startsWith(GZIP))
      throw new DataError({ source }, 'it is gzip-compressed and cannot be followed', 'name the log as it is written');
    for (const [magic, form, storedRemedy, packedRemedy] of REFUSED) {
      const remedy = this.#origin === 'unpacked' ? packedRemedy : storedRemedy;
      if (remedy !== undefined && magic.test(start))
        throw new DataError({ source }, `it is ${form}`, `${remedy} | webmail-diaglog …`);
    }
  }
}

/** The bytes of an input, unpacked if they are gzip, and counted. */
export class UnpackedBytes implements AsyncIterable<Uint8Array> {
  readonly #stored: AsyncIterable<Uint8Array>;
  readonly #source: string;
  bytesRead = 0;
  bytesGiven = 0;

  constructor(stored: AsyncIterable<Uint8Array>, source: string) {
    this.#stored = stored;
    this.#source = source;
  }

  /** @throws DataError if the bytes are compressed in another way than gzip, or their gzip is broken */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const stored = new Peekable(this.#countStored());
    const start = await stored.peek().next();
    const isPacked = start.done !== true && isGzip(start.value);
    // Loaded here alone: zlib takes part of the start of every run.
    const blocks = isPacked ? (await import('./gunzip.js')).gunzip(stored, this.#source) : stored;
    const startCheck = new StartCheck(this.#source, isPacked ? 'unpacked' : 'stored');
    for await (const block of blocks) {
      startCheck.pass(block);
      this.bytesGiven += block.length;
      yield block;
    }
  }

  async *#countStored(): AsyncGenerator<Uint8Array> {
    for await (const block of this.#stored) {
      this.bytesRead += block.length;
      yield block;
    }
  }
}
