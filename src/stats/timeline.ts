import type { LoadFailure } from '../log/line.js';
import { formatTimestamp, parseUtcOffset, type Stamp } from '../log/timestamp.js';

export const MAX_BUCKETS = 4096;

const DAY = 86_400;

/** The widths of buckets in seconds, each a multiple of the width before. Behind the last they double. */
const WIDTHS = [1, 2, 10, 30, 60, 120, 600, 1800, 3600, 7200, 6 * 3600, 12 * 3600, DAY, 7 * DAY, 28 * DAY] as const;

const LABEL_STEPS = [
  ...[1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800],
  ...[1, 2, 4, 6, 12].map((hours) => hours * 3600),
  ...[1, 2, 4, 7, 14, 28, 56, 84, 168].map((days) => days * DAY),
];

/** Monday, 5 January 1970. Buckets are aligned to it, so that weeks begin on Mondays. */
const ORIGIN = 4 * DAY;

/** The first day of the year 0, which no timestamp is before: no bucket begins earlier. */
const YEAR_0 = -62_167_219_200;

export interface Buckets {
  readonly width: number;
  /** Each starts at a timestamp of the log's own clock as if it were UTC, in seconds since 1970-01-01T00:00:00. */
  readonly buckets: readonly Bucket[];
}

type Bucket = Record<'start' | 'count', number>;

/** Counts by the number of the bucket from `ORIGIN` on, without empty buckets. */
interface Counts {
  readonly width: number;
  readonly byNumber: Map<number, number>;
}

/**
 * Counts requests by the time on the log's own clock, in bounded memory: too many buckets are merged into wider ones. The hour that
 * clocks repeat in autumn is one hour.
 */
export class Timeline {
  #counts: Counts = { width: WIDTHS[0], byNumber: new Map() };

  add(localSecond: number): void {
    const { width, byNumber } = this.#counts;
    const bucket = Math.floor((localSecond - ORIGIN) / width);
    byNumber.set(bucket, (byNumber.get(bucket) ?? 0) + 1);
    while (this.#counts.byNumber.size > MAX_BUCKETS) this.#counts = widen(this.#counts);
  }

  occupied(): Buckets {
    const numbers = Array.from(this.#counts.byNumber.keys()).sort((number, other) => number - other);
    return bucketsAt(numbers, this.#counts);
  }

  /** All buckets from the first to the last, merged until they are at most so many: 2 or more, since a bound may part two requests. */
  spread(most: number): Buckets {
    for (let counts = this.#counts; ; counts = widen(counts)) {
      const numbers = Array.from(counts.byNumber.keys());
      const first = Math.min(...numbers);
      const length = numbers.length === 0 ? 0 : Math.max(...numbers) - first + 1;
      if (length <= most)
        return bucketsAt(
          Array.from({ length }, (_, index) => first + index),
          counts,
        );
    }
  }
}

/**
 * Chooses buckets to be labelled, at most so many, and gives them with their indexes: those that begin at a round time, such as midnight
 * or a Monday, evenly spaced; the first bucket if none does.
 */
export function labelledBuckets({ width, buckets }: Buckets, most: number): readonly (readonly [number, Bucket])[] {
  const span = buckets.length * width;
  let step = LABEL_STEPS.find((seconds) => seconds % width === 0 && span <= seconds * most) ?? width;
  while (span > step * most) step *= 2;
  const numbered = Array.from(buckets.entries());
  const round = numbered.filter(([, { start }]) => (start - ORIGIN) % step === 0);
  return round.length > 0 ? round : numbered.slice(0, 1);
}

function bucketsAt(numbers: readonly number[], { width, byNumber }: Counts): Buckets {
  const startOf = (number: number): number => Math.max(YEAR_0, ORIGIN + number * width);
  return { width, buckets: numbers.map((number) => ({ start: startOf(number), count: byNumber.get(number) ?? 0 })) };
}

function widen({ width, byNumber }: Counts): Counts {
  const wide = WIDTHS.find((wider) => wider > width) ?? 2 * width;
  const merged = new Map<number, number>();
  for (const [number, count] of byNumber) {
    const into = Math.floor((number * width) / wide);
    merged.set(into, (merged.get(into) ?? 0) + count);
  }
  return { width: wide, byNumber: merged };
}

export function formatStart(start: number, width: number): string {
  const timestamp = formatTimestamp(start, 0);
  if (width < 60) return timestamp.slice(12);
  return width < DAY ? `${timestamp.slice(0, 6)} ${timestamp.slice(12, 17)}` : timestamp.slice(0, 11);
}

/** The number of stretches that a peak keeps: requests may be logged a little out of order. */
const MAX_STRETCHES = 64;

/** The requests of a second or a minute, from a Unix second on. The offset is that of its first request in the log. */
interface Stretch extends Pick<LoadFailure, 'utcOffset'> {
  readonly start: number;
  count: number;
}

/** Finds the second or the minute with the most requests; of equal ones the first. Only the last 64 of them can still grow. */
export class Peak {
  busiest: Stretch | undefined;
  readonly #recent = new Map<number, Stretch>();

  /** @param seconds the length of a stretch: 1 or 60, since offsets are whole minutes */
  constructor(private readonly seconds: number) {}

  add({ second, utcOffset }: Pick<LoadFailure, 'second' | 'utcOffset'>): void {
    const start = Math.floor(second / this.seconds) * this.seconds;
    const stretch = this.#recent.get(start) ?? { start, utcOffset, count: 0 };
    if (stretch.count === 0) this.#recent.set(start, stretch);
    stretch.count += 1;
    if (this.busiest === undefined || stretch.count > this.busiest.count) this.busiest = stretch;
    const [oldest] = this.#recent.size > MAX_STRETCHES ? this.#recent.keys() : [];
    if (oldest !== undefined) this.#recent.delete(oldest);
  }
}

export function stampOf({ start, utcOffset }: Stretch): Stamp {
  return { timestamp: formatTimestamp(start, parseUtcOffset(utcOffset, 0)), utcOffset };
}
