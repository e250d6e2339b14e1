/** Bytes that are passed on and counted. */
export class CountedBytes implements AsyncIterable<Uint8Array> {
  bytes = 0;
  readonly #chunks: AsyncIterable<Uint8Array>;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#chunks) {
      this.bytes += chunk.length;
      yield chunk;
    }
  }
}
