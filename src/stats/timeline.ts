/** So many buckets are kept. */
export const MAX_BUCKETS = 4096;

const DAY = 86_400;

/** How wide a bucket can be, in seconds; each width is a multiple of the one before. From the last one on they double. */
const WIDTHS = [1, 2, 10, 30, 60, 120, 600, 1800, 3600, 7200, 6 * 3600, 12 * 3600, DAY, 7 * DAY, 28 * DAY] as const;

/** Monday, 5 January 1970: buckets begin at it and before and after it, so that those of a week begin on Mondays. */
const ORIGIN = 4 * DAY;

/** The first day that a timestamp of four digits can name: no bucket begins before it. */
const YEAR_0 = -62_167_219_200;

/** How many requests fall into a stretch of time. */
export interface Bucket {
  /** Where it begins on the log's own clock: a timestamp as if it were UTC, in seconds since 1970-01-01T00:00:00. */
  readonly start: number;
  readonly count: number;
}

/** Requests over time. */
export interface Buckets {
  /** How long each of them is, in seconds. */
  readonly width: number;
  readonly buckets: readonly Bucket[];
}

/**
 * Counts requests by the time that the log's own clock shows, in bounded memory: when there are too many buckets, wider ones take
 * their place. The hour that clocks show twice in autumn is one hour.
 */
export class Timeline {
  #width: number = WIDTHS[0];
  /** By their number from `ORIGIN` on; those that hold nothing are not there. */
  #counts = new Map<number, number>();

  /** Counts a request. */
  add(localSecond: number): void {
    const bucket = bucketOf(localSecond, this.#width);
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
    while (this.#counts.size > MAX_BUCKETS) {
      const factor = wider(this.#width) / this.#width;
      this.#width *= factor;
      this.#counts = regroup(this.#counts, factor);
    }
  }

  /** The buckets that hold something, in order. */
  occupied(): Buckets {
    const numbers = Array.from(this.#counts.keys()).sort((one, other) => one - other);
    return {
      width: this.#width,
      buckets: numbers.map((number) => bucketAt(number, this.#width, this.#counts)),
    };
  }

  /**
   * All buckets from the first to the last, empty ones too.
   *
   * @param most how many there may be, 2 at least: a bound of buckets, however wide, can lie between two requests
   */
  spread(most: number): Buckets {
    let width = this.#width;
    let counts = this.#counts;
    let [first, last] = endsOf(counts);
    while (last - first >= most) {
      const factor = wider(width) / width;
      width *= factor;
      counts = regroup(counts, factor);
      [first, last] = endsOf(counts);
    }
    const buckets = Array.from({ length: last - first + 1 }, (_, index) => bucketAt(first + index, width, counts));
    return { width, buckets: counts.size === 0 ? [] : buckets };
  }
}

function bucketAt(number: number, width: number, counts: ReadonlyMap<number, number>): Bucket {
  return { start: Math.max(YEAR_0, ORIGIN + number * width), count: counts.get(number) ?? 0 };
}

function bucketOf(localSecond: number, width: number): number {
  return Math.floor((localSecond - ORIGIN) / width);
}

function wider(width: number): number {
  return WIDTHS.find((one) => one > width) ?? 2 * width;
}

function regroup(counts: ReadonlyMap<number, number>, factor: number): Map<number, number> {
  const wide = new Map<number, number>();
  for (const [number, count] of counts) {
    const into = Math.floor(number / factor);
    wide.set(into, (wide.get(into) ?? 0) + count);
  }
  return wide;
}

function endsOf(counts: ReadonlyMap<number, number>): [first: number, last: number] {
  let first = Infinity;
  let last = -Infinity;
  for (const number of counts.keys()) {
    if (number < first) first = number;
    if (number > last) last = number;
  }
  return counts.size === 0 ? [0, 0] : [first, last];
}
