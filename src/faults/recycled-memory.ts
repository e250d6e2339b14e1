/** Memory for byte arrays of which a few are in use at a time: each takes the place of one that was made long before. */
export class RecycledMemory {
  readonly #buffers: Buffer[];
  #next = 0;

  /** @param count how many are in use at a time, at most */
  constructor(count: number) {
    this.#buffers = Array.from({ length: count }, () => Buffer.alloc(0));
  }

  /** A copy of bytes; good until `count` more have been made. */
  copy(bytes: Uint8Array): Uint8Array {
    return this.join([bytes]);
  }

  /** Byte arrays and byte strings, one after the other; good until `count` more have been made. */
  join(parts: readonly (Uint8Array | string)[]): Uint8Array {
    let length = 0;
    for (const part of parts) length += part.length;
    const memory = this.#take(length);
    let at = 0;
    for (const part of parts) {
      if (typeof part === 'string') memory.write(part, at, 'latin1');
      else memory.set(part, at);
      at += part.length;
    }
    return memory.subarray(0, length);
  }

  #take(length: number): Buffer {
    const place = this.#next;
    this.#next = (place + 1) % this.#buffers.length;
    const buffer = this.#buffers[place];
    if (buffer !== undefined && buffer.length >= length) return buffer;
    const larger = Buffer.allocUnsafeSlow(2 * length);
    this.#buffers[place] = larger;
    return larger;
  }
}
