import { formatTimestamp, parseUtcOffset, type Stamp } from '../log/timestamp.js';

/** The number of stretches that are kept: requests may be logged a little out of order. */
const MAX_STRETCHES = 64;

/** The stretch of time with the most requests. */
export interface Busiest {
  readonly count: number;
  /** Its beginning, with the offset of its first request in the log. */
  readonly stamp: Stamp;
}

interface Stretch {
  /** The number of stretches since 1970. */
  readonly number: number;
  readonly utcOffset: string;
  count: number;
}

/** Finds the second or the minute with the most requests; of equal ones the first. Only the last 64 of them can still grow. */
export class Peak {
  readonly #seconds: number;
  readonly #recent = new Map<number, Stretch>();
  #busiest: Stretch | undefined;

  /** @param seconds the length of a stretch: 1 or 60, since offsets are whole minutes */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** Undefined while nothing has been counted. */
  get busiest(): Busiest | undefined {
    if (this.#busiest === undefined) return undefined;
    const { number, utcOffset, count } = this.#busiest;
    const timestamp = formatTimestamp(number * this.#seconds, parseUtcOffset(utcOffset, 0));
    return { count, stamp: { timestamp, utcOffset } };
  }

  /** Counts a request at a Unix second, on a clock with an offset. */
  add(second: number, { utcOffset }: Pick<Stamp, 'utcOffset'>): void {
    const number = Math.floor(second / this.#seconds);
    const stretch = this.#recent.get(number) ?? { number, utcOffset, count: 0 };
    if (stretch.count === 0) this.#recent.set(number, stretch);
    stretch.count += 1;
    if (this.#busiest === undefined || stretch.count > this.#busiest.count) this.#busiest = stretch;
    const [oldest] = this.#recent.size > MAX_STRETCHES ? this.#recent.keys() : [];
    if (oldest !== undefined) this.#recent.delete(oldest);
  }
}
