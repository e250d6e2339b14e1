import { LF } from '../log/byte-string.js';
import type { LogRequest } from '../log/group.js';
import { TIMESTAMP_AT, TIMESTAMP_END, UTC_OFFSET_END, ZONE_AT } from '../log/record.js';
import type { Stamp } from '../log/timestamp.js';

/** A group that may become part of a fault. */
export class HeldGroup<T extends LogRequest = LogRequest> {
  readonly request: T;
  readonly second: number;
  readonly size: number;
  bytes: Buffer;
  #starts: readonly number[] | undefined;

  /** @param bytes are not copied before `keep` is called */
  constructor(request: T, { buffer, byteOffset, length }: Uint8Array) {
    this.request = request;
    this.second = Math.floor(request.millisecond / 1000);
    this.size = length;
    this.bytes = Buffer.from(buffer, byteOffset, length);
  }

  /** Copies the bytes: those of a piece are overwritten when the next piece is requested. */
  keep(): void {
    this.bytes = Buffer.from(this.bytes);
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

  endOf(at: number): number {
    return this.starts[at + 1] ?? 0;
  }

  record(at: number): Uint8Array {
    return this.bytes.subarray(this.startOf(at), this.endOf(at));
  }

  get stamp(): Stamp {
    const text = this.text(0, UTC_OFFSET_END);
    return { timestamp: text.slice(TIMESTAMP_AT, TIMESTAMP_END), utcOffset: text.slice(ZONE_AT) };
  }

  /** The bytes from `from` up to, but not including, `until`: a byte string. */
  text(from: number, until: number): string {
    return this.bytes.toString('latin1', from, until);
  }

  /** The group in parts, with the bytes from `from` up to, but not including, `until` replaced by a byte string. */
  replace(from: number, until: number, replacement: string): readonly (Uint8Array | string)[] {
    return [this.bytes.subarray(0, from), replacement, this.bytes.subarray(until)];
  }
}

function startsOf(bytes: Buffer): readonly number[] {
  const starts = [0];
  for (let lf = bytes.indexOf(LF); lf !== -1; lf = bytes.indexOf(LF, lf + 1)) starts.push(lf + 1);
  return starts;
}
