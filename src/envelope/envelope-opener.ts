import { DataError, type Phrase } from '../errors.js';
import type { LineBytes } from '../lines.js';
import { LF } from '../log/byte-string.js';
import type { Driver } from '../log/deployment.js';
import { HANDLER_NOTICE, LOAD_FAILURE } from '../log/fields.js';
import { MAX_RECORD_BYTES } from '../log/record.js';
import { parseRecord } from '../log/line.js';
import { EnvelopeMoment, EnvelopeTime, type Clock } from './envelope-time.js';
import { FORMS, type EnvelopeChoice, type EnvelopeForm } from './envelopes.js';
import type { Opened } from './opened.js';
import { LOG_NAME, stampRecord } from './stampless.js';

/** A file is in an envelope if the first of so many lines that holds a record holds it there. */
const MAX_LOOKED_AT = 64;

/** Lines that are looked at wait in memory up to this size. */
const MAX_WAITING_BYTES = 8 << 20;

/** The part of a piece in which the message of a record begins. */
const BEGINNING_BYTES = 8192;

/** Lines are opened in parts of this size: their texts are garbage soon, and die young. */
const PART_BYTES = 1 << 16;

/** Options of opening envelopes. */
export interface OpenerOptions extends Clock {
  /** The envelope to insist on; `none` to read lines as they are. Left out, the envelope is recognised. */
  readonly envelope?: EnvelopeChoice | undefined;
  /** False to leave records without a stamp as they are. Default true: they are given the one of the envelope. */
  readonly givesStamps?: boolean | undefined;
  /** True for a file that grows: lines are given at once, and looked at until one holds a record. Default false. */
  readonly isGrowing?: boolean | undefined;
  /** The name of the file, for the message. */
  readonly source?: string | undefined;
}

/** Lines given from a certain one on: how many lines of the file precede each, and whether their stamps are their own. */
interface LineRun {
  readonly from: number;
  readonly ahead: number;
  readonly hasOwnStamp: boolean;
}

/** The pieces of a record that has not ended, and its first line in the file. */
interface Pieces {
  readonly line: number;
  text: string;
}

/**
 * Opens the envelopes of a file: lines in, the lines of the log out. Where no envelope is recognised, blocks are given as they came. A
 * record in pieces is given with its last piece.
 */
export class EnvelopeOpener {
  /** The form of the envelope; undefined while it is not known, and for a file that is in none. */
  form: string | undefined;
  /** True once a record has been put together from several lines. */
  hasPieces = false;
  /** The driver that wrote the records; `file` until one without a stamp has come. */
  driver: Driver = 'file';
  readonly #options: OpenerOptions;
  readonly #time: EnvelopeTime;
  #envelope: EnvelopeForm | 'none' | undefined;
  #waiting: LineBytes[] = [];
  #waitingLines = 0;
  #waitingBytes = 0;
  /** The lines that have been read, and given. */
  #read = 0;
  #given = 0;
  readonly #pieces = new Map<string, Pieces>();
  #runs: LineRun[] = [{ from: 1, ahead: 0, hasOwnStamp: true }];
  /** The lines of the block at hand. */
  #lines: string[] = [];

  constructor(options: OpenerOptions = {}) {
    this.#options = options;
    this.#time = new EnvelopeTime(options);
    const { envelope } = options;
    if (envelope === 'none') this.#envelope = 'none';
    else if (envelope !== undefined) this.#envelope = FORMS.find(({ names }) => names.includes(envelope));
  }

  /** True if lines are given as they came. */
  get isPlain(): boolean {
    return this.#envelope === 'none';
  }

