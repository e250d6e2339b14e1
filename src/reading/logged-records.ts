import type { LogRecord } from '../log/line.js';
import { DeprecationInstants } from './deprecation-instants.js';
import type { Membership, OpenGroup } from './open-group.js';
import { readLog, type ReadLogOptions, type Sink } from './read-log.js';
import type { RecordAtLine } from './record-at-line.js';
import { recordsOf, textsOf, type WholeGroup } from './whole-group.js';

/** A record of a log, its line and its group. */
export interface LoggedRecord extends RecordAtLine {
  /** The number of its group, from 1, among the whole groups in the order of their first records; undefined for an incomplete group. */
  readonly group: number | undefined;
  /**
   * The Unix second of the record. A deprecation record of a whole group has that of the group. Elsewhere its local time is converted by
   * its zone (to the first instant in the repeated hour of autumn); undefined for an unknown zone, and for a time that its clocks skipped.
   */
  readonly second: number | undefined;
}

/**
 * Reads the records of a log, in the order of its lines. Each chunk gives a batch. Records are held back until their group is found to
 * be whole or incomplete.
 *
 * @param chunks the bytes of the log, cut anywhere; a Node stream will do
 * @throws what `onForeign` throws, after the records before that line
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
  readonly #instants = new DeprecationInstants();
  /** In the order of lines, from the first record on whose group is still open. */
  #held: HeldRecord[] = [];
  #records: LoggedRecord[] = [];
  #groups = 0;
  /** The numbers of the groups whose records are held. */
  readonly #numbers = new Map<OpenGroup, number>();

  addRecord({ record, line, text }: RecordAtLine, membership: Membership): void {
    this.#held.push({ record, line, text, membership });
  }

  addGroup(group: OpenGroup): void {
    this.#groups += 1;
    this.#numbers.set(group, this.#groups);
  }

  addWholeGroup(group: WholeGroup, block: Buffer, at: number): void {
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

  /** Releases held records, up to the first whose group is still open. */
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
    return record.kind === 'load_failure' ? record.second : this.#instants.secondsOf(record)[0];
  }
}
