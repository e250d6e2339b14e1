import { countLines, type LineBytes } from '../lines.js';
import { LF } from '../log/byte-string.js';
import { isRecordWithCr } from '../log/line.js';
import { ZONE_AT } from '../log/record.js';
import type { Grouper } from './grouper.js';
import { logFilesOf, type LogBytes } from './log-files.js';
import { SharedPrefix, Tally, type PassedOver } from './passed-over.js';
import type { Entry, RecordGroup } from './record-group.js';
import type { WholeGroup } from './whole-group.js';

export interface LogGroups<E extends Entry> {
  readonly grouper: Grouper<E>;
  /** Called while no group is open. Returns the length of a group that the end of the bytes cuts. */
  match(bytes: Buffer, at: number, line: number): WholeGroup | number | undefined;
  passWhole(group: WholeGroup): void;
  /** Takes a line, a byte string without its LF. False for a line that is not a record. */
  add(text: string, line: number, hasLf: boolean): boolean;
  passGroup?(group: RecordGroup<E>): void;
  readonly counted?: Pick<PassedOver, 'groups' | 'incomplete'>;
  readonly firstWaitingLine?: number;
  pause?(): void;
  endWait?(): void;
}

export interface WholeEvent {
  readonly kind: 'whole';
  readonly group: WholeGroup;
  readonly bytes: Buffer;
  readonly at: number;
}

/** A line that is not a record. */
export interface ForeignLine {
  /** The physical line, from 1. */
  readonly line: number;
  /** The text of the line without its LF, a byte string; of a line over 1 MiB, its first 4096 bytes. */
  readonly text: string;
}

type LogEvent<E extends Entry> =
  | WholeEvent
  | { readonly kind: 'group'; readonly group: RecordGroup<E> }
  | ({ readonly kind: 'foreign'; readonly hasLf: boolean } & ForeignLine);

const OPENING = 0x5b;
const MINUS = 0x2d;

/** True for a line that may be a deprecation record (2.2): its stamp has the name of a zone, not the sign of an offset. */
export function mayEndGroup(bytes: Buffer, at: number): boolean {
  return bytes[at] === OPENING && (bytes[at + ZONE_AT] ?? 0) > MINUS;
}

const MAX_REST_BYTES = 1 << 16;

const NOTHING = Buffer.alloc(0);

type Lines = Pick<LineBytes, 'bytes' | 'overlong'>;

/**
 * Reads a log: blocks of whole lines in, events out, to be taken after each block: groups in the order of their first records, foreign
 * lines in the order of lines. Where no group is open, whole groups are compared with what a known deployment writes: much faster than
 * reading their records, with the same result.
 */
export class LogReader<E extends Entry = Entry> {
  lines = 0;
  block: LineBytes | undefined;
  readonly foreign = new Tally();
  /** The error that `onForeign` threw: the log ends there. */
  failure: { readonly reason: unknown } | undefined;
  #foreignWithCr = 0;
  readonly #foreignPrefix = new SharedPrefix();
  #firstForeign: string | undefined;
  #events = this.#closed();
  #at = 0;
  /** A copy of the lines at the end of a block that begin a group, and the number of bytes missing behind them. */
  #rest: Buffer = NOTHING;
  #missing = 0;

  constructor(
    private readonly groups: LogGroups<E>,
    private readonly onForeign?: ReadLogOptions['onForeign'],
  ) {}

  /** The first line of which something may still be given. */
  get until(): number {
    const { grouper, firstWaitingLine = Infinity } = this.groups;
    return Math.min(grouper.firstOpenLine, firstWaitingLine, this.lines + 1);
  }

