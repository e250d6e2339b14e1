import { formatTimestamp, parseUtcOffset, type Stamp } from '../log/timestamp.js';

/** So many stretches are remembered: requests may be logged a little out of order. */
const REMEMBERED = 64;

/** The stretch of time with the most requests. */
export interface Busiest {
  readonly count: number;
  /** When it begins, with the offset of the request that was met first in it. */
  readonly stamp: Stamp;
}

interface Stretch extends Busiest {
  count: number;
}

/** Finds the second, the minute, … of the most requests; of equal ones the first. A step back of more than 64 of them begins anew. */
export class Peak {
  busiest: Busiest | undefined;
  readonly #seconds: number;
  readonly #recent = new Map<number, Stretch>();
  /** That of the request before: mostly the same. */
  #number = NaN;
  #stretch: Stretch | undefined;

  /** @param seconds how long a stretch is: a second or a minute, which all offsets are whole numbers of */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** Counts a request, at a Unix second on a clock of that offset. */
  add(second: number, stamp: Pick<Stamp, 'utcOffset'>): void {
    const number = Math.floor(second / this.#seconds);
    if (this.#stretch === undefined || number !== this.#number) {
      this.#number = number;
      this.#stretch = this.#recent.get(number) ?? this.#begin(number, stamp.utcOffset);
    }
    this.#stretch.count += 1;
    if (this.busiest === undefined || this.#stretch.count > this.busiest.count) this.busiest = this.#stretch;
  }

  #begin(number: number, utcOffset: string): Stretch {
    const timestamp = formatTimestamp(number * this.#seconds, parseUtcOffset(utcOffset, 0));
    const stretch = { count: 0, stamp: { timestamp, utcOffset } };
    this.#recent.set(number, stretch);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= REMEMBERED) break;
      this.#recent.delete(oldest);
    }
    return stretch;
  }
}
