import { groupOf, type Group } from './record-group.js';
import type { LogBytes } from './log-files.js';
import type { LogEvents } from './log-reader.js';
import type { LoggedLine, LoggedRecord, LoggedRequest } from './logged.js';
import { LoggedLines, stampForeignLines } from './logged-lines.js';
import { readLog, type ReadLogOptions } from './read-log.js';

/**
 * Reads the requests of a log, one for each whole group, in the order of the groups' first records. Each block gives a batch.
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

/**
 * Reads the records of a log, in the order of its lines. Each block gives a batch. Records are held back until their group is found to
 * be whole or incomplete.
 *
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @throws TypeError if the log is neither
 * @throws what `onForeign` throws, after the records before that line
 */
export function readLoggedRecords(log: LogBytes, options: ReadLogOptions = {}): AsyncGenerator<readonly LoggedRecord[]> {
  return readLog(log, new LoggedLines().take, options);
}

/** Reads all lines of a log as `readLoggedRecords` reads its records: foreign lines are among them, in the order of lines. */
export function readLoggedLines(log: LogBytes, options: ReadLogOptions = {}): AsyncGenerator<readonly LoggedLine[]> {
  return readLog(log, new LoggedLines(stampForeignLines()).take, options);
}

/**
 * Reads a log up to its first whole group: of the whole groups, the one whose first record stands first.
 *
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @returns undefined for a log without a whole group
 * @throws TypeError if the log is neither
 * @throws what `onForeign` throws
 */
export async function findFirstGroup(log: LogBytes, options: ReadLogOptions = {}): Promise<Group | undefined> {
  for await (const [first] of readLog(log, takeGroups, options)) if (first !== undefined) return first;
  return undefined;
}

/** Gives the groups that were put together from records: the first group always is. */
function takeGroups(events: LogEvents): readonly Group[] {
  const groups: Group[] = [];
  for (let event = events.next(); event !== undefined; event = events.next()) {
    const group = event.kind === 'group' ? groupOf(event.group) : undefined;
    if (group !== undefined) groups.push(group);
  }
  return groups;
}
