import { DataError } from '../errors.js';
import type { Deployment } from '../log/deployment.js';
import type { Batches, LogRequest } from '../log/group.js';
import { escapeText } from '../wording.js';
import { showSecond } from './order.js';

/** A log that is appended to, and where it has come to. */
interface LogEnd {
  /** The Unix second of its last load-failure record. */
  readonly second: number;
  readonly file: string;
}

/** How an error about the first request is worded. */
interface FollowOptions {
  /** What messages call the list. */
  readonly source: string;
  /** On whose clock messages show the times. */
  readonly deployment: Deployment;
  readonly remedy: string;
}

/**
 * Passes requests on that follow on what a log holds: the log is in order of seconds (6.4).
 *
 * @throws DataError if the first request is earlier than the log's last load failure
 */
export async function* refuseBeforeLogEnd<T extends LogRequest>(
  batches: Batches<T>,
  { second, file }: LogEnd,
  { source, deployment, remedy }: FollowOptions,
): AsyncGenerator<readonly T[]> {
  let isFirst = true;
  for await (const batch of batches) {
    const [first] = batch;
    if (isFirst && first !== undefined) {
      isFirst = false;
      const firstSecond = Math.floor(first.millisecond / 1000);
      if (firstSecond < second) {
        const times = `${showSecond(firstSecond, deployment)} is before ${showSecond(second, deployment)}`;
        const place = first.line === undefined ? { source } : { source, line: first.line };
        throw new DataError(place, `${times} of the last load failure in ${escapeText(file)}`, remedy);
      }
    }
    yield batch;
  }
}
