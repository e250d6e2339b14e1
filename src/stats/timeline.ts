/** The most buckets that are kept. */
export const MAX_BUCKETS = 4096;

const DAY = 86_400;

/** The widths of buckets in seconds, each a multiple of the width before. Behind the last they double. */
const WIDTHS = [1, 2, 10, 30, 60, 120, 600, 1800, 3600, 7200, 6 * 3600, 12 * 3600, DAY, 7 * DAY, 28 * DAY] as const;

/** The distances of labels in seconds. */
const LABEL_STEPS = [
  ...[1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800],
  ...[1, 2, 4, 6, 12].map((hours) => hours * 3600),
  ...[1, 2, 4, 7, 14, 28, 56, 84, 168].map((days) => days * DAY),
];

/** Monday, 5 January 1970. Buckets are aligned to it, so that weeks begin on Mondays. */
const ORIGIN = 4 * DAY;

/** The first day of the year 0, which no timestamp is before: no bucket begins earlier. */
const YEAR_0 = -62_167_219_200;

/** The number of requests in a stretch of time. */
export interface Bucket {
  /** Its beginning on the log's own clock: a timestamp as if it were UTC, in seconds since 1970-01-01T00:00:00. */
  readonly start: number;
  readonly count: number;
}

/** Requests over time. */
export interface Buckets {
  /** The length of each bucket in seconds. */
  readonly width: number;
  readonly buckets: readonly Bucket[];
}

/**
 * Counts requests by the time on the log's own clock, in bounded memory: too many buckets are merged into wider ones. The hour that
 * clocks repeat in autumn is one hour.
 */
export class Timeline {
  #width: number = WIDTHS[0];
  /** Counts by the number of the bucket from `ORIGIN` on, without empty buckets. */
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

  /** The buckets that are not empty, in order. */
  occupied(): Buckets {
    const numbers = Array.from(this.#counts.keys()).sort((number, other) => number - other);
    return {
      width: this.#width,
      buckets: numbers.map((number) => bucketAt(number, this.#width, this.#counts)),
    };
  }

  /**
   * All buckets from the first to the last, empty buckets too, merged as far as needed.
   *
   * @param most the greatest number of buckets, at least 2: two requests can lie on both sides of a bound, however wide buckets are
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

/**
 * Chooses buckets to be labelled: those that begin at a round time, such as midnight or a Monday, evenly spaced.
 *
 * @param most the greatest number of labels
 * @returns their indexes; the first bucket if none begins at a round time
 */
export function labelledBuckets({ width, buckets }: Buckets, most: number): readonly number[] {
  const span = buckets.length * width;
  let step = LABEL_STEPS.find((seconds) => seconds % width === 0 && span <= seconds * most) ?? width;
  while (span > step * most) step *= 2;
  const round = buckets.flatMap(({ start }, index) => ((start - ORIGIN) % step === 0 ? [index] : []));
  return round.length > 0 ? round : buckets.slice(0, 1).map((_, index) => index);
}

function bucketAt(number: number, width: number, counts: ReadonlyMap<number, number>): Bucket {
  return { start: Math.max(YEAR_0, ORIGIN + number * width), count: counts.get(number) ?? 0 };
}

function bucketOf(localSecond: number, width: number): number {
  return Math.floor((localSecond - ORIGIN) / width);
}

function wider(width: number): number {
  return WIDTHS.find((wide) => wide > width) ?? 2 * width;
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
