import { createGunzip } from 'node:zlib';
import { DataError } from '../errors.js';

/** Compressed bytes that are unpacked at a time. 4 KiB of a bomb are 4 MiB unpacked, which is all that waits in memory. */
const PIECE_BYTES = 1 << 12;

/** The most bytes of an unpacked block. */
const UNPACKED_BYTES = 1 << 18;

/** The checksum and the length that end a gzip member. */
const TRAILER_BYTES = 8;

/**
 * Unpacks the bytes of gzip members, one after the other. Zeros behind a member end the bytes: a tape or a disk pads with them. zlib's
 * stream is asked for the result of each write: read as a stream it would drop, with an error, what it has unpacked before.
 */
export class Gunzip {
  readonly #source: string;
  readonly #stream = createGunzip({ chunkSize: UNPACKED_BYTES });
  /** The end of the packed bytes, written by itself: a wrong checksum would take with it what is unpacked by the same write. */
  #end = Buffer.alloc(0);
  /** Unpacked blocks that have not been given yet. */
  #waiting: Uint8Array[] = [];
  #onDone: (error?: Error | null) => unknown = () => undefined;

  constructor(source: string) {
    this.#source = source;
    this.#stream.on('data', (block: Uint8Array) => this.#waiting.push(block));
    for (const event of ['error', 'end']) this.#stream.on(event, (error?: Error) => this.#onDone(error));
  }

  /** True while unpacked bytes can be given without more packed ones. */
  get hasMore(): boolean {
    return this.#waiting.length > 0;
  }

  /** Unpacks the next bytes, cut anywhere. @throws DataError if they are broken, after the bytes that could be unpacked */
  async *write(block: Uint8Array): AsyncGenerator<Uint8Array> {
    const packed = Buffer.concat([this.#end, block]);
    const bodyBytes = Math.max(0, packed.length - TRAILER_BYTES);
    for (let from = 0; from < bodyBytes; from += PIECE_BYTES)
      yield* this.#unpack(packed.subarray(from, Math.min(from + PIECE_BYTES, bodyBytes)));
    this.#end = packed.subarray(bodyBytes);
  }

  /** Ends the bytes. @throws DataError if they are broken or end early, after the bytes that could be unpacked */
  async *end(): AsyncGenerator<Uint8Array> {
    yield* this.#unpack(this.#end);
    yield* this.#unpack(undefined);
  }

  close(): void {
    this.#stream.destroy();
  }

  /** @param packed the next bytes; undefined behind the last ones */
  async *#unpack(packed: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
    // Once zlib takes no more bytes, it would never answer a write.
    if (this.#stream.readableEnded) return;
    const error = await new Promise<Error | null | undefined>((resolve) => {
      this.#onDone = resolve;
      if (packed === undefined) this.#stream.end();
      else this.#stream.write(packed, this.#onDone);
    });
    // A block can still be in the stream's buffer: reading it makes it an event.
    while (this.#stream.read() !== null);
    for (let block = this.#waiting.shift(); block !== undefined; block = this.#waiting.shift()) yield block;
    if (!error) return;
    const isCut = 'code' in error && error.code === 'Z_BUF_ERROR';
    const problem = isCut ? 'its gzip ends early' : `its gzip is broken (${error.message})`;
    throw new DataError({ source: this.#source }, problem, 'copy the file again', { cause: error });
  }
}
