import type { Deployment } from '../log/deployment.js';
import { formatGroup, type LogRequest } from '../log/group.js';
import { TIMESTAMP_AT, TIMESTAMP_END, UTC_OFFSET_END, ZONE_AT } from '../log/record.js';
import type { Stamp } from '../log/timestamp.js';
import type { Scratch } from './scratch.js';

/** Gives the start of each record of a request's group, and last the end of the group. */
export type FindStarts = (request: LogRequest) => readonly number[];

const SHORTEST = { millisecond: 0, method: 'G', target: '/' };

/** Finds the starts of records by calculation: each record but the last is longer by as much as the descriptor is. */
export function startsIn(deployment: Deployment): FindStarts {
  let end = 0;
  const records = formatGroup(SHORTEST, deployment).split('\n').slice(0, -1);
  const shortest = [0, ...records.map((record) => (end += record.length + 1))];
  const failures = records.length - 1;
  return ({ method, target }) => {
    const longer = method.length + target.length - SHORTEST.method.length - SHORTEST.target.length;
    return shortest.map((start, index) => start + longer * Math.min(index, failures));
  };
}

/** A group that a fault may be made of. */
export class HeldGroup<T extends LogRequest = LogRequest> {
  readonly request: T;
  /** The Unix second that the records show. */
  readonly second: number;
  /** The number of bytes. */
  readonly size: number;
  readonly #findStarts: FindStarts;
  #bytes: Uint8Array;
  #isKept = false;
  #starts: readonly number[] | undefined;

  /** @param bytes the records, each with its LF; not copied before `keep` is called */
  constructor(request: T, bytes: Uint8Array, findStarts: FindStarts) {
    this.request = request;
    this.second = Math.floor(request.millisecond / 1000);
    this.size = bytes.length;
    this.#findStarts = findStarts;
    this.#bytes = bytes;
  }

  /** The records, each with its LF. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Copies the bytes, unless they have been copied: those of a piece are overwritten when the next one is requested. */
  keep(scratch: Scratch): void {
    if (this.#isKept) return;
    this.#bytes = scratch.join([this.#bytes]);
    this.#isKept = true;
  }

  /** The start of each record, and last the end of the group. */
  get starts(): readonly number[] {
    this.#starts ??= this.#findStarts(this.request);
    return this.#starts;
  }

  /** The number of records. */
  get count(): number {
    return this.starts.length - 1;
  }

  /** The start of a record. */
  startOf(at: number): number {
    return this.starts[at] ?? 0;
  }

  /** The end of a record, its LF included. */
  endOf(at: number): number {
    return this.starts[at + 1] ?? 0;
  }

  /** A record with its LF. */
  record(at: number): Uint8Array {
    return this.#view(this.startOf(at), this.endOf(at));
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

  /** The parts of the group with the bytes from one up to, but not including, another replaced by a byte string. */
  replace(from: number, until: number, put: string): readonly (Uint8Array | string)[] {
    return [this.#view(0, from), put, this.#view(until, this.size)];
  }

  #view(from: number, until: number): Uint8Array {
    const { buffer, byteOffset } = this.#bytes;
    return new Uint8Array(buffer, byteOffset + from, until - from);
  }
}
