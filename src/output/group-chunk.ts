import type { LogRequest } from '../log/group.js';

/**
 * A pipe takes this many bytes at a time, and a write of no more than this is one call that another appender cannot come between.
 */
const CHUNK_BYTES = 65_536;

/** Whole groups, to be written with one call, and where each of them ends. */
export class GroupChunk {
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** A group that is larger than the buffer, alone. */
  #large: Buffer | undefined;
  #length = 0;
  /** The requests whose groups these are. */
  readonly requests: LogRequest[] = [];
  /** Where the group of each request ends, in bytes. */
  readonly ends: number[] = [];

  /** The groups' bytes; good until the chunk is cleared. */
  get bytes(): Buffer {
    return this.#large ?? this.#buffer.subarray(0, this.#length);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Whether a group of so many bytes can be added. An empty chunk takes a group of any size. */
  fits(groupBytes: number): boolean {
    return this.#length === 0 || this.#length + groupBytes <= CHUNK_BYTES;
  }

  /** Adds (copies) the group of a request; it must fit. */
  add(request: LogRequest, group: Uint8Array): void {
    if (group.length > CHUNK_BYTES) this.#large = Buffer.from(group);
    else this.#buffer.set(group, this.#length);
    this.#length += group.length;
    this.requests.push(request);
    this.ends.push(this.#length);
  }

  /** How many of the groups stand when only the first `bytes` bytes have been written. */
  countWithin(bytes: number): number {
    let count = this.ends.length;
    while (count > 0 && (this.ends[count - 1] ?? 0) > bytes) count -= 1;
    return count;
  }

  clear(): void {
    this.#large = undefined;
    this.#length = 0;
    this.requests.length = 0;
    this.ends.length = 0;
  }
}
