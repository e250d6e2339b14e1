/** Memory for byte arrays of which a few are in use at a time: each takes the place of one that was made long before. */
export class Scratch {
  readonly #buffers: Buffer[];
  #next = 0;

  /** @param count how many are in use at a time, at most */
  constructor(count: number) {
    this.#buffers = Array.from({ length: count }, () => Buffer.alloc(0));
  }

  /** Byte arrays, one after the other; good until `count` more arrays have been made. */
  join(parts: readonly Uint8Array[]): Uint8Array {
    let length = 0;
    for (const part of parts) length += part.length;
    const buffer = this.#take(length);
    let at = 0;
    for (const part of parts) {
      buffer.set(part, at);
      at += part.length;
    }
    return viewOf(buffer, length);
  }

  /**
   * Bytes of which some have given way to others; good until `count` more arrays have been made.
   *
   * @param from the first byte that gives way
   * @param until the first one behind it that stays
   * @param put what stands in their place: a byte string
   */
  splice(bytes: Uint8Array, from: number, until: number, put: string): Uint8Array {
    const end = from + put.length;
    const length = end + bytes.length - until;
    const buffer = this.#take(Math.max(bytes.length, length));
    buffer.set(bytes);
    buffer.copyWithin(end, until, bytes.length);
    if (put !== '') buffer.write(put, from, 'latin1');
    return viewOf(buffer, length);
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

/** The beginning of a buffer. `subarray` takes more than twice the time. */
function viewOf(buffer: Buffer, length: number): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, length);
}
