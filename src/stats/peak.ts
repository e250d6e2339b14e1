import { formatTimestamp, parseUtcOffset, type Stamp } from '../log/timestamp.js';

/** The number of stretches that are kept: requests may be logged a little out of order. */
const MAX_STRETCHES = 64;

/** The requests of a stretch of time. */
interface Stretch {
  /** The Unix second at which it begins. */
  readonly start: number;
  /** The offset of its first request in the log. */
  readonly utcOffset: string;
  count: number;
}

/** Finds the second or the minute with the most requests; of equal ones the first. Only the last 64 of them can still grow. */
export class Peak {
  /** Undefined while nothing has been counted. */
  busiest: Stretch | undefined;
  readonly #seconds: number;
  readonly #recent = new Map<number, Stretch>();

  /** @param seconds the length of a stretch: 1 or 60, since offsets are whole minutes */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** Counts a request at a Unix second, on a clock with an offset. */
  add({ second, utcOffset }: { readonly second: number; readonly utcOffset: string }): void {
    const start = Math.floor(second / this.#seconds) * this.#seconds;
    const stretch = this.#recent.get(start) ?? { start, utcOffset, count: 0 };
    if (stretch.count === 0) this.#recent.set(start, stretch);
    stretch.count += 1;
    if (this.busiest === undefined || stretch.count > this.busiest.count) this.busiest = stretch;
    const [oldest] = this.#recent.size > MAX_STRETCHES ? this.#recent.keys() : [];
    if (oldest !== undefined) this.#recent.delete(oldest);
  }
}

/** The stamp of the beginning of a stretch. */
export function stampOf({ start, utcOffset }: Stretch): Stamp {
  return { timestamp: formatTimestamp(start, parseUtcOffset(utcOffset, 0)), utcOffset };
}
