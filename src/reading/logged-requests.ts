import type { LogBytes } from './log-files.js';
import type { OpenGroup } from './open-group.js';
import type { LoggedRequest } from './logged-request.js';
import { readLog, type ReadLogOptions } from './read-log.js';
import type { Sink } from './sink.js';
import type { WholeGroup } from './whole-group.js';

/**
 * Reads the requests of a log, one for each whole group, in the order of the groups' first records. Each chunk gives a batch.
 *
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @throws TypeError if the log is neither
 * @throws what `onForeign` throws, after the requests before that line
 */
export function readLoggedRequests(log: LogBytes, options: ReadLogOptions = {}): AsyncGenerator<readonly LoggedRequest[]> {
  return readLog(log, new RequestSink(), options);
}

class RequestSink implements Sink<LoggedRequest> {
  #requests: LoggedRequest[] = [];

  addRecord(): void {
    // Its group follows, if that is whole.
  }

  addGroup({ firstFailure: first, firstLine: line }: OpenGroup): void {
    if (first === undefined) return;
    const { second, httpMethod: method, requestTarget: target, timestamp, utcOffset } = first;
    this.#requests.push({ line, millisecond: second * 1000, method, target, timestamp, utcOffset });
  }

  addWholeGroup(group: WholeGroup): void {
    this.#requests.push(group);
  }

  drain(): readonly LoggedRequest[] {
    const requests = this.#requests;
    this.#requests = [];
    return requests;
  }
}
