import type { Chunks } from '../lines.js';

/** More than a log is searched for its first complete group. */
const MAX_KEPT_BYTES = 16 << 20;

type Block = IteratorResult<Uint8Array, unknown>;

/** Bytes that can be read only once, but for their beginning: what `peek` gives is kept, and read again. */
export class Peekable implements AsyncIterable<Uint8Array> {
  readonly #bytes: AsyncIterator<Uint8Array, unknown> | Iterator<Uint8Array, unknown>;
  readonly #kept: Promise<Block>[] = [];
  #keptBytes = 0;

  constructor(bytes: Chunks) {
    this.#bytes = Symbol.asyncIterator in bytes ? bytes[Symbol.asyncIterator]() : bytes[Symbol.iterator]();
  }

  get hasMore(): boolean {
    return this.#kept.length > 0;
  }

  /** Gives the bytes from the first one on, as far as they are asked for. Their error is thrown, and again by the reading. */
  async *peek(): AsyncGenerator<Uint8Array> {
    for (let index = 0; index < this.#kept.length || this.#keptBytes < MAX_KEPT_BYTES; index += 1) {
      const { done, value } = await (this.#kept[index] ??= this.#keep());
      if (done === true) return;
      yield value;
    }
  }

  /** To be called once, after the last `peek`. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const { done, value } = await (this.#kept.shift() ?? this.#bytes.next());
        if (done === true) return;
        yield value;
      }
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    await this.#bytes.return?.();
  }

  async #keep(): Promise<Block> {
    const next = await this.#bytes.next();
    if (next.done === true) return next;
    this.#keptBytes += next.value.length;
    return { value: Buffer.from(next.value) };
  }
}

/** Gives bytes to two readers, to be read at the same time and to their end. A block is valid until both have asked for the next. */
export function readInStep(blocks: AsyncIterable<Uint8Array>): readonly [AsyncIterable<Uint8Array>, AsyncIterable<Uint8Array>] {
  const iterator = blocks[Symbol.asyncIterator]();
  const asking: ((next: Promise<IteratorResult<Uint8Array>>) => void)[] = [];
  const read = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve) => {
        asking.push(resolve);
        if (asking.length < 2) return;
        const block = iterator.next();
        for (const answer of asking.splice(0)) answer(block);
      });
      if (next.done === true) return;
      yield next.value;
    }
  };
  return [read(), read()];
}
