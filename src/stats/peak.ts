import { formatTimestamp, parseUtcOffset, type Stamp } from '../log/timestamp.js';

/** The number of stretches that are kept: requests may be logged a little out of order. */
const MAX_STRETCHES = 64;

/** The stretch of time with the most requests. */
export interface Busiest {
  readonly count: number;
  /** Its beginning, with the offset of its first request in the log. */
  readonly stamp: Stamp;
}

interface Stretch extends Busiest {
  count: number;
}

/** Finds the second or the minute with the most requests; of equal ones the first. Only the last 64 of them can still grow. */
export class Peak {
  busiest: Busiest | undefined;
  readonly #seconds: number;
  readonly #recent = new Map<number, Stretch>();

  /** @param seconds the length of a stretch: 1 or 60, since offsets are whole minutes */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** Counts a request at a Unix second, on a clock with an offset. */
  add(second: number, stamp: Pick<Stamp, 'utcOffset'>): void {
    const number = Math.floor(second / this.#seconds);
    const stretch = this.#recent.get(number) ?? this.#begin(number, stamp.utcOffset);
    stretch.count += 1;
    if (this.busiest === undefined || stretch.count > this.busiest.count) this.busiest = stretch;
  }

  #begin(number: number, utcOffset: string): Stretch {
    const timestamp = formatTimestamp(number * this.#seconds, parseUtcOffset(utcOffset, 0));
    const stretch = { count: 0, stamp: { timestamp, utcOffset } };
    this.#recent.set(number, stretch);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= MAX_STRETCHES) break;
      this.#recent.delete(oldest);
    }
    return stretch;
  }
}
