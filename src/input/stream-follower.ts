import type { Readable } from 'node:stream';
import { explainSystemError } from '../errors.js';
import { refuseCompressedGrowth } from './unpacked-bytes.js';

/** Chunks that are kept at most until somebody looks. */
const MAX_CHUNKS = 16;

/** Takes what comes through a pipe, without ever waiting: whoever follows looks again. */
export class StreamFollower {
  /** A stream is there from the start. */
  readonly hasAppeared = true;
  readonly #stream: Readable;
  /** The name in messages. */
  readonly source: string;
  readonly #chunks: Buffer[] = [];
  #error: Error | undefined;
  #hasBegun = false;
  #isAtEnd = false;
  /** What a look does not give has not come. */
  readonly isBehind = false;

  constructor(stream: Readable, source: string) {
    this.#stream = stream;
    this.source = source;
    stream.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      if (this.#chunks.length >= MAX_CHUNKS) stream.pause();
    });
    stream.on('end', () => {
      this.#isAtEnd = true;
    });
    stream.on('error', (error) => {
      this.#error = error;
    });
  }

  /**
   * A chunk of what has come; undefined if nothing has.
   *
   * @throws CallError if reading has failed
   * @throws DataError if the bytes are compressed
   */
  readonly look = (): Buffer | undefined => {
    if (this.#error !== undefined) throw explainSystemError(this.#error, this.source);
    const bytes = this.#chunks.shift();
    if (bytes !== undefined && !this.#hasBegun) refuseCompressedGrowth(bytes, this.source);
    this.#hasBegun ||= bytes !== undefined;
    if (this.#chunks.length === 0) this.#stream.resume();
    return bytes;
  };

  /** True once the stream has ended and everything has been given. */
  get hasEnded(): boolean {
    return this.#isAtEnd && this.#chunks.length === 0;
  }

  close(): void {
    this.#stream.destroy();
  }
}
