import type { Readable } from 'node:stream';
import { explainSystemError } from '../errors.js';
import { requireBytes } from '../lines.js';
import { Gate } from './gate.js';

/** Takes what comes through a pipe, without ever waiting: whoever follows looks again. */
export class StreamFollower {
  /** A stream is there from the start. */
  readonly hasAppeared = true;
  /** False: nothing has come that a look does not give. */
  readonly isBehind = false;
  /** The name in messages. */
  readonly source: string;
  readonly #stream: Readable;
  readonly #gate: Gate;

  constructor(stream: Readable, source: string) {
    this.source = source;
    this.#stream = stream;
    this.#gate = new Gate(source, 'growing');
    // A stream with this listener reads ahead. An error is thrown at the next look.
    stream.on('readable', () => undefined);
    stream.on('error', () => undefined);
  }

  /**
   * The bytes that have come since the last look; undefined if there are none.
   *
   * @throws CallError if reading has failed
   * @throws DataError if the bytes are compressed
   */
  readonly look = (): Buffer | undefined => {
    if (this.#stream.errored) throw explainSystemError(this.#stream.errored, this.source);
    const block: unknown = this.#stream.read();
    if (block === null) return undefined;
    requireBytes(block);
    return this.#gate.pass(Buffer.from(block.buffer, block.byteOffset, block.length));
  };

  /** True once the stream has ended and everything has been given. */
  get hasEnded(): boolean {
    return this.#stream.readableEnded;
  }

  close(): void {
    this.#stream.destroy();
  }
}
