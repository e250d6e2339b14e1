import { DataError, placeIn } from '../errors.js';
import type { Batches, LogRequest } from '../log/group.js';
import type { Zone } from '../log/zone.js';
import { checkInstant, resolveTime, type Time } from './instant.js';

/** The zone whose clocks bound the time of requests, and the name of the list in messages. */
interface TimeBounds {
  /** The name of the list in messages. */
  readonly source: string;
  readonly zone: Zone;
}

/** Moves a list in time. */
interface Retiming {
  /** Gives the new time of the first request (Unix time in milliseconds); called once that request has arrived. */
  readonly startAt: () => number;
  /** The divisor of all gaps. */
  readonly speed: number;
}

/**
 * Moves a list in time: the first request to a given millisecond, with all gaps divided by `speed`.
 *
 * @throws DataError on a request that would land before 1970 or after the year 9999
 */
export async function* retime<T extends LogRequest>(
  batches: Batches<T>,
  { startAt, speed, ...bounds }: Retiming & TimeBounds,
): AsyncGenerator<readonly T[]> {
  let start: number | undefined;
  let first = 0;
  for await (const batch of batches) {
    const [request] = batch;
    if (start === undefined && request !== undefined) {
      start = startAt();
      first = request.millisecond;
    }
    const from = start ?? 0;
    yield* moveAll(batch, (millisecond) => from + Math.floor((millisecond - first) / speed), bounds);
  }
}

/** The gap between the last request of a pass and the first request of the next. */
const PAUSE_MS = 1000;

/** The bounds of a list, in requests and in bytes of targets, that is kept in memory instead of read again for each pass. */
const MAX_KEPT_REQUESTS = 65_536;
const MAX_KEPT_BYTES = 16 << 20;

/** Options of `loopRequests`. */
interface LoopOptions<T> extends TimeBounds {
  /** The number of passes: a whole number, or Infinity. */
  readonly passes: number;
  /** Reads the list from its beginning. */
  readonly readPass: () => Batches<T>;
}

/**
 * Repeats a list. A pass begins one second after the latest request of the pass before.
 *
 * @throws DataError on an empty list to be played for ever, and on a request that would land after the year 9999
 */
export async function* loopRequests<T extends LogRequest>({
  passes,
  readPass,
  ...bounds
}: LoopOptions<T>): AsyncGenerator<readonly T[]> {
  /** The batches of the first pass; undefined once they exceed the bounds. */
  let kept: (readonly T[])[] | undefined = [];
  let keptRequests = 0;
  let keptBytes = 0;
  let shift = 0;
  for (let pass = 1; pass <= passes; pass += 1) {
    let first: number | undefined;
    let latest = -Infinity;
    for await (const batch of pass > 1 && kept !== undefined ? kept : readPass()) {
      first ??= batch[0]?.millisecond;
      for (const { millisecond } of batch) if (millisecond > latest) latest = millisecond;
      if (pass === 1) {
        keptRequests += batch.length;
        for (const { target } of batch) keptBytes += target.length;
        if (keptRequests > MAX_KEPT_REQUESTS || keptBytes > MAX_KEPT_BYTES) kept = undefined;
        kept?.push(batch);
      }
      const by = shift;
      if (pass === 1) yield batch;
      else yield* moveAll(batch, (millisecond) => millisecond + by, bounds);
    }
    if (first === undefined) {
      if (passes !== Infinity) return;
      throw new DataError({ source: bounds.source }, 'has no requests to play forever', 'give a list with at least one request');
    }
    shift += latest + PAUSE_MS - first;
  }
}

/** Moves the requests of a batch, up to the first request that cannot be moved. @throws DataError at that request */
function* moveAll<T extends LogRequest>(
  batch: readonly T[],
  move: (millisecond: number) => number,
  { source, zone }: TimeBounds,
): Generator<readonly T[]> {
  const moved: T[] = [];
  for (const request of batch) {
    const millisecond = move(request.millisecond);
    const refusal = checkInstant(millisecond, zone);
    if (refusal !== undefined) {
      yield moved;
      const problem = `the request would move to a time that ${refusal.problem}`;
      throw new DataError(placeIn(request.source ?? source, request.line), problem, 'start elsewhere in time, or end sooner');
    }
    moved.push({ ...request, millisecond });
  }
  yield moved;
}

/** The times that replayed requests show, and the times at which they are written. */
export interface Timing {
  /** The re-timing of the list, if any. */
  readonly retiming: Retiming | undefined;
  /** The pace in real time, as a multiple of the pace of the (re-timed) requests; undefined for as fast as possible. */
  readonly pace: number | undefined;
}

/**
 * Resolves the options `start` and `speed`. The start `now` is the moment at which the first request arrives.
 *
 * @param key the key of the option `start`, for messages
 * @param start the new time of the first request; undefined to keep the times
 * @throws CallError for a text that is not a time
 */
export function timingOf(key: string, start: Time | undefined, speed: number | undefined, timezone: string): Timing {
  if (start === undefined) return { retiming: undefined, pace: speed };
  const millisecond = resolveTime(key, start, timezone);
  const startAt = start === 'now' ? Date.now : () => millisecond;
  // Re-timing has divided the gaps already.
  return { retiming: { startAt, speed: speed ?? 1 }, pace: speed === undefined ? undefined : 1 };
}
