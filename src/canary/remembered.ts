import type { Digest } from '../compare/digest.js';
import type { Ring } from '../compare/ring.js';
import { growingRing, type SentRecord } from './outstanding.js';

/** A record that was decided. */
interface RememberedRecord {
  readonly record: number;
  readonly line: number;
  readonly request: number | undefined;
  /** The moment that was given with it. */
  readonly sinceMs: number;
}

/** Records that were decided, for a time: their digests alone. */
export class Remembered {
  readonly #ring: Ring = growingRing();
  /** The latest request of which a record was forgotten. */
  forgotten = 0;

  /** @param sinceMs not before that of the record added before */
  add(
    { record, line, request = NaN }: Pick<SentRecord, 'record' | 'line' | 'request'>,
    { low, high }: Digest,
    sinceMs: number,
  ): void {
    this.#ring.add({ low, high, record, line, place: request, seenMs: sinceMs, fault: undefined, isRepeated: false });
  }

  /** Finds a record; undefined if there is none. */
  find(digest: Digest): RememberedRecord | undefined {
    const position = this.#ring.find(digest, undefined);
    return position === -1 ? undefined : this.#at(position);
  }

  /** Takes out a record; undefined if there is none. */
  take(digest: Digest): RememberedRecord | undefined {
    const position = this.#ring.find(digest, undefined);
    if (position === -1) return undefined;
    const found = this.#at(position);
    this.#ring.remove(position);
    return found;
  }

  /** Forgets the records of a moment and before. */
  forget(sinceMs: number): void {
    const ring = this.#ring;
    while (ring.size > 0) {
      const { seenMs, place } = ring.at(ring.first);
      if (seenMs > sinceMs) return;
      if (place > this.forgotten) this.forgotten = place;
      ring.remove(ring.first);
    }
  }

  #at(position: number): RememberedRecord {
    const { record, line, place, seenMs } = this.#ring.at(position);
    return { record, line, request: Number.isNaN(place) ? undefined : place, sinceMs: seenMs };
  }
}
