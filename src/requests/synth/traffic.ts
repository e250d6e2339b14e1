import type { Zone } from '../../log/zone.js';
import type { Profile } from './profiles.js';

/**
 * The cumulative traffic from a moment on, and its inverse: how much traffic there is up to an instant, and at which instant there
 * has been so much. Traffic is counted in units of one weight for one millisecond.
 */
export interface Traffic {
  /** The traffic between the beginning and an instant (Unix time in milliseconds). */
  readonly until: (millisecond: number) => number;
  /** The instant, in whole milliseconds, up to which there is so much traffic; it never steps back as the amount grows. */
  readonly instantAt: (amount: number) => number;
  /** The traffic of a millisecond, in the mean of a week. */
  readonly meanPerMs: number;
}

/** The traffic of a profile from a moment on, on the clocks of a zone. @param from Unix time in milliseconds */
export function trafficFrom(profile: Profile, from: number, zone: Zone): Traffic {
  if (profile === 'office') return new WeeklyTraffic(OFFICE_WEEK, from, zone);
  return { until: (millisecond) => millisecond - from, instantAt: (amount) => from + Math.floor(amount), meanPerMs: 1 };
}

const WORKDAY = [1, 1, 1, 1, 1, 2, 4, 8, 14, 18, 20, 18, 14, 16, 18, 18, 16, 12, 8, 6, 5, 4, 3, 2];
const DAY_OFF = [1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 2, 2, 1];
/** The weight of each hour of a week that begins on Monday; whole numbers, so that sums up to the year 9999 are exact. */
const OFFICE_WEEK = [...WORKDAY, ...WORKDAY, ...WORKDAY, ...WORKDAY, ...WORKDAY, ...DAY_OFF, ...DAY_OFF];

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;
/** 1970-01-01 was a Thursday: its week began three days before. */
const WEEK_SHIFT_MS = 72 * HOUR_MS;

/** A stretch of time in which clocks show one offset. */
interface Piece {
  /** Unix time in milliseconds. */
  readonly from: number;
  readonly offsetMs: number;
  /** The traffic before it. */
  readonly amount: number;
}

/** Traffic that repeats every week on the clocks of a zone: an hour that is skipped in spring has none, one that comes twice has it twice. */
class WeeklyTraffic implements Traffic {
  readonly meanPerMs: number;
  readonly #weights: readonly number[];
  /** The traffic of a week before each of its hours, and of the whole week. */
  readonly #before: readonly number[];
  readonly #week: number;
  readonly #zone: Zone;
  /** In order of time; more are found when they are asked for. */
  readonly #pieces: Piece[] = [];
  /** Up to where they have been found, and the traffic up to there. */
  #knownUntil: number;
  #knownAmount = 0;

  constructor(weights: readonly number[], from: number, zone: Zone) {
    const before = [0];
    for (const weight of weights) before.push((before.at(-1) ?? 0) + weight * HOUR_MS);
    this.#weights = weights;
    this.#before = before;
    this.#week = before.at(-1) ?? 0;
    this.#zone = zone;
    this.#knownUntil = from;
    this.meanPerMs = this.#week / WEEK_MS;
  }

  until(millisecond: number): number {
    while (this.#knownUntil <= millisecond) this.#findNextPiece();
    return this.#amountIn(
      this.#lastPieceWhere((piece) => piece.from <= millisecond),
      millisecond,
    );
  }

  instantAt(amount: number): number {
    while (this.#knownAmount <= amount) this.#findNextPiece();
    const piece = this.#lastPieceWhere((one) => one.amount <= amount);
    const local = this.#localAt(amount - piece.amount + this.#localAmount(piece.from + piece.offsetMs));
    return Math.max(piece.from, Math.floor(local - piece.offsetMs));
  }

  #amountIn(piece: Piece, millisecond: number): number {
    return piece.amount + this.#localAmount(millisecond + piece.offsetMs) - this.#localAmount(piece.from + piece.offsetMs);
  }

  #findNextPiece(): void {
    const from = this.#knownUntil;
    const stretch = this.#zone.stretchAt(Math.floor(from / 1000));
    const offsetMs = stretch.offset * 1000;
    let last = this.#pieces.at(-1);
    if (last?.offsetMs !== offsetMs) {
      last = { from, offsetMs, amount: this.#knownAmount };
      this.#pieces.push(last);
    }
    this.#knownUntil = stretch.until * 1000;
    this.#knownAmount = this.#amountIn(last, this.#knownUntil);
  }

  /** The last piece for which something is true that is true for all before it; the first, if for none. */
  #lastPieceWhere(isBefore: (piece: Piece) => boolean): Piece {
    let low = 0;
    let high = this.#pieces.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const piece = this.#pieces[middle];
      if (piece !== undefined && isBefore(piece)) low = middle;
      else high = middle - 1;
    }
    const found = this.#pieces[low];
    if (found === undefined) throw new RangeError('no piece of traffic is known');
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

  /** The inverse of `#localAmount`. */
  #localAt(amount: number): number {
    const weeks = Math.floor(amount / this.#week);
    const rest = amount - weeks * this.#week;
    let low = 0;
    let high = this.#weights.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#before[middle] ?? 0) <= rest) low = middle;
      else high = middle - 1;
    }
    const inHour = (rest - (this.#before[low] ?? 0)) / (this.#weights[low] ?? 1);
    return weeks * WEEK_MS + low * HOUR_MS + inHour - WEEK_SHIFT_MS;
  }
}
