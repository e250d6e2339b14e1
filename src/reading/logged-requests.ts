import type { LogBytes } from './log-files.js';
import type { LogEvents } from './log-reader.js';
import type { LoggedRequest } from './logged-request.js';
import { readLog, type ReadLogOptions } from './read-log.js';

/**
 * Reads the requests of a log, one for each whole group, in the order of the groups' first records. Each chunk gives a batch.
 *
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @throws TypeError if the log is neither
 * @throws what `onForeign` throws, after the requests before that line
 */
export function readLoggedRequests(log: LogBytes, options: ReadLogOptions = {}): AsyncGenerator<readonly LoggedRequest[]> {
  return readLog(log, takeRequests, options);
}

function takeRequests(events: LogEvents): readonly LoggedRequest[] {
  const requests: LoggedRequest[] = [];
  for (let event = events.next(); event !== undefined; event = events.next()) {
    if (event.kind === 'whole') {
      requests.push(event.group);
    } else if (event.kind === 'group' && event.group.isWhole && event.group.firstFailure !== undefined) {
      const { second, httpMethod: method, requestTarget: target, timestamp, utcOffset } = event.group.firstFailure;
      requests.push({ line: event.group.firstLine, millisecond: second * 1000, method, target, timestamp, utcOffset });
    }
  }
  return requests;
}
