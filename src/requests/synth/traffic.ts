import type { Zone } from '../../log/zone.js';
import type { Kinds } from '../../wording.js';

export const PROFILES = {
  flat: { meaning: 'the same traffic at all hours' },
  office: { meaning: 'more on working days than at night' },
} as const satisfies Kinds;
/** The distribution of traffic: the same at all hours, or more on working days than at night. */
export type Profile = keyof typeof PROFILES;

/** The traffic since a moment, and its inverse. The unit is a weight of 1 for one millisecond. */
export interface Traffic {
  readonly until: (millisecond: number) => number;
  /** The whole millisecond at which the traffic reaches an amount; monotonic. */
  readonly instantAt: (amount: number) => number;
  readonly meanPerMs: number;
}

/** @param from Unix time in milliseconds */
export function trafficFrom(profile: Profile, from: number, zone: Zone): Traffic {
  const week = WEEKS[profile];
  if (week !== undefined) return new WeeklyTraffic(week, from, zone);
  return { until: (millisecond) => millisecond - from, instantAt: (amount) => from + Math.floor(amount), meanPerMs: 1 };
}

const WORKDAY = [1, 1, 1, 1, 1, 2, 4, 8, 14, 18, 20, 18, 14, 16, 18, 18, 16, 12, 8, 6, 5, 4, 3, 2];
const DAY_OFF = [1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 2, 2, 1];
/** From Monday on; whole numbers, so that sums up to the year 9999 are exact. */
const OFFICE_WEEK = [...WORKDAY, ...WORKDAY, ...WORKDAY, ...WORKDAY, ...WORKDAY, ...DAY_OFF, ...DAY_OFF];

const WEEKS: Readonly<Record<Profile, readonly number[] | undefined>> = { flat: undefined, office: OFFICE_WEEK };

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;
/** 1970-01-01 was a Thursday: its week began three days earlier. */
const WEEK_SHIFT_MS = 72 * HOUR_MS;

/** A stretch of constant UTC offset, and the traffic before it. */
interface TrafficInterval {
  readonly from: number;
  readonly offsetMs: number;
  readonly amount: number;
}

/** The hour skipped in spring has no traffic, the hour repeated in autumn twice its own. */
class WeeklyTraffic implements Traffic {
  readonly meanPerMs: number;
  readonly #weights: readonly number[];
  /** The traffic of a week before each hour, and before its end. */
  readonly #before = [0];
  readonly #week: number;
  readonly #zone: Zone;
  readonly #intervals: TrafficInterval[] = [];
  /** The interval that was asked for last: moments are mostly asked for in their order. */
  #latest = 0;
  /** The end of these intervals, and the traffic there. */
  #knownUntil: number;
  #knownAmount = 0;

  constructor(weights: readonly number[], from: number, zone: Zone) {
    let week = 0;
    for (const weight of weights) this.#before.push((week += weight * HOUR_MS));
    this.#weights = weights;
    this.#week = week;
    this.#zone = zone;
    this.#knownUntil = from;
    this.meanPerMs = week / WEEK_MS;
  }

  until(millisecond: number): number {
    while (this.#knownUntil <= millisecond) this.#addNextInterval();
    return this.#amountIn(this.#lastUntil('from', millisecond), millisecond);
  }

  instantAt(amount: number): number {
    while (this.#knownAmount <= amount) this.#addNextInterval();
    const last = this.#lastUntil('amount', amount);
    const local = this.#localAt(amount - last.amount + this.#localAmount(last.from + last.offsetMs));
    return Math.max(last.from, Math.floor(local - last.offsetMs));
  }

  #amountIn({ from, offsetMs, amount }: TrafficInterval, millisecond: number): number {
    return amount + this.#localAmount(millisecond + offsetMs) - this.#localAmount(from + offsetMs);
  }

  #addNextInterval(): void {
    const from = this.#knownUntil;
    const { offset, until } = this.#zone.intervalAt(Math.floor(from / 1000));
    const offsetMs = offset * 1000;
    let last = this.#intervals.at(-1);
    if (last?.offsetMs !== offsetMs) {
      last = { from, offsetMs, amount: this.#knownAmount };
      this.#intervals.push(last);
    }
    this.#knownUntil = until * 1000;
    this.#knownAmount = this.#amountIn(last, this.#knownUntil);
  }

  /** The last interval that does not begin behind a moment or an amount; the first if there is none. */
  #lastUntil(key: 'from' | 'amount', bound: number): TrafficInterval {
    const intervals = this.#intervals;
    while ((intervals[this.#latest + 1]?.[key] ?? Infinity) <= bound) this.#latest += 1;
    while (this.#latest > 0 && (intervals[this.#latest]?.[key] ?? 0) > bound) this.#latest -= 1;
    const found = intervals[this.#latest];
    if (found === undefined) throw new RangeError('no interval of traffic is known');
    return found;
  }

  /** The traffic from the beginning of the week of 1970-01-01 to a local time (in milliseconds, as if it were UTC). */
  #localAmount(localMs: number): number {
    const shifted = localMs + WEEK_SHIFT_MS;
    const weeks = Math.floor(shifted / WEEK_MS);
    const inWeek = shifted - weeks * WEEK_MS;
    const hour = Math.floor(inWeek / HOUR_MS);
    return weeks * this.#week + (this.#before[hour] ?? 0) + (inWeek - hour * HOUR_MS) * (this.#weights[hour] ?? 0);
  }

  #localAt(amount: number): number {
    const weeks = Math.floor(amount / this.#week);
    const rest = amount - weeks * this.#week;
    let hour = 0;
    for (let step = 128; step >= 1; step /= 2) if ((this.#before[hour + step] ?? Infinity) <= rest) hour += step;
    const inHour = (rest - (this.#before[hour] ?? 0)) / (this.#weights[hour] ?? 1);
    return weeks * WEEK_MS + hour * HOUR_MS + inHour - WEEK_SHIFT_MS;
  }
}
