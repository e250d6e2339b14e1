import { recordCountOf, type LogRequest } from '../log/group.js';
import { loadFailureOf, type LogRecord } from '../log/line.js';
import type { Deployment } from '../log/deployment.js';
import { deprecationFields, loadFailureFields } from '../log/record.js';
import type { Stamp } from '../log/timestamp.js';

/** The request of a group whose load failures are all there. Its time is that of the first record, in whole seconds. */
export interface LoggedRequest extends LogRequest, Stamp {
  /** The physical line of the group's first record. */
  readonly line: number;
}

export interface GroupConstants {
  readonly failures: readonly ReturnType<typeof loadFailureFields>[];
  readonly deprecation: ReturnType<typeof deprecationFields> | undefined;
  readonly recordCount: number;
}

export function constantsOf(deployment: Deployment): GroupConstants {
  const { plugins } = deployment;
  return {
    failures: plugins.map((name) => loadFailureFields(deployment, name)),
    deprecation: deployment.deprecation ? deprecationFields(deployment) : undefined,
    recordCount: recordCountOf(deployment),
  };
}

/** A group that stands whole in a block of bytes. */
export interface WholeGroup extends LoggedRequest {
  /** The second of its timestamp as if that were UTC, and the Unix second. */
  readonly localSecond: number;
  readonly second: number;
  readonly sessionId?: string;
  readonly byteLength: number;
  readonly constants: GroupConstants;
}

export function lastLineOf({ line, constants }: WholeGroup): number {
  return line + constants.recordCount - 1;
}

export function recordsOf(group: WholeGroup): readonly LogRecord[] {
  const { timestamp, method, target, localSecond, constants, sessionId } = group;
  const records: LogRecord[] = constants.failures.map((failure) => loadFailureOf(group, failure, method, target, sessionId));
  if (constants.deprecation !== undefined)
    records.push({ kind: 'deprecation', timestamp, ...constants.deprecation, localSecond });
  return records;
}

/** The lines of a group at an index of a block: byte strings without LFs. */
export function textsOf({ byteLength }: WholeGroup, block: Buffer, at: number): readonly string[] {
  // The lines are slices of this copy: slices of the block would keep all of it in memory.
  return block.toString('latin1', at, at + byteLength - 1).split('\n');
}
