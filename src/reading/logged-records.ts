import type { LogRecord } from '../log/line.js';
import { TIMESTAMP_AT, TIMESTAMP_END, ZONE_AT } from '../log/record.js';
import { parseTimestamp, parseUtcOffset } from '../log/timestamp.js';
import { DeprecationInstants } from './deprecation-instants.js';
import type { LogBytes } from './log-files.js';
import type { Membership, OpenGroup } from './open-group.js';
import { readLog, type ReadLogOptions } from './read-log.js';
import type { Sink } from './sink.js';
import type { ForeignLine, RecordAtLine } from './record-at-line.js';
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
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @throws TypeError if the log is neither
 * @throws what `onForeign` throws, after the records before that line
 */
export function readLoggedRecords(log: LogBytes, options: ReadLogOptions = {}): AsyncGenerator<readonly LoggedRecord[]> {
  return readLog(log, new RecordSink(), options);
}

/** A line of a log that is not a record of it. */
export interface LoggedForeignLine extends ForeignLine {
  /** The Unix second of the stamp that it begins with, as records of other kinds do; undefined for another beginning. */
  readonly second: number | undefined;
}

/** A line of a log: a record, or a line that is not one. */
export type LoggedLine = LoggedRecord | LoggedForeignLine;

/** Reads all lines of a log as `readLoggedRecords` reads its records: foreign lines are among them, in the order of lines. */
export function readLoggedLines(log: LogBytes, options: ReadLogOptions = {}): AsyncGenerator<readonly LoggedLine[]> {
  return readLog(log, new LineSink(), options);
}

interface HeldRecord extends RecordAtLine {
  readonly membership: Membership;
}

/** @typeParam F the foreign lines that are among the records: none by default */
class RecordSink<F extends ForeignLine = never> implements Sink<LoggedRecord | F> {
  readonly #instants = new DeprecationInstants();
  /** In the order of lines, from the first record on whose group is still open. */
  #held: (HeldRecord | F)[] = [];
  #lines: (LoggedRecord | F)[] = [];
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
      this.#lines.push({ record, line: line + index, text: texts[index] ?? '', group: this.#groups, second });
    }
  }

  drain(): readonly (LoggedRecord | F)[] {
    this.#release();
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** Takes a line that is given among the records, in the order of lines. */
  protected hold(foreign: F): void {
    this.#held.push(foreign);
  }

  /** Releases held records, up to the first whose group is still open. */
  #release(): void {
    let released = 0;
    for (const held of this.#held) {
      if (!('membership' in held)) {
        this.#lines.push(held);
        released += 1;
        continue;
      }
      const { record, line, text, membership } = held;
      const { group } = membership;
      if (group?.isSettled !== true) break;
      const number = this.#numbers.get(group);
      const isOfGroup = record.kind === 'deprecation' && number !== undefined;
      this.#lines.push({ record, line, text, group: number, second: isOfGroup ? group.second : this.#secondOf(record) });
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

class LineSink extends RecordSink<LoggedForeignLine> {
  readonly #instants = new DeprecationInstants();

  addForeign({ line, text }: ForeignLine): void {
    this.hold({ line, text, second: this.#secondOf(text) });
  }

  /** A stamp has an offset, as a load failure's (2.1), or the name of a zone, as a deprecation record's (2.2). */
  #secondOf(text: string): number | undefined {
    if (!text.startsWith('[') || text[TIMESTAMP_END] !== ' ') return undefined;
    const localSecond = parseTimestamp(text, TIMESTAMP_AT);
    if (Number.isNaN(localSecond)) return undefined;
    const offset = parseUtcOffset(text, ZONE_AT);
    if (!Number.isNaN(offset)) return localSecond - offset;
    const timezoneName = text.slice(ZONE_AT, Math.max(ZONE_AT, text.indexOf(']')));
    // The zone of PHP's messages at its start, before it has read its configuration.
    if (timezoneName === 'UTC') return localSecond;
    return this.#instants.secondsOf({ timezoneName, localSecond })[0];
  }
}
