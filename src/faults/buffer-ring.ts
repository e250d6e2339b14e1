/** A ring of reusable buffers for byte arrays of which only a few are in use at a time. */
export class BufferRing {
  readonly #buffers: Buffer[];
  #next = 0;

  /** @param count the size of the ring: the most arrays in use at a time */
  constructor(count: number) {
    this.#buffers = Array.from({ length: count }, () => Buffer.alloc(0));
  }

  /** Joins byte arrays and byte strings to an array that is valid until `count` more arrays have been made. */
  join(parts: readonly (Uint8Array | string)[]): Uint8Array {
    let length = 0;
    for (const part of parts) length += part.length;
    const buffer = this.#take(length);
    let at = 0;
    for (const part of parts) {
      if (typeof part !== 'string') buffer.set(part, at);
      else if (part !== '') buffer.write(part, at, 'latin1');
      at += part.length;
    }
    // `subarray` is slower.
    return new Uint8Array(buffer.buffer, buffer.byteOffset, length);
  }

  #take(length: number): Buffer {
    const index = this.#next;
    this.#next = (index + 1) % this.#buffers.length;
    const buffer = this.#buffers[index];
    if (buffer !== undefined && buffer.length >= length) return buffer;
    const larger = Buffer.allocUnsafeSlow(2 * length);
    this.#buffers[index] = larger;
    return larger;
  }
}
