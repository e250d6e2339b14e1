import { requireBatch, requireBatches, requireOneOf, requireOptions, requireText, type OptionChecks } from '../arguments.js';
import { DataError, formatPlace } from '../errors.js';
import { copyBytes } from '../log/byte-string.js';
import type { Deployment } from '../log/deployment.js';
import type { Batches, LogRequest } from '../log/group.js';
import { formatStamp, stampAt } from '../log/timestamp.js';
import { escapeText, namesOf, type Kinds } from '../wording.js';

export const ORDERS = {
  strict: { meaning: 'refuse a step back to an earlier second' },
  sort: { meaning: 'sort the whole list by time' },
  keep: { meaning: 'keep the order of the list' },
} as const satisfies Kinds;
/** The way to handle a request that is earlier than the request before it: refuse, sort, or keep. */
export type Order = keyof typeof ORDERS;

const BATCH_REQUESTS = 1024;

/** Options of `orderRequests`. */
export interface OrderOptions {
  readonly order: Order;
  /** The name of the list in messages. */
  readonly source: string;
  /** The deployment on whose clock messages show the times. */
  readonly deployment: Deployment;
}

/**
 * Orders requests: `strict` refuses a step back to an earlier second (6.4), `sort` is a stable sort by millisecond (in memory), `keep`
 * changes nothing.
 * @throws TypeError for a batch that is not an array, and for an unknown option or order
 * @throws DataError at a step back under `strict`, after the requests before it have been given
 */
export async function* orderRequests<T extends LogRequest>(
  batches: Batches<T>,
  options: OrderOptions,
): AsyncGenerator<readonly T[]> {
  requireOptions(options, 'options', ORDER_OPTIONS);
  requireOneOf(namesOf(ORDERS))(options.order, 'options.order');
  requireBatches(batches);
  if (options.order === 'sort') yield* sortRequests(batches);
  else if (options.order === 'strict') yield* refuseSteps(batches, options);
  else
    for await (const batch of batches) {
      requireBatch(batch);
      yield batch;
    }
}

const ORDER_OPTIONS: OptionChecks<keyof OrderOptions> = {
  // Required, so checked separately.
  order: () => undefined,
  source: requireText,
  deployment: () => undefined,
};

const MAX_SHARED_TARGETS = 4096;

async function* sortRequests<T extends LogRequest>(batches: Batches<T>): AsyncGenerator<readonly T[]> {
  const requests: T[] = [];
  // Most targets occur many times: one text serves all.
  const targets = new Map<string, string>();
  for await (const batch of batches) {
    requireBatch(batch);
    for (const request of batch) {
      // Not a slice, which would keep its block of input in memory.
      const target = targets.get(request.target) ?? copyBytes(request.target);
      if (targets.size < MAX_SHARED_TARGETS) targets.set(target, target);
      requests.push({ ...request, target });
    }
  }
  requests.sort((left, right) => left.millisecond - right.millisecond);
  for (let from = 0; from < requests.length; from += BATCH_REQUESTS) yield requests.slice(from, from + BATCH_REQUESTS);
}

/**
 * Passes requests on, up to a step back to an earlier second (6.4). @param logEnd the last second of a log that they are appended to
 * @throws DataError
 */
export async function* refuseSteps<T extends LogRequest>(
  batches: Batches<T>,
  { source, deployment }: Omit<OrderOptions, 'order'>,
  logEnd?: { readonly second: number; readonly file: string },
): AsyncGenerator<readonly T[]> {
  let latest: T | undefined;
  let latestSecond = logEnd?.second ?? 0;
  for await (const batch of batches) {
    requireBatch(batch);
    let index = 0;
    for (const request of batch) {
      const second = Math.floor(request.millisecond / 1000);
      if (second < latestSecond) {
        if (index > 0) yield batch.slice(0, index);
        const [now, then] = [second, latestSecond].map((each) => formatStamp(stampAt(each, deployment)));
        const file = latest === undefined ? logEnd?.file : undefined;
        const before = file === undefined ? nameBefore(latest, request) : `the last load failure in ${escapeText(file)}`;
        const remedy = file === undefined ? 'sort the list by time' : 'name another file';
        throw new DataError(
          { source: request.source ?? source, line: request.line },
          `${String(now)} is before ${String(then)} of ${before}`,
          (option) =>
            `${remedy}, or give ${file === undefined ? `${option('order', 'sort')} or ` : ''}${option('order', 'keep')}`,
        );
      }
      latest = request;
      latestSecond = second;
      index += 1;
    }
    yield batch;
  }
}

function nameBefore(before: LogRequest | undefined, { source }: LogRequest): string {
  if (before?.line === undefined) return 'the request before it';
  const line = `line ${String(before.line)}`;
  return before.source === undefined || before.source === source ? line : `${line} of ${formatPlace({ source: before.source })}`;
}
