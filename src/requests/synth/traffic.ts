import type { Zone } from '../../log/zone.js';
import type { Kinds } from '../../wording.js';

export const PROFILES = {
  flat: { meaning: 'the same traffic at all hours' },
  office: { meaning: 'more on working days than at night' },
} as const satisfies Kinds;
/** The distribution of traffic: the same at all hours, or more on working days than at night. */
export type Profile = keyof typeof PROFILES;

/** The traffic since a moment, and its inverse, in milliseconds at a weight of 1. */
export interface Traffic {
  readonly until: (millisecond: number) => number;
  /** The whole millisecond at which the traffic reaches an amount; monotonic. */
  readonly instantAt: (amount: number) => number;
  readonly meanPerMs: number;
}

export function trafficFrom(profile: Profile, from: number, zone: Zone): Traffic {
  if (profile === 'office') return weeklyTraffic(OFFICE_WEEK, from, zone);
  return { until: (millisecond) => millisecond - from, instantAt: (amount) => from + Math.floor(amount), meanPerMs: 1 };
}

const WORKDAY = [1, 1, 1, 1, 1, 2, 4, 8, 14, 18, 20, 18, 14, 16, 18, 18, 16, 12, 8, 6, 5, 4, 3, 2];
const DAY_OFF = [1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 2, 2, 1];
/** From Monday on; whole numbers, so that sums up to the year 9999 are exact. */
const OFFICE_WEEK = [...WORKDAY, ...WORKDAY, ...WORKDAY, ...WORKDAY, ...WORKDAY, ...DAY_OFF, ...DAY_OFF];

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;
/** 1970-01-01 was a Thursday: its week began three days earlier. */
const WEEK_SHIFT_MS = 72 * HOUR_MS;

/** The hour skipped in spring has no traffic, the hour repeated in autumn twice its own. */
function weeklyTraffic(weights: readonly number[], from: number, zone: Zone): Traffic {
  const before = [0];
  let week = 0;
  for (const weight of weights) before.push((week += weight * HOUR_MS));

  /** The traffic from the beginning of the week of 1970-01-01 to a local time (in milliseconds, as if it were UTC). */
  const localAmount = (localMs: number): number => {
    const shifted = localMs + WEEK_SHIFT_MS;
    const weeks = Math.floor(shifted / WEEK_MS);
    const inWeek = shifted - weeks * WEEK_MS;
    const hour = Math.floor(inWeek / HOUR_MS);
    return weeks * week + (before[hour] ?? 0) + (inWeek - hour * HOUR_MS) * (weights[hour] ?? 0);
  };
  const localAt = (amount: number): number => {
    const weeks = Math.floor(amount / week);
    const rest = amount - weeks * week;
    let hour = 0;
    for (let step = 128; step >= 1; step /= 2) if ((before[hour + step] ?? Infinity) <= rest) hour += step;
    const inHour = (rest - (before[hour] ?? 0)) / (weights[hour] ?? 1);
    return weeks * WEEK_MS + hour * HOUR_MS + inHour - WEEK_SHIFT_MS;
  };

  const first = { from, offsetMs: zone.offsetAt(Math.floor(from / 1000)) * 1000, amount: 0 };
  /** Intervals of constant UTC offset, and the traffic before them, up to an end. */
  const intervals = [first];
  let [last, end, endAmount] = [first, from, 0];
  const amountAt = (millisecond: number, interval: typeof first): number =>
    interval.amount + localAmount(millisecond + interval.offsetMs) - localAmount(interval.from + interval.offsetMs);
  const addNext = (): void => {
    const { offset, until } = zone.intervalAt(Math.floor(end / 1000));
    if (offset * 1000 !== last.offsetMs) {
      last = { from: end, offsetMs: offset * 1000, amount: endAmount };
      intervals.push(last);
    }
    end = until * 1000;
    endAmount = amountAt(end, last);
  };
  return {
    meanPerMs: week / WEEK_MS,
    until: (millisecond) => {
      while (end <= millisecond) addNext();
      return amountAt(millisecond, intervals.findLast((interval) => interval.from <= millisecond) ?? first);
    },
    instantAt: (amount) => {
      while (endAmount <= amount) addNext();
      const interval = intervals.findLast((each) => each.amount <= amount) ?? first;
      const local = localAt(amount - interval.amount + localAmount(interval.from + interval.offsetMs));
      return Math.max(interval.from, Math.floor(local - interval.offsetMs));
    },
  };
}