  /**
   * Opens a block of whole lines, which stays valid until its lines are taken.
   *
   * @throws DataError if the first record is not in the envelope that is insisted on
   */
  *open(block: LineBytes): Generator<LineBytes> {
    if (this.#envelope === 'none') yield block;
    else if (this.#envelope !== undefined) yield* this.#openWith(this.#envelope, block);
    else if (this.#options.isGrowing === true) yield* this.#openAtOnce(block);
    else yield* this.#lookAt(block);
  }

  *#openAtOnce(block: LineBytes): Generator<LineBytes> {
    const lines = block.overlong ? [''] : linesOf(block.bytes);
    for (const line of lines) this.#envelope ??= recognise(line);
    if (this.#envelope !== undefined && this.#envelope !== 'none') {
      yield* this.#openWith(this.#envelope, block);
      return;
    }
    this.#read += lines.length;
    this.#given += lines.length;
    yield block;
  }

  *#lookAt(block: LineBytes): Generator<LineBytes> {
    const kept = { ...block, bytes: Buffer.from(block.bytes) };
    this.#waiting.push(kept);
    this.#waitingBytes += kept.bytes.length;
    const lines = block.overlong ? [] : linesOf(block.bytes);
    for (const line of lines.slice(0, MAX_LOOKED_AT - this.#waitingLines)) this.#envelope ??= recognise(line);
    this.#waitingLines += block.overlong ? 1 : lines.length;
    const hasSeenAll = this.#waitingLines >= MAX_LOOKED_AT || this.#waitingBytes > MAX_WAITING_BYTES;
    if (this.#envelope !== undefined || hasSeenAll) yield* this.#decide();
  }

  /** Gives what waits: nothing more comes. A piece whose end is missing is a line without an LF. */
  *end(): Generator<LineBytes> {
    if (this.#envelope === undefined) yield* this.#decide();
    for (const { line, text } of this.#pieces.values()) this.#give(text, line, true);
    this.#pieces.clear();
    const bytes = Buffer.from(this.#lines.splice(0).join('\n'), 'latin1');
    if (bytes.length > 0) yield blockOf(bytes);
  }

  /** The line of the file in which a line that was given begins. Lines count from 1. */
  lineOf(given: number): number {
    return given + this.#runOf(given).ahead;
  }

  /** True if the record of a line that was given has its stamp from the webmail; false if from the envelope. */
  hasOwnStamp(given: number): boolean {
    return this.#runOf(given).hasOwnStamp;
  }

  #runOf(given: number): LineRun {
    const runs = this.#runs;
    let [low, high] = [0, runs.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((runs[middle]?.from ?? 0) <= given) low = middle;
      else high = middle - 1;
    }
    return runs[low] ?? { from: 1, ahead: 0, hasOwnStamp: true };
  }

  *#decide(): Generator<LineBytes> {
    this.#envelope ??= 'none';
    const envelope = this.#envelope;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (envelope === 'none') yield* waiting;
    else for (const block of waiting) yield* this.#openWith(envelope, block);
  }

  *#openWith(envelope: EnvelopeForm, { bytes, overlong }: LineBytes): Generator<LineBytes> {
    if (overlong) {
      this.#read += 1;
      this.#note(this.#read, true);
      yield { bytes, overlong, position: 0 };
      return;
    }
    for (let from = 0; from < bytes.length;) {
      const partEnd = bytes.lastIndexOf(LF, from + PART_BYTES - 1) + 1;
      const until = partEnd > from ? partEnd : bytes.indexOf(LF, from) + 1 || bytes.length;
      const isEnded = bytes[until - 1] === LF;
      for (const line of bytes.toString('latin1', from, isEnded ? until - 1 : until).split('\n')) this.#openLine(envelope, line);
      if (isEnded && this.#lines.length > 0) this.#lines.push('');
      yield blockOf(Buffer.from(this.#lines.splice(0).join('\n'), 'latin1'));
      from = until;
    }
  }

  #openLine(envelope: EnvelopeForm, line: string): void {
    this.#read += 1;
    const opened = envelope.open(line);
    const moment = opened && this.#time.momentOf(opened.time);
    if (opened === undefined || moment === undefined) {
      this.#refuseOther(line);
      this.#give(line, this.#read, true);
      return;
    }
    this.form ??= opened.form;
    const { stream, hasMore } = opened;
    const pieces = this.#pieces.get(stream);
    const text = pieces === undefined ? opened.inside : pieces.text + opened.inside;
    if (hasMore && text.length <= MAX_RECORD_BYTES) {
      if (pieces === undefined) this.#pieces.set(stream, { line: this.#read, text });
      else pieces.text = text;
      return;
    }
    this.#pieces.delete(stream);
    const hasStamp = text.startsWith('[') || this.#options.givesStamps === false;
    const stamped = hasStamp ? undefined : stampRecord(text, moment);
    if (stamped !== undefined) this.driver = stamped.driver;
    this.#give(stamped?.text ?? text, pieces?.line ?? this.#read, stamped === undefined);
  }

  #refuseOther(line: string): void {
    const { envelope, source = '' } = this.#options;
    if (envelope === undefined || this.form !== undefined || recognise(line) === undefined) return;
    const remedy: Phrase = (option) => `name the envelope that it is in, or leave out ${option('envelope')}`;
    throw new DataError({ source, line: this.#read }, `the first record is not in the envelope ${envelope}`, remedy);
  }

  #give(text: string, line: number, hasOwnStamp: boolean): void {
    this.#lines.push(text);
    this.#note(line, hasOwnStamp);
  }

  /** Notes the next line that is given. */
  #note(line: number, hasOwnStamp: boolean): void {
    this.#given += 1;
    const ahead = line - this.#given;
    if (ahead !== 0) this.hasPieces = true;
    const run = this.#runs.at(-1);
    if (run?.ahead !== ahead || run.hasOwnStamp !== hasOwnStamp) this.#runs.push({ from: this.#given, ahead, hasOwnStamp });
  }
}

function blockOf(bytes: Buffer): LineBytes {
  return { bytes, overlong: false, position: 0 };
}

function linesOf(bytes: Buffer): readonly string[] {
  const lines = bytes.toString('latin1').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** The record that a line, a byte string, holds inside an envelope that shows a whole date; undefined for any other line. */
export function recordInside(line: string): string | undefined {
  for (const { open } of FORMS) {
    const opened = open(line);
    const moment = opened?.time[4] === '-' ? new EnvelopeTime().momentOf(opened.time) : undefined;
    const text = opened && ((moment && stampRecord(opened.inside, moment)?.text) ?? opened.inside);
    if (text !== undefined && parseRecord(text) !== undefined) return text;
  }
  return undefined;
}

/** True for a line, a byte string, that holds a record or the first piece of one inside an envelope. */
export function holdsRecordInside(line: string): boolean {
  return typeof recognise(line) === 'object';
}

/** True for a record of the driver `stdout` that has no envelope, and so no time. */
export function isWithoutTime(line: string): boolean {
  return line.startsWith(LOG_NAME) && parseRecord(stampRecord(line, new EnvelopeMoment(0, 0))?.text ?? '') !== undefined;
}

/** The envelope in which a line holds a record of this log or its first piece, `none` for a record as it is; undefined for any other line. */
function recognise(line: string): EnvelopeForm | 'none' | undefined {
  if (parseRecord(line) !== undefined) return 'none';
  const time = new EnvelopeTime();
  return FORMS.find(({ open }) => {
    const opened = open(line);
    return opened !== undefined && holdsRecord(opened, time);
  });
}

function holdsRecord({ inside, hasMore, time }: Opened, times: EnvelopeTime): boolean {
  const moment = times.momentOf(time);
  if (moment === undefined) return false;
  const text = stampRecord(inside, moment)?.text ?? inside;
  if (parseRecord(text) !== undefined) return true;
  const beginning = text.slice(0, BEGINNING_BYTES);
  return hasMore && (beginning.includes(LOAD_FAILURE) || beginning.includes(HANDLER_NOTICE));
}
