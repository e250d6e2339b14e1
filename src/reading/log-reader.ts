import { LF } from '../log/byte-string.js';
import type { LogBlock } from './log-files.js';
import type { ForeignLine } from './logged-record.js';
import type { Entry, RecordGroup } from './record-group.js';
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

/** What is found in a log. A group of records may be whole or broken. */
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

/** Bytes that are to be read. */
interface Segment {
  readonly bytes: Buffer;
  /** `lines`: no whole group stands in them; `overlong`: the beginning of a single line that is too long. */
  readonly kind: 'groups' | 'lines' | 'overlong';
}

/**
 * Reads a log: blocks of whole lines in, events out. Where no group is open, whole groups are compared with what a known deployment
 * writes, which is some ten times as fast as reading their records. The result is the same.
 */
export class LogReader<E extends Entry = Entry> implements LogEvents<E> {
  /** The number of lines that have been read. */
  lines = 0;
  readonly #groups: LogGroups<E>;
  #segments: Segment[] = [];
  /** The index in the first segment at which reading goes on. */
  #at = 0;
  /** A copy of the lines at the end of the blocks so far that begin a group, and the number of bytes that it is missing. */
  #rest: Buffer = NOTHING;
  #missing = 0;
  /** True if nothing more comes for a while; `groups` are told when all has been read. */
  #isPausing = false;
  #isEnding = false;
  /** Used again for each whole group. */
  #whole: { readonly kind: 'whole'; group: WholeGroup; bytes: Buffer; at: number } | undefined;

  constructor(groups: LogGroups<E>) {
    this.#groups = groups;
  }

  get until(): number {
    return Math.min(this.#groups.firstOpenLine, this.lines + 1);
  }

  /** Takes the next block of whole lines; the last line of the log may end without LF. All events of the block before have been taken. */
  add({ bytes, overlong, endsFile = false }: LogBlock): void {
    const rest = this.#rest;
    if (overlong || endsFile) this.#flushRest();
    if (overlong) this.#segments.push({ bytes, kind: 'overlong' });
    else if (rest.length === 0 || bytes.length === 0) this.#segments.push({ bytes, kind: 'groups' });
    else this.#addToRest(rest, bytes);
  }

  next(): LogEvent<E> | undefined {
    const groups = this.#groups;
    for (;;) {
      const group = groups.next();
      if (group !== undefined) return { kind: 'group', group };
      const [segment] = this.#segments;
      if (segment === undefined) {
        if (!this.#isPausing && !this.#isEnding) return undefined;
        if (this.#isPausing) groups.pause();
        else groups.giveUp();
        this.#isPausing = false;
        this.#isEnding = false;
        continue;
      }
      const event = this.#readNext(segment);
      if (event !== undefined) return event;
    }
  }

  /** Has all events given that can be before more of the log comes. */
  pause(): void {
    this.#flushRest();
    this.#isPausing = true;
  }

  /** Has all other events given: nothing more comes. */
  end(): void {
    this.#flushRest();
    this.#isEnding = true;
  }

  /** Ends the log at the line that was read last. */
  cut(): void {
    this.#segments = [];
    this.#rest = NOTHING;
    this.#isEnding = true;
  }

  giveUp(): void {
    this.#groups.giveUp();
  }

  /** Reads a group, a line, or the end of a segment. */
  #readNext({ bytes, kind }: Segment): LogEvent<E> | undefined {
    const at = this.#at;
    if (kind === 'overlong') {
      this.#segments.shift();
      this.lines += 1;
      return { kind: 'foreign', line: this.lines, text: bytes.toString('latin1'), hasLf: true };
    }
    if (at >= bytes.length) {
      this.#segments.shift();
      this.#at = 0;
      return undefined;
    }
    const group = kind === 'groups' && this.#groups.isIdle ? this.#groups.match(bytes, at, this.lines + 1) : undefined;
    if (group?.isCut === false) {
      this.#at = at + group.byteLength;
      this.lines += group.constants.recordCount;
      this.#groups.passWhole(group);
      return this.#wholeOf(group, bytes, at);
    }
    if (group !== undefined && this.#keep(group, bytes.subarray(at))) {
      this.#at = bytes.length;
      return undefined;
    }
    const lf = bytes.indexOf(LF, at);
    const hasLf = lf !== -1;
    const end = hasLf ? lf : bytes.length;
    const text = bytes.toString('latin1', at, end);
    this.#at = end + 1;
    this.lines += 1;
    return this.#groups.add(text, this.lines, hasLf) ? undefined : { kind: 'foreign', line: this.lines, text, hasLf };
  }

  #wholeOf(group: WholeGroup, bytes: Buffer, at: number): WholeEvent {
    const whole = (this.#whole ??= { kind: 'whole', group, bytes, at });
    whole.group = group;
    whole.bytes = bytes;
    whole.at = at;
    return whole;
  }

  /** Puts the group together that two blocks share: to read it by its lines takes as much time as ten others. */
  #addToRest(rest: Buffer, bytes: Buffer): void {
    const joined = Buffer.concat([rest, bytes.subarray(0, this.#missing)]);
    const group = this.#groups.match(joined, 0, this.lines + 1);
    this.#rest = NOTHING;
    if (group?.isCut === false) {
      this.#segments.push({ bytes: joined, kind: 'groups' }, { bytes: bytes.subarray(this.#missing), kind: 'groups' });
    } else if (group === undefined || !this.#keep(group, joined)) {
      this.#segments.push({ bytes: rest, kind: 'lines' }, { bytes, kind: 'groups' });
    }
  }

  /** Keeps a copy of whole lines that begin a group. */
  #keep({ byteLength }: CutGroup, lines: Buffer): boolean {
    if (lines.length > MAX_REST_BYTES || lines.at(-1) !== LF) return false;
    this.#rest = Buffer.from(lines);
    this.#missing = byteLength - lines.length;
    return true;
  }

  /** Has the lines read that begin a group: its end does not come, or not yet. */
  #flushRest(): void {
    if (this.#rest.length > 0) this.#segments.push({ bytes: this.#rest, kind: 'lines' });
    this.#rest = NOTHING;
  }
}
