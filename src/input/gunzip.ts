import { createGunzip } from 'node:zlib';
import { DataError } from '../errors.js';

/**
 * Compressed bytes are unpacked so many at a time. 4 KiB of a bomb are 4 MiB unpacked, which is all that waits in memory; smaller
 * pieces take more time (1 KiB: 174 ms instead of 103 for 245 MB of a log).
 */
const PIECE_BYTES = 1 << 12;

/** Unpacked bytes are given in chunks of at most this size. */
const UNPACKED_BYTES = 1 << 18;

/** The checksum and the length that end a gzip member. */
const TRAILER_BYTES = 8;

/** Bytes of gzip members, one after the other, unpacked. */
export class Gunzipped implements AsyncIterable<Uint8Array> {
  readonly #packed: AsyncIterable<Uint8Array>;
  readonly #source: string;
  /** Unpacked chunks that have not been given yet. */
  #waiting = 0;

  /** @param packed gzip, cut anywhere */
  constructor(packed: AsyncIterable<Uint8Array>, source: string) {
    this.#packed = packed;
    this.#source = source;
  }

  /** True while unpacked bytes can be given without more packed ones. */
  get hasMore(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Unpacks from the first byte of `packed` on. Zeros behind a member end the bytes: a tape or a disk pads with them.
   *
   * @throws DataError if the gzip is broken or ends early, after the bytes that could be unpacked
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const stream = new GunzipStream();
    try {
      // The end of the bytes is written by itself: a wrong checksum would take with it what is unpacked by the same write.
      let end = Buffer.alloc(0);
      for await (const chunk of this.#packed) {
        const packed = Buffer.concat([end, chunk]);
        const bodyBytes = Math.max(0, packed.length - TRAILER_BYTES);
        for (let from = 0; from < bodyBytes; from += PIECE_BYTES)
          yield* this.#give(await stream.write(packed.subarray(from, Math.min(from + PIECE_BYTES, bodyBytes))));
        end = packed.subarray(bodyBytes);
      }
      yield* this.#give(await stream.write(end));
      yield* this.#give(await stream.end());
    } catch (error) {
      if (error instanceof GunzipError) throw error.explain(this.#source);
      throw error;
    } finally {
      stream.close();
    }
  }

  *#give({ chunks, error }: Unpacked): Generator<Uint8Array> {
    this.#waiting = chunks.length;
    for (const chunk of chunks) {
      this.#waiting -= 1;
      yield chunk;
    }
    if (error !== undefined) throw error;
  }
}

/** The result of a write: the bytes that it has unpacked, and the error that it has met behind them. */
interface Unpacked {
  readonly chunks: readonly Uint8Array[];
  readonly error: GunzipError | undefined;
}

const NOTHING: Unpacked = { chunks: [], error: undefined };

/** zlib's stream, as a function from a write to its result. As a stream it would drop, with an error, what it has unpacked before. */
class GunzipStream {
  readonly #stream = createGunzip({ chunkSize: UNPACKED_BYTES });
  #chunks: Uint8Array[] = [];
  #onDone: (error?: Error | null) => void = () => undefined;
  /** True once zlib takes no more bytes; it would never answer a write. */
  #isOver = false;

  constructor() {
    this.#stream.on('data', (chunk: Uint8Array) => this.#chunks.push(chunk));
    this.#stream.on('error', (error) => {
      this.#onDone(error);
    });
    this.#stream.on('end', () => {
      this.#isOver = true;
      this.#onDone();
    });
  }

  write(packed: Uint8Array): Promise<Unpacked> {
    return this.#unpack(() => {
      this.#stream.write(packed, this.#onDone);
    });
  }

  end(): Promise<Unpacked> {
    return this.#unpack(() => {
      this.#stream.end();
    });
  }

  close(): void {
    this.#stream.destroy();
  }

  async #unpack(begin: () => void): Promise<Unpacked> {
    if (this.#isOver) return NOTHING;
    const error = await new Promise<Error | null | undefined>((resolve) => {
      this.#onDone = resolve;
      begin();
    });
    // A chunk can still be in the stream's buffer: reading it makes it an event.
    while (this.#stream.read() !== null);
    const chunks = this.#chunks;
    this.#chunks = [];
    return { chunks, error: error ? new GunzipError(error) : undefined };
  }
}

/** An error of zlib. */
class GunzipError extends Error {
  readonly #isCut: boolean;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'GunzipError';
    this.#isCut = 'code' in cause && cause.code === 'Z_BUF_ERROR';
  }

  /** The error as one of the input. */
  explain(source: string): DataError {
    const problem = this.#isCut ? 'its gzip ends early' : `its gzip is broken (${this.message})`;
    return new DataError({ source }, problem, 'copy the file again', { cause: this });
  }
}
