import { countLines, type LineBytes } from '../lines.js';
import { LF } from '../log/byte-string.js';
import { isRecordWithCr } from '../log/line.js';
import type { Grouper } from './grouper.js';
import type { ForeignLine } from './logged.js';
import type { Entry, RecordGroup } from './record-group.js';
import { Tally } from './tally.js';
import type { WholeGroup } from './whole-group.js';

/** Takes the lines of a log, and puts their records into a grouper. */
export interface LogGroups<E extends Entry> {
  readonly grouper: Grouper<E>;
  /** Reads the whole group at an index of a block; returns the length of a group that the block cuts. Called while no group is open. */
  match(bytes: Buffer, at: number, line: number): WholeGroup | number | undefined;
  /** Takes the whole group that `match` gave, whose lines are not added. */
  passWhole(group: WholeGroup): void;
  /** Takes a line, a byte string without its LF. Returns false for a line that is not a record. */
  add(text: string, line: number, hasLf: boolean): boolean;
  /** Takes a group that the grouper gave. */
  passGroup?(group: RecordGroup<E>): void;
  /** The first line whose record waits to be put into the grouper. */
  readonly firstWaitingLine?: number;
  /** Groups the records that can be grouped before more lines come, which may take a while. */
  pause?(): void;
  /** Groups all records that wait. */
  endWait?(): void;
}

/** A group that was found whole in the bytes of a log, and its bytes from an index of a block on. Valid until the next event. */
export interface WholeEvent {
  readonly kind: 'whole';
  readonly group: WholeGroup;
  readonly bytes: Buffer;
  readonly at: number;
}

/** A find in a log: a group, whole or put together from records, or a foreign line. */
type LogEvent<E extends Entry = Entry> =
  | WholeEvent
  | { readonly kind: 'group'; readonly group: RecordGroup<E> }
  | ({ readonly kind: 'foreign'; readonly hasLf: boolean } & ForeignLine);

/** The events of a log: groups in the order of their first records, foreign lines in the order of lines. */
export type LogEvents = Pick<LogReader, 'until' | 'next' | 'giveUp'>;

/** Takes the events that there are, and gives nothing. */
export function drain(events: LogEvents): readonly never[] {
  while (events.next() !== undefined);
  return [];
}

/** The beginning of a group waits for its end up to this length; a longer one is read by its lines. */
const MAX_REST_BYTES = 1 << 16;

const NOTHING = Buffer.alloc(0);

/** Whole lines of the log, or the beginning of an overlong one. */
type Lines = Pick<LineBytes, 'bytes' | 'overlong'>;

/**
 * Reads a log: blocks of whole lines in, events out. Where no group is open, whole groups are compared with what a known deployment
 * writes, which is some ten times as fast as reading their records. The result is the same.
 */
export class LogReader<E extends Entry = Entry> {
  /** The number of lines that have been read. */
  lines = 0;
  /** Lines that are not records. */
  readonly foreign = new Tally();
  /** The number of those that would be records without the CR at their end. */
  foreignWithCr = 0;
  /** The error that `onForeign` threw: the log ends there. */
  failure: { readonly reason: unknown } | undefined;
  readonly #groups: LogGroups<E>;
  readonly #onForeign: ((line: number, text: string) => void) | undefined;
  /** The lines that are being read and those behind them, and the index in the first ones at which reading goes on. */
  #lines: readonly Lines[] = [];
  #at = 0;
  /** What follows those lines: more lines at once, a pause, or the end of the log. */
  #next: 'lines' | 'pause' | 'end' = 'lines';
  /** A copy of the lines at the end of the blocks so far that begin a group, and the number of bytes that it is missing. */
  #rest: Buffer = NOTHING;
  #missing = 0;

  /** @param onForeign is called with each foreign line; an error that it throws ends the log there */
  constructor(groups: LogGroups<E>, onForeign?: (line: number, text: string) => void) {
    this.#groups = groups;
    this.#onForeign = onForeign;
  }

  /** The first line of which something may still be given, but for foreign lines that were. */
  get until(): number {
    const { grouper, firstWaitingLine = Infinity } = this.#groups;
    return Math.min(grouper.firstOpenLine, firstWaitingLine, this.lines + 1);
  }

