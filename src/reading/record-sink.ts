import type { LogRecord } from '../log/line.js';
import { TIMESTAMP_AT, TIMESTAMP_END, ZONE_AT } from '../log/record.js';
import { parseTimestamp, parseUtcOffset } from '../log/timestamp.js';
import { DeprecationInstants } from './deprecation-instants.js';
import type { LoggedForeignLine, LoggedRecord } from './logged-record.js';
import type { Membership, OpenGroup } from './open-group.js';
import type { ForeignLine, RecordAtLine } from './record-at-line.js';
import type { Sink } from './sink.js';
import { recordsOf, textsOf, type WholeGroup } from './whole-group.js';

interface HeldRecord extends RecordAtLine {
  readonly membership: Membership;
}

/**
 * Makes something of a group that was matched whole, instead of its records. Undefined for a group whose records are to be given.
 *
 * @param number the number of the group, as `LoggedRecord` has it
 */
export type TakeGroup<G> = (group: WholeGroup, number: number) => G | undefined;

/**
 * Gives the records of a log in the order of its lines.
 *
 * @typeParam F the foreign lines that are among the records: none by default
 * @typeParam G what stands for the records of a whole group: nothing by default
 */
export class RecordSink<F extends ForeignLine = never, G = never> implements Sink<LoggedRecord | F | G> {
  readonly #takeGroup: TakeGroup<G> | undefined;
  readonly #instants = new DeprecationInstants();
  /** In the order of lines, from the first record on whose group is still open. */
  #held: (HeldRecord | F)[] = [];
  #lines: (LoggedRecord | F | G)[] = [];
  #groups = 0;
  /** The numbers of the groups whose records are held. */
  readonly #numbers = new Map<OpenGroup, number>();

  constructor(takeGroup?: TakeGroup<G>) {
    this.#takeGroup = takeGroup;
  }

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
    const taken = this.#takeGroup?.(group, this.#groups);
    if (taken !== undefined) {
      this.#lines.push(taken);
      return;
    }
    const { line, second } = group;
    const texts = textsOf(group, block, at);
    for (const [index, record] of recordsOf(group).entries()) {
      this.#lines.push({ record, line: line + index, text: texts[index] ?? '', group: this.#groups, second });
    }
  }

  drain(): readonly (LoggedRecord | F | G)[] {
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

/** Gives the foreign lines of a log among its records. */
export class LineSink<G = never> extends RecordSink<LoggedForeignLine, G> {
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
