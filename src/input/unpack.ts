import { DataError } from '../errors.js';
import { Peekable } from './peekable.js';

const GZIP = '\x1f\x8b';
const ICONV = 'iconv -f utf-16 -t utf-8';

/** Inputs that hold no lines as they are: their first bytes, and the way to the lines, also from a gzip file. */
const REFUSED: readonly (readonly [magic: RegExp, form: string, remedy: string, packedRemedy?: string])[] = [
  [/^[^]{257}ustar(?:\0| {2}\0)/, 'a tar archive', 'take the file out: tar xOf FILE', 'take the file out: tar xzOf FILE'],
  [/^(?:\xff\xfe|\xfe\xff)/, 'UTF-16 text', `convert it: ${ICONV} FILE`, `convert it: gzip -dc FILE | ${ICONV}`],
  [/^\x28\xb5\x2f\xfd/, 'zstd-compressed', 'unpack it: zstd -dc FILE'],
  [/^\xfd7zXZ\0/, 'xz-compressed', 'unpack it: xz -dc FILE'],
  [/^BZh[1-9]1AY&SY/, 'bzip2-compressed', 'unpack it: bzip2 -dc FILE'],
  [/^\x04\x22\x4d\x18/, 'lz4-compressed', 'unpack it: lz4 -dc FILE'],
  [/^PK\x03\x04/, 'a ZIP archive', 'unpack it: unzip -p FILE'],
];

export const MAGIC_BYTES = 265;

/** True for bytes that begin a gzip file, also if only its first byte is there yet. */
export function isGzip(start: Uint8Array): boolean {
  return start[0] === GZIP.charCodeAt(0) && (start.length === 1 || start[1] === GZIP.charCodeAt(1));
}

type Origin = 'stored' | 'unpacked' | 'growing';

/** Makes a function that passes on blocks. @throws DataError if their first bytes are compressed, tar or UTF-16 */
export function startCheck(source: string, origin: Origin): <B extends Uint8Array>(block: B) => B {
  let start = Buffer.alloc(0);
  return (block) => {
    if (start.length < MAGIC_BYTES) {
      start = Buffer.concat([start, block.subarray(0, MAGIC_BYTES)]);
      refuseStart(start.toString('latin1', 0, MAGIC_BYTES), source, origin);
    }
    return block;
  };
}

function refuseStart(start: string, source: string, origin: Origin): void {
  // The last bytes of gzip are not unpacked before its end.
  if (origin === 'growing' && start.startsWith(GZIP))
    throw new DataError({ source }, 'it is gzip-compressed and cannot be followed', 'name the log as it is written');
  for (const [magic, form, storedRemedy, packedRemedy] of REFUSED) {
    const remedy = origin === 'unpacked' ? packedRemedy : storedRemedy;
    if (remedy !== undefined && magic.test(start))
      throw new DataError({ source }, `it is ${form}`, `${remedy} | webmail-diaglog …`);
  }
}

export interface ByteCounts {
  bytesRead: number;
  bytesGiven: number;
}

/** Unpacks bytes if they are gzip. @throws DataError if they are compressed in another way, or their gzip is broken */
export async function* unpack(stored: AsyncIterable<Uint8Array>, source: string, counts: ByteCounts): AsyncGenerator<Uint8Array> {
  const bytes = new Peekable(countRead(stored, counts));
  const start = await bytes.peek().next();
  const isPacked = start.done !== true && isGzip(start.value);
  // Loaded here alone: zlib takes part of the start of every run.
  const blocks = isPacked ? (await import('./gunzip.js')).gunzip(bytes, source) : bytes;
  const checkStart = startCheck(source, isPacked ? 'unpacked' : 'stored');
  for await (const block of blocks) {
    counts.bytesGiven += block.length;
    yield checkStart(block);
  }
}

async function* countRead(stored: AsyncIterable<Uint8Array>, counts: ByteCounts): AsyncGenerator<Uint8Array> {
  for await (const block of stored) {
    counts.bytesRead += block.length;
    yield block;
  }
}