  /** The number of lines that have been taken, those that wait for the next block too. */
  get linesTaken(): number {
    return this.lines + countLines(this.#rest);
  }

  /**
   * Takes the next block of whole lines; the last line of the log may end without LF. All events of the block before have been taken.
   *
   * @param hasMore false if no more lines come for a while: all events are given that can be before
   */
  add({ bytes, overlong }: LineBytes, hasMore = true): void {
    // To read the group by its lines that two blocks share takes as much time as ten others.
    const canJoin = this.#rest.length > 0 && !overlong;
    const end = canJoin ? bytes.indexOf(LF, this.#missing - 1) + 1 || bytes.length : 0;
    const joined = { bytes: Buffer.concat([this.#rest, bytes.subarray(0, end)]), overlong: false };
    this.#read([joined, { bytes: bytes.subarray(end), overlong }], hasMore ? 'lines' : 'pause');
  }

  /** Has all other events given: nothing more comes. */
  end(): void {
    this.#read([{ bytes: this.#rest, overlong: false }], 'end');
  }

  #read(lines: readonly Lines[], next: 'lines' | 'pause' | 'end'): void {
    this.#lines = lines.filter(({ bytes }) => bytes.length > 0);
    this.#at = 0;
    this.#next = next;
    this.#rest = NOTHING;
  }

  /** The next event; undefined until more of the log has been read. */
  next(): LogEvent<E> | undefined {
    for (;;) {
      const group = this.#groups.grouper.next();
      if (group !== undefined) {
        this.#groups.passGroup?.(group);
        return { kind: 'group', group };
      }
      const lines = this.#lines[0];
      if (lines !== undefined && this.#at < lines.bytes.length) {
        const event = this.#readNext(lines);
        if (event !== undefined) return event;
      } else if (lines !== undefined) {
        this.#lines = this.#lines.slice(1);
        this.#at = 0;
      } else if (this.#next !== 'lines') {
        if (this.#next === 'pause') this.#groups.pause?.();
        else this.giveUp();
        this.#next = 'lines';
      } else {
        return undefined;
      }
    }
  }

  /** Gives up the open groups, so that all is given up to the line that was read last. */
  giveUp(): void {
    this.#groups.endWait?.();
    this.#groups.grouper.giveUp();
  }

  /** Reads a group, a line, or the beginning of a group that the lines cut. */
  #readNext({ bytes, overlong }: Lines): LogEvent<E> | undefined {
    const at = this.#at;
    const group = !overlong && this.#groups.grouper.isIdle ? this.#groups.match(bytes, at, this.lines + 1) : undefined;
    if (typeof group === 'object') {
      this.#at += group.byteLength;
      this.lines += group.constants.recordCount;
      this.#groups.grouper.passWhole();
      this.#groups.passWhole(group);
      return { kind: 'whole', group, bytes, at };
    }
    const isLast = this.#lines.length === 1 && this.#next !== 'end';
    if (group !== undefined && isLast && bytes.length - at <= MAX_REST_BYTES && bytes.at(-1) === LF) {
      this.#rest = Buffer.from(bytes.subarray(at));
      this.#missing = group - this.#rest.length;
      this.#at = bytes.length;
      return undefined;
    }
    const lf = overlong ? -1 : bytes.indexOf(LF, at);
    const hasLf = overlong || lf !== -1;
    const end = lf === -1 ? bytes.length : lf;
    const text = bytes.toString('latin1', at, end);
    this.#at = end + 1;
    this.lines += 1;
    const isRecord = !overlong && this.#groups.add(text, this.lines, hasLf);
    return isRecord ? undefined : this.#passForeign(text, hasLf);
  }

  #passForeign(text: string, hasLf: boolean): LogEvent<E> | undefined {
    this.foreign.add(this.lines);
    if (isRecordWithCr(text)) this.foreignWithCr += 1;
    try {
      this.#onForeign?.(this.lines, text);
    } catch (reason) {
      this.failure = { reason };
      this.end();
      return undefined;
    }
    return { kind: 'foreign', line: this.lines, text, hasLf };
  }
}
