import { LF } from '../log/byte-string.js';
import type { LogRequest } from '../log/group.js';
import { TIMESTAMP_AT, TIMESTAMP_END, UTC_OFFSET_END, ZONE_AT } from '../log/record.js';
import type { Stamp } from '../log/timestamp.js';

/** A group that may become part of a fault. */
export class HeldGroup<T extends LogRequest = LogRequest> {
  readonly request: T;
  readonly second: number;
  readonly size: number;
  bytes: Uint8Array;
  #isCopied = false;
  #starts: readonly number[] | undefined;

  /** @param bytes the records, each with its LF; not copied before `keep` is called */
  constructor(request: T, bytes: Uint8Array) {
    this.request = request;
    this.second = Math.floor(request.millisecond / 1000);
    this.size = bytes.length;
    this.bytes = bytes;
  }

  /** Copies the bytes once: the bytes of a piece are overwritten when the next piece is requested. */
  keep(memory: BufferRing): void {
    if (this.#isCopied) return;
    this.bytes = memory.join([this.bytes]);
    this.#isCopied = true;
  }

  /** The offset of each record, and last the length of the group. */
  get starts(): readonly number[] {
    return (this.#starts ??= startsOf(this.bytes));
  }

  get count(): number {
    return this.starts.length - 1;
  }

  startOf(at: number): number {
    return this.starts[at] ?? 0;
  }

  /** The end of a record, its LF included. */
  endOf(at: number): number {
    return this.starts[at + 1] ?? 0;
  }

  record(at: number): Uint8Array {
    return this.#view(this.startOf(at), this.endOf(at));
  }

  get stamp(): Stamp {
    const text = this.text(0, UTC_OFFSET_END);
    return { timestamp: text.slice(TIMESTAMP_AT, TIMESTAMP_END), utcOffset: text.slice(ZONE_AT) };
  }

  /** The bytes from `from` up to, but not including, `until`: a byte string. */
  text(from: number, until: number): string {
    const { buffer, byteOffset } = this.bytes;
    return Buffer.from(buffer, byteOffset + from, until - from).toString('latin1');
  }

  /** The group in parts, with the bytes from `from` up to, but not including, `until` replaced by a byte string. */
  replace(from: number, until: number, replacement: string): readonly (Uint8Array | string)[] {
    return [this.#view(0, from), replacement, this.#view(until, this.size)];
  }

  #view(from: number, until: number): Uint8Array {
    const { buffer, byteOffset } = this.bytes;
    return new Uint8Array(buffer, byteOffset + from, until - from);
  }
}

function startsOf({ buffer, byteOffset, length }: Uint8Array): readonly number[] {
  const bytes = Buffer.from(buffer, byteOffset, length);
  const starts = [0];
  for (let lf = bytes.indexOf(LF); lf !== -1; lf = bytes.indexOf(LF, lf + 1)) starts.push(lf + 1);
  return starts;
}

/** Memory for byte arrays of which only a few are in use at a time. */
export class BufferRing {
  readonly #buffers: Buffer[];
  #next = 0;

  /** @param count the most arrays in use at a time */
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
