import type { Batches, LogRequest } from '../log/group.js';
import { zoneNamed } from '../log/zone.js';
import { markRequests } from './mark.js';
import { orderRequests, type OrderOptions } from './order.js';
import { loopRequests, retime, type Timing } from './retime.js';

/** Options of `prepareRequests`. */
interface PrepareOptions extends OrderOptions, Pick<Timing, 'retiming'> {
  /** The number of times that the list is played; may be Infinity. */
  readonly passes: number;
  /** The query parameter that numbers the requests from 1 on; undefined for none. */
  readonly mark: string | undefined;
}

/**
 * Prepares the requests of a list to be logged: puts each pass in order, moves them in time, and marks them.
 *
 * @param readPass reads the list from its beginning
 * @throws TypeError for a batch that is not an array
 * @throws DataError at a step back under `strict`, on an empty list to be played forever, and on a request that would land before 1970
 *   or after the year 9999
 */
export function prepareRequests<T extends LogRequest>(
  readPass: () => Batches<T>,
  { passes, retiming, mark, ...order }: PrepareOptions,
): Batches<T> {
  const bounds = { source: order.source, zone: zoneNamed(order.deployment.timezone) };
  const readOrdered = (): AsyncIterable<readonly T[]> => orderRequests(readPass(), order);
  const played = passes === 1 ? readOrdered() : loopRequests({ passes, readPass: readOrdered, ...bounds });
  const moved = retiming === undefined ? played : retime(played, { ...retiming, ...bounds });
  return mark === undefined ? moved : markRequests(moved, mark);
}
