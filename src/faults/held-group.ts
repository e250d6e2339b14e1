import type { LogRequest } from '../log/group.js';
import { TIMESTAMP_AT, TIMESTAMP_END, UTC_OFFSET_END, ZONE_AT } from '../log/record.js';
import type { Stamp } from '../log/timestamp.js';
import type { RecordStarts } from './record-starts.js';
import type { Scratch } from './scratch.js';

/** A group that a fault may be made of. */
export class HeldGroup<T extends LogRequest = LogRequest> {
  readonly request: T;
  /** The Unix second that the records show. */
  readonly second: number;
  /** The bytes of its records. */
  readonly size: number;
  readonly #recordStarts: RecordStarts;
  #bytes: Uint8Array;
  #isKept = false;
  #starts: readonly number[] | undefined;

  /** @param bytes the records, each with its LF; not copied before `keep` is called */
  constructor(request: T, bytes: Uint8Array, recordStarts: RecordStarts) {
    this.request = request;
    this.second = Math.floor(request.millisecond / 1000);
    this.size = bytes.length;
    this.#recordStarts = recordStarts;
    this.#bytes = bytes;
  }

  /** The records, each with its LF. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Copies the bytes, unless they have been copied: those of a piece are written over when the next one is asked for. */
  keep(scratch: Scratch): void {
    if (this.#isKept) return;
    this.#bytes = scratch.join([this.#bytes]);
    this.#isKept = true;
  }

  /** The start of each record, and last the end of the group. */
  get starts(): readonly number[] {
    this.#starts ??= this.#recordStarts.of(this.request);
    return this.#starts;
  }

  /** The number of records. */
  get count(): number {
    return this.starts.length - 1;
  }

  /** The records from one up to, but not including, another, each with its LF. */
  slice(from: number, until: number): Uint8Array {
    return this.#bytes.subarray(this.starts[from], this.starts[until]);
  }

  /** The timestamp and the offset of its records (2.1). */
  get stamp(): Stamp {
    const text = this.text(0, UTC_OFFSET_END);
    return { timestamp: text.slice(TIMESTAMP_AT, TIMESTAMP_END), utcOffset: text.slice(ZONE_AT) };
  }

  /** The bytes from one up to, but not including, another: a byte string. */
  text(from: number, until: number): string {
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(buffer, byteOffset + from, until - from).toString('latin1');
  }
}
