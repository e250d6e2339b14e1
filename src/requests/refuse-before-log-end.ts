import { DataError, placeIn } from '../errors.js';
import type { Deployment } from '../log/deployment.js';
import type { Batches, LogRequest } from '../log/group.js';
import { escapeText } from '../wording.js';
import { formatSecond } from './order.js';

/** The end of a log that is appended to. */
interface LogEnd {
  /** The Unix second of the log's last load-failure record. */
  readonly second: number;
  readonly file: string;
}

/** The words of the error. */
interface RefusalOptions {
  /** The name of the list in messages. */
  readonly source: string;
  /** The deployment on whose clock messages show the times. */
  readonly deployment: Deployment;
  readonly remedy: string;
}

/**
 * Gives requests unchanged, but refuses a first request that is earlier than the end of the log: the log is in order of seconds
 * (6.4).
 *
 * @throws DataError if the first request is earlier than the log's last load failure
 */
export async function* refuseBeforeLogEnd<T extends LogRequest>(
  batches: Batches<T>,
  { second, file }: LogEnd,
  { source, deployment, remedy }: RefusalOptions,
): AsyncGenerator<readonly T[]> {
  let isFirst = true;
  for await (const batch of batches) {
    const [first] = batch;
    if (isFirst && first !== undefined) {
      isFirst = false;
      const firstSecond = Math.floor(first.millisecond / 1000);
      if (firstSecond < second) {
        const times = `${formatSecond(firstSecond, deployment)} is before ${formatSecond(second, deployment)}`;
        throw new DataError(placeIn(source, first.line), `${times} of the last load failure in ${escapeText(file)}`, remedy);
      }
    }
    yield batch;
  }
}
