import { LF } from '../log/byte-string.js';
import { isRecordWithCr } from '../log/line.js';
import type { BrokenGroups } from './broken-groups.js';
import type { LogBlock } from './log-files.js';
import type { ForeignLine } from './logged.js';
import type { Entry, RecordGroup } from './record-group.js';
import { Tally } from './tally.js';
import type { CutGroup, WholeGroup } from './whole-group.js';

/** Takes the lines of a log, and gives the groups that their records make. */
export interface LogGroups<E extends Entry> {
  /** True while no group is open, so that a group that stands whole in the log can be taken unchanged. */
  readonly isIdle: boolean;
  /** The first line of the groups that have not been given. */
  readonly firstOpenLine: number;
  /** Reads the whole group at an index of a block, or the beginning of one that the block cuts. Called while idle. */
  match(bytes: Buffer, at: number, line: number): WholeGroup | CutGroup | undefined;
  /** Takes note of the whole group that `match` gave. */
  passWhole(group: WholeGroup): void;
  /** Takes a line, a byte string without its LF. Returns false for a line that is not a record. */
  add(text: string, line: number, hasLf: boolean): boolean;
  /** The next group that no more records join, in the order of first records; undefined for none. */
  next(): RecordGroup<E> | undefined;
  /** Takes note that nothing more comes for a while. */
  pause(): void;
  /** Gives up the open groups. */
  giveUp(): void;
}

/** A group that was found whole in the bytes of a log, and its bytes from an index of a block on. Valid until the next event. */
export interface WholeEvent {
  readonly kind: 'whole';
  readonly group: WholeGroup;
  readonly bytes: Buffer;
  readonly at: number;
}

/** A find in a log: a group, whole or put together from records, or a foreign line. */
export type LogEvent<E extends Entry = Entry> =
  | WholeEvent
  | { readonly kind: 'group'; readonly group: RecordGroup<E> }
  | ({ readonly kind: 'foreign'; readonly hasLf: boolean } & ForeignLine);

/** The events of a log: groups in the order of their first records, foreign lines in the order of lines. */
export interface LogEvents<E extends Entry = Entry> {
  /** The first line of which something may still be given, but for foreign lines that were. */
  readonly until: number;
  /** The next event; undefined until more of the log has been read. */
  next(): LogEvent<E> | undefined;
  /** Gives up the open groups, so that all is given up to the line that was read last. */
  giveUp(): void;
}

/** Takes the events that there are, and gives nothing. */
export function drain(events: LogEvents): readonly never[] {
  while (events.next() !== undefined);
  return [];
}

/** The beginning of a group waits for its end up to this length; a longer one is read by its lines. */
const MAX_REST_BYTES = 1 << 16;

const NOTHING = Buffer.alloc(0);

/** Lines of the log that are to be read, or what is to be done when all lines before have been. */
type Segment = Pick<LogBlock, 'bytes' | 'overlong'> | 'pause' | 'end';

/**
 * Reads a log: blocks of whole lines in, events out. Where no group is open, whole groups are compared with what a known deployment
 * writes, which is some ten times as fast as reading their records. The result is the same.
 */
export class LogReader<E extends Entry = Entry> implements LogEvents<E> {
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
  readonly #broken: BrokenGroups | undefined;
  #segments: Segment[] = [];
  /** The index in the first segment at which reading goes on. */
  #at = 0;
  /** A copy of the lines at the end of the blocks so far that begin a group, and the number of bytes that it is missing. */
  #rest: Buffer = NOTHING;
  #missing = 0;

  /**
   * @param onForeign is called with each foreign line; an error that it throws ends the log there
   * @param broken counts the groups that are missing a record, which takes time
   */
  constructor(groups: LogGroups<E>, onForeign?: (line: number, text: string) => void, broken?: BrokenGroups) {
    this.#groups = groups;
    this.#onForeign = onForeign;
    this.#broken = broken;
  }

  get until(): number {
    return Math.min(this.#groups.firstOpenLine, this.lines + 1);
  }

  /** Takes the next block of whole lines; the last line of the log may end without LF. All events of the block before have been taken. */
  add({ bytes, overlong, endsFile = false }: LogBlock): void {
    if (this.#rest.length === 0 || overlong || endsFile) {
      this.#push({ bytes, overlong });
      return;
    }
    // To read the group by its lines that two blocks share takes as much time as ten others.
    const end = bytes.indexOf(LF, this.#missing - 1) + 1 || bytes.length;
    this.#rest = Buffer.concat([this.#rest, bytes.subarray(0, end)]);
    this.#push(end < bytes.length ? { bytes: bytes.subarray(end), overlong } : undefined);
  }

  next(): LogEvent<E> | undefined {
    const groups = this.#groups;
    for (;;) {
      const group = groups.next();
      if (group !== undefined) {
        if (!group.isWhole) this.#broken?.add(group);
        return { kind: 'group', group };
      }
      const [segment] = this.#segments;
      if (segment === undefined) return undefined;
      if (typeof segment === 'string') {
        this.#segments.shift();
        if (segment === 'pause') groups.pause();
        else groups.giveUp();
        continue;
      }
      const event = this.#readNext(segment);
      if (event !== undefined) return event;
    }
  }

  /** Has all events given that can be before more of the log comes. */
  pause(): void {
    this.#push('pause');
  }

  /** Has all other events given: nothing more comes. */
  end(): void {
    this.#push('end');
  }

  giveUp(): void {
    this.#groups.giveUp();
  }

  /** Adds the lines that were kept as a segment, and another one behind it. */
  #push(segment: Segment | undefined): void {
    if (this.#rest.length > 0) this.#segments.push({ bytes: this.#rest, overlong: false });
    this.#rest = NOTHING;
    if (segment !== undefined) this.#segments.push(segment);
  }

  /** Reads a group, a line, or the end of a segment. */
  #readNext({ bytes, overlong }: Exclude<Segment, string>): LogEvent<E> | undefined {
    const at = this.#at;
    if (at >= bytes.length) {
      this.#segments.shift();
      this.#at = 0;
      return undefined;
    }
    const group = !overlong && this.#groups.isIdle ? this.#groups.match(bytes, at, this.lines + 1) : undefined;
    if (group?.isCut === false) {
      this.#at = at + group.byteLength;
      this.lines += group.constants.recordCount;
      this.#groups.passWhole(group);
      return { kind: 'whole', group, bytes, at };
    }
    if (group !== undefined && this.#keep(group, bytes.subarray(at))) {
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
      this.#segments = ['end'];
      this.#at = 0;
      return undefined;
    }
    return { kind: 'foreign', line: this.lines, text, hasLf };
  }

  /** Keeps a copy of the whole lines at the end of the last lines if they begin a group. */
  #keep({ byteLength }: CutGroup, lines: Buffer): boolean {
    const [, next = 'pause'] = this.#segments;
    if (next !== 'pause' || lines.length > MAX_REST_BYTES || lines.at(-1) !== LF) return false;
    this.#rest = Buffer.from(lines);
    this.#missing = byteLength - lines.length;
    return true;
  }
}
