import { formatRecord, type LogRecord } from '../log/line.js';
import { TIMESTAMP_AT, TIMESTAMP_END, ZONE_AT } from '../log/record.js';
import { parseTimestamp, parseUtcOffset } from '../log/timestamp.js';
import { DeprecationInstants } from './deprecation-instants.js';
import type { ForeignLine, LogReader, WholeEvent } from './log-reader.js';
import type { RecordGroup } from './record-group.js';
import { recordsOf, textsOf, type WholeGroup } from './whole-group.js';

/** A record, and the line that it was read from. */
export interface RecordAtLine {
  readonly record: LogRecord;
  /** The physical line, from 1. */
  readonly line: number;
  /** The text of that line without its LF: a byte string. */
  readonly text: string;
}

/** A record of a log, its line and its group. */
export interface LoggedRecord extends RecordAtLine {
  /** The number of its request, from 1, in the order of first records; undefined where a load failure is missing. */
  readonly group: number | undefined;
  /**
   * The Unix second of the record; of a deprecation record that of its group, else its local time in its zone (the first instant in the
   * repeated hour of autumn); undefined for an unknown zone, and for a time that its clocks skipped.
   */
  readonly second: number | undefined;
}

/** A line of a log that is not a record of it. */
export interface LoggedForeignLine extends ForeignLine {
  /** The Unix second of the stamp that it begins with, as records of other kinds do; undefined for another beginning. */
  readonly second: number | undefined;
}

/** A line of a log: a record, or a line that is not one. */
export type LoggedLine = LoggedRecord | LoggedForeignLine;

/** Open groups are given up when the foreign lines that wait behind them hold more bytes than this. */
const MAX_WAITING_BYTES = 16 << 20;

const LINE_BYTES = 16;

/** Gives the records of a log in the order of lines, with foreign lines (`F`), and what stands for whole groups (`G`). */
export class LoggedLines<F extends ForeignLine = never, G = never> {
  readonly #instants = new DeprecationInstants();
  #held: (LoggedRecord | F)[] = [];
  #waitingBytes = 0;
  #lines: (LoggedRecord | F | G)[] = [];
  #groups = 0;

  constructor(
    private readonly foreignOf?: (foreign: ForeignLine) => F,
    private readonly takeGroup?: (group: WholeGroup, number: number) => G | undefined,
  ) {}

  /** Takes the events that there are, and gives the lines before the first record whose group has not come. */
  take(reader: LogReader): readonly (LoggedRecord | F | G)[] {
    for (const event of reader) {
      if (event.kind === 'whole') this.#addWhole(event);
      else if (event.kind === 'group') this.#addGroup(event.group);
      else if (this.foreignOf !== undefined) this.#addForeign(this.foreignOf(event), reader);
    }
    this.#release(reader.until);
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  #addGroup(group: RecordGroup): void {
    const { isComplete, entries, firstFailure } = group;
    if (isComplete) this.#groups += 1;
    for (const { record, line } of entries) {
      const ofGroup = isComplete ? firstFailure?.second : undefined;
      const second = record.kind === 'load_failure' ? record.second : (ofGroup ?? this.#instants.secondsOf(record)[0]);
      this.#held.push({ record, line, text: formatRecord(record), group: isComplete ? this.#groups : undefined, second });
    }
  }

  #addWhole({ group, bytes, at }: WholeEvent): void {
    this.#release(group.line);
    this.#groups += 1;
    const taken = this.takeGroup?.(group, this.#groups);
    if (taken !== undefined) {
      this.#lines.push(taken);
      return;
    }
    const texts = textsOf(group, bytes, at);
    for (const [index, record] of recordsOf(group).entries()) {
      const [line, text] = [group.line + index, texts[index] ?? ''];
      this.#lines.push({ record, line, text, group: this.#groups, second: group.second });
    }
  }

  #addForeign(foreign: F, reader: LogReader): void {
    this.#held.push(foreign);
    this.#waitingBytes += foreign.text.length + LINE_BYTES;
    if (this.#waitingBytes <= MAX_WAITING_BYTES) return;
    this.#release(reader.until);
    if (this.#waitingBytes > MAX_WAITING_BYTES) reader.giveUp();
  }

  #release(until: number): void {
    if (this.#held.length === 0) return;
    const released = this.#held.filter(({ line }) => line < until).sort((one, other) => one.line - other.line);
    this.#held = this.#held.filter(({ line }) => line >= until);
    for (const logged of released) {
      if (!('record' in logged)) this.#waitingBytes -= logged.text.length + LINE_BYTES;
      this.#lines.push(logged);
    }
  }
}

export function stampForeignLines(): (foreign: ForeignLine) => LoggedForeignLine {
  const instants = new DeprecationInstants();
  return ({ line, text }) => ({ line, text, second: secondOf(text, instants) });
}

/** The second of a stamp with an offset, as a load failure's (2.1), or the name of a zone, as a deprecation record's (2.2). */
function secondOf(text: string, instants: DeprecationInstants): number | undefined {
  if (!text.startsWith('[') || text[TIMESTAMP_END] !== ' ') return undefined;
  const localSecond = parseTimestamp(text, TIMESTAMP_AT);
  if (Number.isNaN(localSecond)) return undefined;
  const offset = parseUtcOffset(text, ZONE_AT);
  if (!Number.isNaN(offset)) return localSecond - offset;
  const timezoneName = text.slice(ZONE_AT, Math.max(ZONE_AT, text.indexOf(']')));
  return instants.secondsOf({ timezoneName, localSecond })[0];
}
