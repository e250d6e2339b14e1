import { loadFailureOf, type LogRecord } from '../log/line.js';
import type { deprecationFields, loadFailureFields } from '../log/record.js';
import type { LoggedRequest } from './logged.js';

/** The parts of a group that are fixed by its deployment. */
export interface GroupConstants {
  /** In reporting order. */
  readonly failures: readonly ReturnType<typeof loadFailureFields>[];
  readonly deprecation: ReturnType<typeof deprecationFields>;
  /** The number of records of a group. */
  readonly recordCount: number;
}

/** A group that stands whole in a block of bytes. */
export interface WholeGroup extends LoggedRequest {
  readonly isCut: false;
  /** The timestamp as if it were UTC, in seconds since 1970-01-01T00:00:00. */
  readonly localSecond: number;
  /** The Unix second of timestamp and offset. */
  readonly second: number;
  readonly byteLength: number;
  readonly constants: GroupConstants;
}

/** The beginning of a group, up to the end of a block of bytes. */
export interface CutGroup {
  readonly isCut: true;
  /** The length of the whole group. */
  readonly byteLength: number;
}

/** The records of a whole group, in order. */
export function recordsOf(group: WholeGroup): readonly LogRecord[] {
  const { timestamp, method, target, localSecond, constants } = group;
  const records: LogRecord[] = constants.failures.map((failure) => loadFailureOf(group, failure, method, target));
  const { timezoneName, runtimeTag, sessionFilePath, lineNumber, dialect } = constants.deprecation;
  records.push({
    kind: 'deprecation',
    timestamp,
    timezoneName,
    runtimeTag,
    sessionFilePath,
    lineNumber,
    dialect,
    localSecond,
  });
  return records;
}

/**
 * The lines of a whole group: byte strings without LFs.
 *
 * @param block the bytes that hold the group
 * @param at the index at which the group begins
 */
export function textsOf({ byteLength }: WholeGroup, block: Buffer, at: number): readonly string[] {
  // The lines are slices of this copy: slices of the block would keep all of it in memory.
  const group = block.toString('latin1', at, at + byteLength);
  const texts: string[] = [];
  for (let from = 0; from < byteLength;) {
    const end = group.indexOf('\n', from);
    texts.push(group.slice(from, end));
    from = end + 1;
  }
  return texts;
}
