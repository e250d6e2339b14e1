import type { LogRequest } from '../log/group.js';

/** A group that a fault may be made of, copied from the piece that it came as. */
export class HeldGroup<T extends LogRequest = LogRequest> {
  readonly request: T;
  /** The Unix second that the records show. */
  readonly second: number;
  /** The records, each with its LF. */
  readonly bytes: Buffer;
  #records: readonly string[] | undefined;

  constructor(request: T, bytes: Uint8Array) {
    this.request = request;
    this.second = Math.floor(request.millisecond / 1000);
    this.bytes = Buffer.from(bytes);
  }

  /** The records without their LFs: byte strings. */
  get records(): readonly string[] {
    this.#records ??= this.bytes.toString('latin1', 0, this.bytes.length - 1).split('\n');
    return this.#records;
  }
}
