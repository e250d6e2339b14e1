import type { Digest } from '../compare/digest.js';
import type { RecordForm } from '../compare/form.js';
import type { RecordReader } from '../compare/records.js';
import { LF } from '../log/byte-string.js';
import { TIMESTAMP_END } from '../log/record.js';

/** A record that was read: byte strings without LF. */
export interface ReadRecord {
  /** Equal records have equal keys. */
  readonly key: number;
  readonly text: string;
  readonly compared: string;
  /** The reason that the line cannot be a record. */
  readonly reason: string | undefined;
}

export function* readRecords(reader: RecordReader, lines: Uint8Array, { digestRecord }: RecordForm): Generator<ReadRecord> {
  const digest = { low: 0, high: 0, exact: 0 };
  for (const { bytes, records = [] } of reader.read(lines)) {
    for (let [at, index] = [0, 0]; at < bytes.length; index += 1) {
      const record = records[index];
      const end = record === undefined ? bytes.indexOf(LF, at) : at + record.compared.length;
      digestRecord(bytes, at, end, digest);
      const compared = bytes.toString('latin1', at, end);
      yield { key: keyOf(digest), text: record?.text ?? compared, compared, reason: record?.reason };
      at = end + 1;
    }
  }
}

/** A digest as one number, of the 53 bits that it has room for. */
function keyOf({ low, high }: Digest): number {
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}

/** Records and lines by their first bytes, where a record has its time: those of one second. */
export class Beginnings<Entry extends { readonly compared: string }> {
  readonly #byStart = new Map<string, Set<Entry>>();

  add(entry: Entry): void {
    const start = startOf(entry);
    const others = this.#byStart.get(start);
    if (others === undefined) this.#byStart.set(start, new Set([entry]));
    else others.add(entry);
  }

  delete(entry: Entry): void {
    const start = startOf(entry);
    const others = this.#byStart.get(start);
    others?.delete(entry);
    if (others?.size === 0) this.#byStart.delete(start);
  }

  /** Those that begin as another one does, as far as both go; first those that go as far. */
  *like(other: { readonly compared: string }): Generator<Entry> {
    const own = startOf(other);
    yield* this.#byStart.get(own) ?? [];
    for (const [start, entries] of this.#byStart)
      if (start !== own && (start.startsWith(own) || own.startsWith(start))) yield* entries;
  }
}

function startOf({ compared }: { readonly compared: string }): string {
  return compared.slice(0, TIMESTAMP_END);
}
