import { LogFiles } from '../../src/reading/log-files.js';
import type { LoggedRecord } from '../../src/reading/logged-lines.js';
import { readLoggedRecords, readLoggedRequests } from '../../src/reading/parse.js';
import type { PassedOver } from '../../src/reading/passed-over.js';
import type { LoggedRequest } from '../../src/reading/whole-group.js';
import { WholeGroupMatcher } from '../../src/reading/whole-group-matcher.js';
import { chunksOf, collect } from './bytes.js';

/** Files of a log, byte strings, named `1`, `2`, … in the order in which they are read. */
export function filesOf(...logs: readonly string[]): LogFiles {
  return new LogFiles(logs.map((log, index) => ({ source: String(index + 1), chunks: chunksOf(log) })));
}

/** A file, a byte string, whose bytes end in an error. */
export async function* failing(log: string, error: Error): AsyncGenerator<Uint8Array> {
  yield* chunksOf(log);
  throw error;
}

/** The requests of a log, a byte string, and what was passed over. */
export async function readBack(
  log: string,
  cuts: readonly number[] = [],
): Promise<{ requests: readonly LoggedRequest[]; passedOver: PassedOver }> {
  const ends: PassedOver[] = [];
  const requests = (await collect(readLoggedRequests(chunksOf(log, cuts), { onEnd: (end) => ends.push(end) }))).flat();
  const [passedOver] = ends;
  if (passedOver === undefined) throw new Error('the log has not ended');
  return { requests, passedOver };
}

export async function recordsIn(log: string, cuts: readonly number[] = []): Promise<readonly LoggedRecord[]> {
  return (await collect(readLoggedRecords(chunksOf(log, cuts)))).flat();
}

/** Reads a log record by record: no group is compared whole. The mutation run has no mocks of Jest. */
export async function byRecords<T>(read: () => Promise<T>): Promise<T> {
  const match = Object.getOwnPropertyDescriptor(WholeGroupMatcher.prototype, 'match') ?? {};
  Object.defineProperty(WholeGroupMatcher.prototype, 'match', { ...match, value: () => undefined });
  try {
    return await read();
  } finally {
    Object.defineProperty(WholeGroupMatcher.prototype, 'match', match);
  }
}
