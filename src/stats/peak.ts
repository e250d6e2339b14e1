import type { Stamp } from '../log/timestamp.js';

/** So many stretches are remembered: requests may be logged a little out of order. */
const REMEMBERED = 64;

/** The stretch of time with the most requests. */
export interface Busiest {
  readonly count: number;
  /** The stamp of its first request. */
  readonly stamp: Stamp;
}

/** Finds the second, the minute, … of the most requests; of equal ones the first. A step back of more than 64 of them begins anew. */
export class Peak {
  busiest: Busiest | undefined;
  readonly #seconds: number;
  readonly #recent = new Map<number, { count: number; readonly stamp: Stamp }>();

  /** @param seconds how long a stretch is */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** Counts a request, at a Unix second. */
  add(second: number, { timestamp, utcOffset }: Stamp): void {
    const number = Math.floor(second / this.#seconds);
    let stretch = this.#recent.get(number);
    if (stretch === undefined) {
      stretch = { count: 0, stamp: { timestamp, utcOffset } };
      this.#recent.set(number, stretch);
      for (const oldest of this.#recent.keys()) {
        if (this.#recent.size <= REMEMBERED) break;
        this.#recent.delete(oldest);
      }
    }
    stretch.count += 1;
    if (this.busiest === undefined || stretch.count > this.busiest.count) this.busiest = stretch;
  }
}
