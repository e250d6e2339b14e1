import { DataError } from '../errors.js';
import type { Batches, LogRequest } from '../log/group.js';
import { zoneNamed } from '../log/zone.js';
import { checkInstant, resolveTime, type Time } from './instant.js';
import { markerOf } from './target.js';
import { orderRequests, type OrderOptions } from './order.js';

interface PrepareOptions extends OrderOptions, Pick<Timing, 'retiming'> {
  readonly passes: number;
  readonly mark: string | undefined;
}

const PAUSE_MS = 1000;

/** A smaller list is kept for its further passes, with so many bytes for a request besides its target. */
const MAX_KEPT_BYTES = 16 << 20;
const REQUEST_BYTES = 256;

/** Puts each pass of a list in order, moves it in time (up to the year 9999), and marks its requests. @throws DataError */
export async function* prepareRequests<T extends LogRequest>(
  readPass: () => Batches<T>,
  { passes, retiming, mark, ...order }: PrepareOptions,
): AsyncGenerator<readonly T[]> {
  const { source } = order;
  const markBatch = mark === undefined ? (batch: readonly T[]) => batch : markerOf(mark, 1);
  const zone = zoneNamed(order.deployment.timezone);
  /** The latest request, where the list as it is played once more is not re-timed yet. */
  let latest = 0;
  let shift: number | undefined = 0;
  let moved = retiming === undefined ? { from: 0, to: 0, speed: 1 } : undefined;
  const moveInTime = (request: T): T => {
    shift ??= latest + PAUSE_MS - request.millisecond;
    const time = request.millisecond + shift;
    latest = Math.max(latest, time);
    moved ??= { from: time, to: retiming?.startAt() ?? time, speed: retiming?.speed ?? 1 };
    const millisecond = moved.to + Math.floor((time - moved.from) / moved.speed);
    const refusal = checkInstant(millisecond, zone);
    if (refusal === undefined) return { ...request, millisecond };
    const place = { source: request.source ?? source, line: request.line };
    const problem = `the request would move to a time that ${refusal.problem}`;
    throw new DataError(place, problem, 'start elsewhere in time, or end sooner');
  };

  let kept: (readonly T[])[] | undefined = [];
  let keptBytes = 0;
  for (let pass = 1; pass <= passes; pass += 1) {
    if (pass > 1) shift = undefined;
    let isEmpty = true;
    for await (const batch of (pass > 1 ? kept : undefined) ?? orderRequests(readPass(), order)) {
      isEmpty &&= batch.length === 0;
      if (pass === 1 && passes > 1) {
        for (const { target } of batch) keptBytes += target.length + REQUEST_BYTES;
        if (keptBytes > MAX_KEPT_BYTES) kept = undefined;
        kept?.push(batch);
      }
      if (passes === 1 && retiming === undefined) {
        yield markBatch(batch);
        continue;
      }
      const prepared: T[] = [];
      try {
        for (const request of batch) prepared.push(moveInTime(request));
      } finally {
        // The requests before one that cannot be moved, too.
        yield markBatch(prepared);
      }
    }
    if (!isEmpty) continue;
    if (passes !== Infinity) return;
    throw new DataError({ source }, 'has no requests to play forever', 'give a list with at least one request');
  }
}

interface Timing {
  /** `startAt` gives the new time of the first request, in milliseconds; called once that request has arrived. */
  readonly retiming: { readonly startAt: () => number; readonly speed: number } | undefined;
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
