import { DataError } from '../errors.js';
import type { Chunks } from '../lines.js';

/** Bytes kept at most. The records in which a log's first complete group is searched for are no larger (`reading/read-log.ts`). */
const MAX_KEPT_BYTES = 16 << 20;

/** Bytes that can be read only once, but for their beginning: what `peek` gives is kept, and read again. */
export class Peekable implements AsyncIterable<Uint8Array> {
  readonly #bytes: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  readonly #kept: Uint8Array[] = [];
  #keptBytes = 0;
  /** The error of the bytes behind those that are kept. */
  #error: DataError | undefined;

  /** @param bytes cut anywhere; each block is valid until the next one is asked for */
  constructor(bytes: Chunks) {
    this.#bytes = Symbol.asyncIterator in bytes ? bytes[Symbol.asyncIterator]() : bytes[Symbol.iterator]();
  }

  /** True while kept bytes can be read again. */
  get hasMore(): boolean {
    return this.#kept.length > 0;
  }

  /** Gives the bytes from the first one on, 16 MiB at most, as far as they are asked for. A fault of the data ends them, and is thrown by the reading. */
  async *peek(): AsyncGenerator<Uint8Array> {
    yield* this.#kept;
    while (this.#keptBytes < MAX_KEPT_BYTES && this.#error === undefined) {
      const next = await this.#nextOrError();
      if (next === undefined) return;
      this.#kept.push(next);
      this.#keptBytes += next.length;
      yield next;
    }
  }

  /** Gives all bytes. To be called once, after the last `peek`. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (let block = this.#kept.shift(); block !== undefined; block = this.#kept.shift()) yield block;
      if (this.#error !== undefined) throw this.#error;
      for (let next = await this.#bytes.next(); next.done !== true; next = await this.#bytes.next()) yield next.value;
    } finally {
      await this.close();
    }
  }

  /** Ends the reading of the bytes: a file is closed. To be called where they are not read after a `peek`. */
  async close(): Promise<void> {
    await this.#bytes.return?.();
  }

  async #nextOrError(): Promise<Uint8Array | undefined> {
    try {
      const next = await this.#bytes.next();
      return next.done === true ? undefined : Buffer.from(next.value);
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      this.#error = error;
      return undefined;
    }
  }
}
