import { DataError, placeIn } from '../errors.js';
import type { Batches, LogRequest } from '../log/group.js';
import { zoneNamed, type Zone } from '../log/zone.js';
import { checkInstant, resolveTime, type Time } from './instant.js';
import { markRequests } from './mark.js';
import { orderRequests, type OrderOptions } from './order.js';

interface PrepareOptions extends OrderOptions, Pick<Timing, 'retiming'> {
  /** May be Infinity. */
  readonly passes: number;
  /** The query parameter that numbers the requests from 1 on. */
  readonly mark: string | undefined;
}

/** Puts each pass of a list in order, moves it in time, and marks its requests. @throws DataError */
export function prepareRequests<T extends LogRequest>(
  readPass: () => Batches<T>,
  { passes, retiming, mark, ...order }: PrepareOptions,
): Batches<T> {
  const bounds = { source: order.source, zone: zoneNamed(order.deployment.timezone) };
  const readOrdered = (): AsyncIterable<readonly T[]> => orderRequests(readPass(), order);
  const played = passes === 1 ? readOrdered() : loopRequests(readOrdered, passes, bounds);
  const moved = retiming === undefined ? played : retime(played, retiming, bounds);
  return mark === undefined ? moved : markRequests(moved, mark);
}

interface TimeBounds {
  readonly source: string;
  readonly zone: Zone;
}

interface Retiming {
  /** The new time of the first request (Unix time in milliseconds); called once that request has arrived. */
  readonly startAt: () => number;
  readonly speed: number;
}

/** Moves requests, up to the first that lands before 1970 or after the year 9999. @throws DataError */
async function* retime<T extends LogRequest>(
  batches: Batches<T>,
  { startAt, speed }: Retiming,
  { source, zone }: TimeBounds,
): AsyncGenerator<readonly T[]> {
  let start: number | undefined;
  let first = 0;
  for await (const batch of batches) {
    const moved: T[] = [];
    for (const request of batch) {
      if (start === undefined) {
        start = startAt();
        first = request.millisecond;
      }
      const millisecond = start + Math.floor((request.millisecond - first) / speed);
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
}

/** Between the last request of a pass and the first of the next. */
const PAUSE_MS = 1000;

/** A list within these bounds, in requests and in bytes of targets, is kept in memory instead of read again for each pass. */
const MAX_KEPT_REQUESTS = 65_536;
const MAX_KEPT_BYTES = 16 << 20;

async function* loopRequests<T extends LogRequest>(
  readPass: () => Batches<T>,
  passes: number,
  bounds: TimeBounds,
): AsyncGenerator<readonly T[]> {
  /** The batches of the first pass; undefined once they exceed the bounds. */
  let kept: (readonly T[])[] | undefined = [];
  let keptRequests = 0;
  let keptBytes = 0;
  let latest = -Infinity;
  for (let pass = 1; pass <= passes; pass += 1) {
    const batches = pass > 1 && kept !== undefined ? kept : readPass();
    const startAt = (): number => latest + PAUSE_MS;
    let isEmpty = true;
    for await (const batch of pass === 1 ? batches : retime(batches, { startAt, speed: 1 }, bounds)) {
      for (const { millisecond } of batch) if (millisecond > latest) latest = millisecond;
      isEmpty &&= batch.length === 0;
      if (pass === 1) {
        keptRequests += batch.length;
        for (const { target } of batch) keptBytes += target.length;
        if (keptRequests > MAX_KEPT_REQUESTS || keptBytes > MAX_KEPT_BYTES) kept = undefined;
        kept?.push(batch);
      }
      yield batch;
    }
    if (isEmpty) {
      if (passes !== Infinity) return;
      throw new DataError({ source: bounds.source }, 'has no requests to play forever', 'give a list with at least one request');
    }
  }
}

interface Timing {
  readonly retiming: Retiming | undefined;
  /** The pace in real time, as a multiple of that of the (re-timed) requests; undefined for as fast as possible. */
  readonly pace: number | undefined;
}

/** Resolves `start` and `speed`. The start `now` is the moment at which the first request arrives. */
export function timingOf(start: Time | undefined, speed: number | undefined, timezone: string): Timing {
  if (start === undefined) return { retiming: undefined, pace: speed };
  const millisecond = resolveTime('start', start, timezone);
  const startAt = start === 'now' ? Date.now : () => millisecond;
  // Re-timing has divided the gaps already.
  return { retiming: { startAt, speed: speed ?? 1 }, pace: speed === undefined ? undefined : 1 };
}
