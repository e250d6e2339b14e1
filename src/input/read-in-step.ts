/** The two readers of `readInStep`. */
type Readers = readonly [AsyncIterable<Uint8Array>, AsyncIterable<Uint8Array>];

interface Request {
  readonly resolve: (result: IteratorResult<Uint8Array>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Gives bytes that can be read only once to two readers. Nothing is kept for the slower reader: the next chunk is read once both have
 * asked for it. So a chunk is valid for both until then, and both must be read at the same time, each once. Where a reader stops early,
 * the other goes on alone.
 *
 * @param chunks what they throw, both readers throw
 */
export function readInStep(chunks: AsyncIterable<Uint8Array>): Readers {
  const step = new Step(chunks);
  return [step.read(), step.read()];
}

class Step {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #readers = 0;
  #requests: Request[] = [];

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  read(): AsyncIterable<Uint8Array> {
    this.#readers += 1;
    return this.#read();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      for (let next = await this.#next(); next.done !== true; next = await this.#next()) yield next.value;
    } finally {
      this.#readers -= 1;
      if (this.#readers === 0) await this.#chunks.return?.();
      else await this.#answer();
    }
  }

  #next(): Promise<IteratorResult<Uint8Array>> {
    return new Promise((resolve, reject) => {
      this.#requests.push({ resolve, reject });
      void this.#answer();
    });
  }

  /** Reads the next chunk once every reader has asked for it. */
  async #answer(): Promise<void> {
    if (this.#requests.length < this.#readers || this.#requests.length === 0) return;
    const requests = this.#requests;
    this.#requests = [];
    try {
      const next = await this.#chunks.next();
      for (const { resolve } of requests) resolve(next);
    } catch (error) {
      for (const { reject } of requests) reject(error);
    }
  }
}
