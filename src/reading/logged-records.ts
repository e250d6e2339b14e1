import type { LogRecord } from '../log/line.js';
import { DeprecationInstants } from './deprecation-instants.js';
import type { Membership, OpenGroup } from './open-group.js';
import { readLog, type ReadLogOptions, type Sink } from './read-log.js';
import type { RecordAtLine } from './record-at-line.js';
import { recordsOf, textsOf, type WholeGroup } from './whole-groups.js';

/** A record of a log, and where it belongs. */
export interface LoggedRecord extends RecordAtLine {
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

interface HeldRecord extends RecordAtLine {
  readonly membership: Membership;
}

class RecordSink implements Sink<LoggedRecord> {
  readonly #moments = new DeprecationInstants();
  /** In the order of lines. From the first one on whose group is not settled, records wait. */
  #held: HeldRecord[] = [];
  #records: LoggedRecord[] = [];
  #groups = 0;
  /** The numbers of groups of which records are held. */
  readonly #numbers = new Map<OpenGroup, number>();

  addRecord({ record, line, text }: RecordAtLine, membership: Membership): void {
    this.#held.push({ record, line, text, membership });
  }

  addGroup(group: OpenGroup): void {
    this.#groups += 1;
    this.#numbers.set(group, this.#groups);
  }

  addWhole(group: WholeGroup, block: Buffer, at: number): void {
    this.#release();
    this.#groups += 1;
    const { line, second } = group;
    const texts = textsOf(group, block, at);
    for (const [index, record] of recordsOf(group).entries()) {
      this.#records.push({ record, line: line + index, text: texts[index] ?? '', group: this.#groups, second });
    }
  }

  drain(): readonly LoggedRecord[] {
    this.#release();
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** Gives what is held, up to the first record whose group is not settled. */
  #release(): void {
    let released = 0;
    for (const { record, line, text, membership } of this.#held) {
      const { group } = membership;
      if (group?.isSettled !== true) break;
      const number = this.#numbers.get(group);
      const isOfGroup = record.kind === 'deprecation' && number !== undefined;
      this.#records.push({ record, line, text, group: number, second: isOfGroup ? group.second : this.#secondOf(record) });
      // The deprecation record of a group is its last.
      if (record.kind === 'deprecation') this.#numbers.delete(group);
      released += 1;
    }
    if (released > 0) this.#held = this.#held.slice(released);
  }

  #secondOf(record: LogRecord): number | undefined {
    return record.kind === 'load_failure' ? record.second : this.#moments.secondsOf(record)[0];
  }
}
