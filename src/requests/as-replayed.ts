import type { Batches, LogRequest } from '../log/group.js';
import type { Zone } from '../log/zone.js';
import { markRequests } from './mark.js';
import { retime } from './retime.js';

/** The times of replayed requests: those that they show, and those at which they are written. */
export interface Timing {
  /** The move of the list in time: its first request lands on `startAt()` (Unix milliseconds), its gaps are divided by `speed`. */
  readonly retiming: { readonly startAt: () => number; readonly speed: number } | undefined;
  /** The pace in real time, as a multiple of that of the (re-timed) requests; undefined for as fast as possible. */
  readonly pace: number | undefined;
}

/**
 * Resolves the options `start` and `speed`.
 *
 * @param startAt gives the moment of the first request when that comes; undefined to leave the times as they are
 */
export function timingOf(startAt: (() => number) | undefined, speed: number | undefined): Timing {
  return {
    retiming: startAt && { startAt, speed: speed ?? 1 },
    // Re-timing has divided the gaps already.
    pace: speed !== undefined && startAt !== undefined ? 1 : speed,
  };
}

/** The changes of requests before they are written. */
interface ReplayedOptions {
  readonly retiming: Timing['retiming'];
  /** The query parameter that numbers the requests from 1 on; undefined for none. */
  readonly mark: string | undefined;
  /** The name of the list in messages. */
  readonly source: string;
  readonly zone: Zone;
}

/** Moves ordered requests in time, and marks them. @throws DataError on a request that would land before 1970 or after the year 9999 */
export function asReplayed<T extends LogRequest>(
  requests: AsyncIterable<readonly T[]>,
  { retiming, mark, source, zone }: ReplayedOptions,
): Batches<T> {
  const moved = retiming === undefined ? requests : retime(requests, { ...retiming, source, zone });
  return mark === undefined ? moved : markRequests(moved, mark, 1);
}
