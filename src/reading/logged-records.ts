import type { Deprecation, LoadFailure, LogRecord } from '../log/line.js';
import { DeprecationInstants } from './deprecation-instants.js';
import type { Group, Membership } from './open-group.js';
import { readLog, type ReadLogOptions, type Sink } from './read-log.js';
import type { WholeGroup } from './whole-groups.js';

/** A record of a log, and where it belongs. */
export interface LoggedRecord {
  readonly record: LogRecord;
  /** The physical line that it stands on. */
  readonly line: number;
  /** The number (from 1) of its group among the whole ones, in the order of their first records; undefined if that lacks a record. */
  readonly group: number | undefined;
  /**
   * The Unix second that it names. That of a deprecation record is its group's; without a whole group, what its zone tells (in the
   * repeated hour of autumn the first). Undefined if its zone is not known, or has no such time.
   */
  readonly second: number | undefined;
}

/**
 * Reads the records of a log, in the order of its lines, a batch for each piece of input. A record is held back until it is known
 * whether its group is whole.
 *
 * @param chunks the bytes of the log, cut anywhere; a Node stream will do
 * @throws what `onForeign` throws, after the records before it
 */
export function readLoggedRecords(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadLogOptions = {},
): AsyncGenerator<readonly LoggedRecord[]> {
  return readLog(chunks, new RecordSink(), options);
}

interface HeldRecord {
  readonly record: LogRecord;
  readonly line: number;
  readonly membership: Membership | undefined;
}

class RecordSink implements Sink<LoggedRecord> {
  readonly #moments = new DeprecationInstants();
  /** In the order of lines. From the first one on whose group is not settled, records wait. */
  #held: HeldRecord[] = [];
  #records: LoggedRecord[] = [];
  #groups = 0;
  /** The numbers of groups of which records are held. */
  readonly #numbers = new Map<Group, number>();

  addRecord(record: LogRecord, line: number, membership: Membership | undefined): void {
    this.#held.push({ record, line, membership });
  }

  addGroup(group: Group): void {
    this.#groups += 1;
    this.#numbers.set(group, this.#groups);
  }

  addWhole({ records, second, line, ...shown }: WholeGroup): void {
    this.#release();
    this.#groups += 1;
    for (const [index, record] of records.entries()) {
      const own: LogRecord =
        record.kind === 'deprecation'
          ? { ...record, timestamp: shown.timestamp, localSecond: shown.localSecond }
          : {
              ...record,
              timestamp: shown.timestamp,
              utcOffset: shown.utcOffset,
              httpMethod: shown.method,
              requestTarget: shown.target,
              localSecond: shown.localSecond,
              second,
            };
      this.#records.push({ record: own, line: line + index, group: this.#groups, second });
    }
  }

  take(): readonly LoggedRecord[] {
    this.#release();
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** Gives what is held, up to the first record whose group is not settled. */
  #release(): void {
    let released = 0;
    for (const { record, line, membership } of this.#held) {
      const group = membership?.group;
      const number = group === undefined ? undefined : this.#numbers.get(group);
      if (group !== undefined && group.state !== 'given-up' && number === undefined) break;
      const second = record.kind === 'load_failure' ? record.second : this.#secondOf(record, group?.failures[0]);
      this.#records.push({ record, line, group: number, second });
      // The deprecation record of a group is its last.
      if (group !== undefined && record.kind === 'deprecation') this.#numbers.delete(group);
      released += 1;
    }
    if (released > 0) this.#held = this.#held.slice(released);
  }

  #secondOf(deprecation: Deprecation, first: LoadFailure | undefined): number | undefined {
    return first === undefined ? this.#moments.secondsOf(deprecation)[0] : first.second;
  }
}
