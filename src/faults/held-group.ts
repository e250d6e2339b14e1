import type { LogRequest } from '../log/group.js';
import { TIMESTAMP_AT, TIMESTAMP_END, UTC_OFFSET_END, ZONE_AT } from '../log/record.js';
import type { Stamp } from '../log/timestamp.js';
import type { RecordStarts } from './record-starts.js';
import type { RecycledMemory } from './recycled-memory.js';

/** A group that a fault may be made of. */
export class HeldGroup<T extends LogRequest = LogRequest> {
  readonly request: T;
  /** The Unix second that the records show. */
  readonly second: number;
  #bytes: Uint8Array;
  #isKept = false;
  readonly #recordStarts: RecordStarts;
  #starts: readonly number[] | undefined;

  /** @param bytes the records, each with its LF; not copied before `keep` is called */
  constructor(request: T, bytes: Uint8Array, recordStarts: RecordStarts) {
    this.#recordStarts = recordStarts;
    this.request = request;
    this.second = Math.floor(request.millisecond / 1000);
    // Parts of a Buffer take twice the time to make.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** The records, each with its LF. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Copies the bytes, unless they have been copied: those of a piece are written over when the next one is asked for. */
  keep(memory: RecycledMemory): void {
    if (this.#isKept) return;
    this.#bytes = memory.copy(this.#bytes);
    this.#isKept = true;
  }

  /** What its records show of its moment (2.1). */
  get stamp(): Stamp {
    const text = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, UTC_OFFSET_END).toString('latin1');
    return { timestamp: text.slice(TIMESTAMP_AT, TIMESTAMP_END), utcOffset: text.slice(ZONE_AT) };
  }

  /** How many records there are. */
  get count(): number {
    return this.#allStarts().length - 1;
  }

  /** The bytes of the records from one up to, but not including, another, each with its LF. */
  slice(from: number, until: number): Uint8Array {
    const starts = this.#allStarts();
    return this.#bytes.subarray(starts[from], starts[until]);
  }

  /** A record without its LF. */
  record(at: number): Uint8Array {
    const starts = this.#allStarts();
    return this.#bytes.subarray(starts[at], (starts[at + 1] ?? 0) - 1);
  }

  #allStarts(): readonly number[] {
    this.#starts ??= this.#recordStarts.of(this.request);
    return this.#starts;
  }
}
