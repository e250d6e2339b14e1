import * as zlib from 'node:zlib';
import { DataError } from '../errors.js';

/** Unpacked at a time: 4 KiB of a bomb are 4 MiB, which is all that waits in memory. */
const PIECE_BYTES = 1 << 12;
const UNPACKED_BYTES = 1 << 18;

const MAGIC = '\x1f\x8b';
const DEFLATE = 8;
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const FLAGS = { checksum: 2, extra: 4, name: 8, comment: 16 } as const;

/** Node before 20.15 has no checksum function: there only the length of a member is checked. */
const { crc32 }: Partial<typeof zlib> = zlib;

/**
 * Unpacks gzip members, one after the other; zeros behind a member end the bytes, as on a tape. Members are told apart here:
 * `createGunzip` drops the end of a member if other bytes follow it. @throws DataError after the bytes that could be unpacked
 */
export async function* gunzip(packed: AsyncIterable<Uint8Array>, source: string): AsyncGenerator<Uint8Array> {
  const bytes = new PackedBytes(packed, source);
  try {
    do {
      await passHeader(bytes);
      let [checksum, length]: [number | undefined, number] = [0, 0];
      for await (const block of inflate(bytes)) {
        checksum = crc32?.(block, checksum);
        length = (length + block.length) % 2 ** 32;
        yield block;
      }
      const trailer = await bytes.require(TRAILER_BYTES);
      if (crc32 !== undefined && trailer.readUInt32LE(0) !== checksum) throw bytes.refuse('is broken (incorrect data check)');
      if (trailer.readUInt32LE(4) !== length) throw bytes.refuse('is broken (incorrect length check)');
    } while ((await bytes.need(1)) && bytes.waiting[0] !== 0);
  } finally {
    await bytes.blocks.return?.();
  }
}

class PackedBytes {
  waiting = Buffer.alloc(0);
  readonly blocks: AsyncIterator<Uint8Array>;
  readonly #source: string;

  constructor(packed: AsyncIterable<Uint8Array>, source: string) {
    this.blocks = packed[Symbol.asyncIterator]();
    this.#source = source;
  }

  async need(count: number): Promise<boolean> {
    while (this.waiting.length < count) {
      const next = await this.blocks.next();
      if (next.done === true) return false;
      this.waiting = Buffer.concat([this.waiting, next.value]);
    }
    return true;
  }

  async require(count: number): Promise<Buffer> {
    if (!(await this.need(count))) throw this.refuse('ends early');
    const taken = this.waiting.subarray(0, count);
    this.waiting = this.waiting.subarray(count);
    return taken;
  }

  refuse(problem: string, cause?: Error): DataError {
    return new DataError({ source: this.#source }, `its gzip ${problem}`, 'copy the file again', { cause });
  }
}

async function passHeader(bytes: PackedBytes): Promise<void> {
  if ((await bytes.need(MAGIC.length)) && bytes.waiting.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw bytes.refuse('is broken (incorrect header check)');
  const header = await bytes.require(HEADER_BYTES);
  const [method, flags = 0] = header.subarray(MAGIC.length);
  if (method !== DEFLATE) throw bytes.refuse('is broken (unknown compression method)');
  if (flags & FLAGS.extra) await bytes.require((await bytes.require(2)).readUInt16LE());
  for (const flag of [FLAGS.name, FLAGS.comment]) if (flags & flag) while ((await bytes.require(1))[0] !== 0);
  if (flags & FLAGS.checksum) await bytes.require(2);
}

/** Unpacks deflate data, and takes no byte behind it. Read as a stream, zlib would drop with an error what it has unpacked before. */
async function* inflate(bytes: PackedBytes): AsyncGenerator<Uint8Array> {
  const stream = zlib.createInflateRaw({ chunkSize: UNPACKED_BYTES });
  const unpacked: Uint8Array[] = [];
  let onDone: (error?: Error | null) => unknown = () => undefined;
  stream.on('data', (block: Uint8Array) => unpacked.push(block));
  for (const event of ['error', 'end']) stream.on(event, (error?: Error) => onDone(error));
  try {
    while (!stream.readableEnded) {
      if (!(await bytes.need(1))) throw bytes.refuse('ends early');
      const before = stream.bytesWritten;
      const error = await new Promise<Error | null | undefined>((resolve) => {
        onDone = resolve;
        stream.write(bytes.waiting.subarray(0, PIECE_BYTES), resolve);
      });
      // A block can still be in the stream's buffer: reading it makes it an event.
      while (stream.read() !== null);
      await bytes.require(stream.bytesWritten - before);
      yield* unpacked.splice(0);
      if (error) throw bytes.refuse(`is broken (${error.message})`, error);
    }
  } finally {
    stream.destroy();
  }
}