  get passedOver(): PassedOver {
    const { groups, incomplete } = this.groups.counted ?? { groups: 0, incomplete: new Tally() };
    const [foreignWithCr, foreignPrefix, firstForeign] = [this.#foreignWithCr, this.#foreignPrefix.text, this.#firstForeign];
    return { groups, lines: this.lines, foreign: this.foreign, foreignWithCr, foreignPrefix, firstForeign, incomplete };
  }

  get linesTaken(): number {
    return this.lines + countLines(this.#rest);
  }

  add(block: LineBytes, hasMore = true): void {
    const { bytes, overlong } = block;
    this.block = block;
    // To read the group by its lines that two blocks share takes as much time as ten others.
    const canJoin = this.#rest.length > 0 && !overlong;
    const end = canJoin ? bytes.indexOf(LF, this.#missing - 1) + 1 || bytes.length : 0;
    const joined = { bytes: Buffer.concat([this.#rest, bytes.subarray(0, end)]), overlong: false };
    this.#rest = NOTHING;
    this.#events = this.#read([joined, { bytes: bytes.subarray(end), overlong }], hasMore ? 'lines' : 'pause');
  }

  end(): void {
    this.block = undefined;
    this.#events = this.#read([{ bytes: this.#rest, overlong: false }], 'end');
    this.#rest = NOTHING;
  }

  [Symbol.iterator](): Generator<LogEvent<E>> {
    return this.#events;
  }

  drain(): void {
    for (const _ of this);
  }

  /** Gives up the open groups: everything is given up to the line that was read last. */
  giveUp(): void {
    this.groups.endWait?.();
    this.groups.grouper.giveUp();
    this.#events = this.#closed();
  }

  *#read(given: readonly Lines[], behind: 'lines' | 'pause' | 'end'): Generator<LogEvent<E>> {
    const parts = given.filter(({ bytes }) => bytes.length > 0);
    for (const part of parts) {
      const isLast = part === parts.at(-1) && behind !== 'end';
      for (this.#at = 0; this.#at < part.bytes.length && this.failure === undefined;) {
        const event = this.#readNext(part, isLast);
        if (event !== undefined) yield event;
        if (event?.kind === 'whole') continue;
        for (let group = this.#nextGroup(); group !== undefined; group = this.#nextGroup()) yield group;
      }
    }
    if (behind === 'pause') this.groups.pause?.();
    if (behind === 'end' || this.failure !== undefined) this.giveUp();
    yield* this.#closed();
  }

  *#closed(): Generator<LogEvent<E>> {
    for (let group = this.#nextGroup(); group !== undefined; group = this.#nextGroup()) yield group;
  }

  #nextGroup(): LogEvent<E> | undefined {
    const group = this.groups.grouper.next();
    if (group === undefined) return undefined;
    this.groups.passGroup?.(group);
    return { kind: 'group', group };
  }

  #readNext({ bytes, overlong }: Lines, canWait: boolean): LogEvent<E> | undefined {
    const at = this.#at;
    const { grouper } = this.groups;
    if (!mayEndGroup(bytes, at) && grouper.settle()) return undefined;
    const group = !overlong && grouper.isIdle ? this.groups.match(bytes, at, this.lines + 1) : undefined;
    const isOneRecord = typeof group === 'object' && group.constants.failures.length === 1;
    if (typeof group === 'object' && !(isOneRecord && grouper.isRequiredAgain(group))) {
      this.#at += group.byteLength;
      this.lines += group.constants.recordCount;
      grouper.passWhole(group);
      this.groups.passWhole(group);
      return { kind: 'whole', group, bytes, at };
    }
    if (typeof group === 'number' && canWait && bytes.length - at <= MAX_REST_BYTES && bytes.at(-1) === LF) {
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
    const isRecord = !overlong && this.groups.add(text, this.lines, hasLf);
    return isRecord ? undefined : this.#passForeign(text, hasLf);
  }

  #passForeign(text: string, hasLf: boolean): LogEvent<E> | undefined {
    this.foreign.add(this.lines);
    this.#firstForeign ??= text;
    if (isRecordWithCr(text)) this.#foreignWithCr += 1;
    this.#foreignPrefix.add(text);
    try {
      this.onForeign?.(this.lines, text);
    } catch (reason) {
      this.failure = { reason };
      return undefined;
    }
    return { kind: 'foreign', line: this.lines, text, hasLf };
  }
}

/** Options of reading a log. */
export interface ReadLogOptions {
  /**
   * Returns true while more bytes are there to be read without a wait; default: always. At a pause the order of plugins is inferred from two
   * groups, or one with a deprecation record, instead of the first 512 records: a group is given as soon as its last record is there.
   */
  readonly hasMore?: () => boolean;
  /**
   * Called with each line that is not a record, without its LF; of a line over 1 MiB, with its first 4096 bytes. An error that it
   * throws ends the reading, after what came before.
   */
  readonly onForeign?: (line: number, text: string) => void;
  /** Called after each block with the number of lines read so far. */
  readonly onRead?: (lines: number) => void;
  /** Called once, at the end of the log. */
  readonly onEnd?: (passedOver: PassedOver) => void;
}

/**
 * Reads a log: gives its reader, whose events are to be taken, once for each block and once at the end.
 * @param keepsMark true to leave a byte order mark on the first line of each file
 * @throws what `onForeign` throws, and a DataError that ended the log before its end, each after what came before
 */
export async function* readLog<E extends Entry>(
  log: LogBytes,
  groups: LogGroups<E>,
  { hasMore = () => true, onForeign, onRead, onEnd }: ReadLogOptions = {},
  keepsMark = false,
): AsyncGenerator<LogReader<E>> {
  const reader = new LogReader(groups, onForeign);
  const files = logFilesOf(log);
  for await (const block of files.readBlocks(() => reader.linesTaken, keepsMark)) {
    reader.add(block, hasMore());
    yield reader;
    onRead?.(reader.lines);
    if (reader.failure !== undefined) throw reader.failure.reason;
  }
  reader.end();
  yield reader;
  try {
    onEnd?.(reader.passedOver);
  } finally {
    files.throwFailure();
  }
}
