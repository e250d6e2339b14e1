import { DataError } from '../errors.js';
import type { Deployment } from '../log/deployment.js';
import { stampAt } from '../log/timestamp.js';
import type { Order } from './orders.js';
import type { ListedRequest } from './request.js';

/** Requests are sorted whole but handed on in batches of this size. */
const BATCH_REQUESTS = 1024;

/** How requests are to be brought in order. */
export interface OrderOptions {
  readonly order: Order;
  /** What error messages call the list. */
  readonly source: string;
  /** On whose clock messages show the times. */
  readonly deployment: Deployment;
}

/**
 * Brings requests in order: `strict` refuses a step back, `sort` sorts them, stably, by millisecond (it holds all of them in
 * memory), `keep` passes them on as they stand. The log is in order of seconds (6.4), so a step back is one by seconds.
 *
 * @throws DataError at a step back under `strict`, after the requests before it have been given
 */
export async function* orderRequests(
  batches: AsyncIterable<readonly ListedRequest[]>,
  options: OrderOptions,
): AsyncGenerator<readonly ListedRequest[]> {
  if (options.order === 'keep') yield* batches;
  else if (options.order === 'sort') yield* sortRequests(batches);
  else yield* refuseStepsBack(batches, options);
}

async function* sortRequests(batches: AsyncIterable<readonly ListedRequest[]>): AsyncGenerator<readonly ListedRequest[]> {
  const requests: ListedRequest[] = [];
  for await (const batch of batches) for (const request of batch) requests.push(request);
  requests.sort((one, other) => one.millisecond - other.millisecond);
  for (let from = 0; from < requests.length; from += BATCH_REQUESTS) yield requests.slice(from, from + BATCH_REQUESTS);
}

async function* refuseStepsBack(
  batches: AsyncIterable<readonly ListedRequest[]>,
  { source, deployment }: OrderOptions,
): AsyncGenerator<readonly ListedRequest[]> {
  let latestSecond = 0;
  let latestLine: number | undefined;
  for await (const batch of batches) {
    let index = 0;
    for (const { millisecond, line } of batch) {
      const second = Math.floor(millisecond / 1000);
      if (second < latestSecond) {
        if (index > 0) yield batch.slice(0, index);
        throw new DataError(
          { source, line },
          `${showSecond(second, deployment)} is before ${showSecond(latestSecond, deployment)} of line ${String(latestLine)}`,
          'put the list in order of time, or give --order sort or --order keep',
        );
      }
      latestSecond = second;
      latestLine = line;
      index += 1;
    }
    yield batch;
  }
}

/** A Unix second as a load failure shows it: `DD-Mon-YYYY HH:MM:SS +HHMM`. */
export function showSecond(second: number, deployment: Deployment): string {
  const { timestamp, utcOffset } = stampAt(second, deployment);
  return `${timestamp} ${utcOffset}`;
}
