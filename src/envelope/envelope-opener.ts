import { DataError, type Phrase } from '../errors.js';
import type { LineBytes } from '../lines.js';
import { LF } from '../log/byte-string.js';
import type { Driver } from '../log/deployment.js';
import { MAX_RECORD_BYTES } from '../log/record.js';
import { EnvelopeTime, stampRecord, type Clock } from './envelope-time.js';
import { FORMS, type EnvelopeChoice, type EnvelopeForm } from './envelopes.js';
import { recognise } from './recognise.js';

/** Lines at the beginning of a file in which the first record is looked for, inside an envelope or in none. */
export const MAX_LOOKED_AT = 64;

/** Lines are opened in parts of this size: their texts are garbage soon, and die young. */
const PART_BYTES = 1 << 16;

export interface OpenerOptions extends Clock {
  /** The envelope to insist on; `none` to read lines as they are. Left out, the envelope is recognised. */
  readonly envelope?: EnvelopeChoice | undefined;
  /** False to leave records without a stamp as they are. Default true: they are given the one of the envelope. */
  readonly givesStamps?: boolean | undefined;
  /** True for a file that grows: lines are given at once, and looked at until one holds a record. Default false. */
  readonly isGrowing?: boolean | undefined;
  readonly source?: string | undefined;
}

/** Lines given from one on, and the number of lines of the file that were not given before each. */
interface LineRun {
  readonly from: number;
  readonly ahead: number;
  readonly hasOwnStamp: boolean;
}

/**
 * Opens the envelopes of a file: lines in, the lines of the log out; unchanged where no envelope is recognised. A record in pieces is
 * given with its last piece.
 */
export class EnvelopeOpener {
  /** The form of the envelope; undefined while it is not known, and for a file that is in none. */
  form: string | undefined;
  /** True once a record has been put together from several lines. */
  hasPieces = false;
  /** The driver that wrote the records; `file` until one without a stamp has come. */
  driver: Driver = 'file';
  /** The zone of the machine, if records were stamped by its clock: their envelope shows none, and none was given. */
  assumedZone: string | undefined;
  readonly #options: OpenerOptions;
  readonly #time: EnvelopeTime;
  #envelope: EnvelopeForm | 'none' | undefined;
  readonly #waiting: LineBytes[] = [];
  #lookedAt = 0;
  #read = 0;
  #given = 0;
  /** The pieces of a record that has not ended, and the line of the first, by stream. */
  readonly #pieces = new Map<string, { readonly line: number; readonly text: string }>();
  readonly #runs: LineRun[] = [{ from: 1, ahead: 0, hasOwnStamp: true }];
  #lines: string[] = [];

  constructor(options: OpenerOptions = {}) {
    this.#options = options;
    this.#time = new EnvelopeTime(options);
    const { envelope } = options;
    if (envelope !== undefined) this.#envelope = FORMS.find(({ name }) => name === envelope) ?? 'none';
  }

  /** The number of lines of the file beyond those that were given: pieces of records. */
  get surplusLines(): number {
    return this.#read - this.#given;
  }

  get isPlain(): boolean {
    return this.#envelope === 'none';
  }

  /** @throws DataError if the first record is not in the envelope that is insisted on */
  *open(block: LineBytes): Generator<LineBytes> {
    this.#envelope ??= this.#lookAt(block);
    if (this.#envelope !== undefined) {
      yield* this.#openWaiting();
      yield* this.#open(block);
    } else if (this.#options.isGrowing === true) {
      this.#read = this.#given = this.#lookedAt;
      yield block;
    } else {
      this.#waiting.push({ ...block, bytes: Buffer.from(block.bytes) });
    }
  }

  /** Gives what waits: nothing more comes. A piece whose end is missing is a line without an LF. */
  *end(): Generator<LineBytes> {
    yield* this.#openWaiting();
    for (const { line, text } of this.#pieces.values()) this.#give(text, line, true);
    this.#pieces.clear();
    if (this.#lines.length > 0) yield this.#takeLines();
  }

  /** The line of the file in which a line that was given begins. Lines count from 1. */
  lineOf(given: number): number {
    return given + this.#runOf(given).ahead;
  }

  /** False if the record of a line that was given has its stamp from the envelope. */
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

  /** Looks for the envelope in the lines of a block; of a file that is read once, in its first lines alone. */
  #lookAt({ bytes, overlong }: LineBytes): EnvelopeForm | 'none' | undefined {
    const lines = overlong ? [''] : linesOf(bytes);
    const most = this.#options.isGrowing === true ? Infinity : MAX_LOOKED_AT - this.#lookedAt;
    for (const line of lines.slice(0, most)) {
      const envelope = recognise(line);
      if (envelope !== undefined) return envelope;
    }
    this.#lookedAt += lines.length;
    return lines.length < most ? undefined : 'none';
  }

  *#openWaiting(): Generator<LineBytes> {
    this.#envelope ??= 'none';
    for (const block of this.#waiting.splice(0)) yield* this.#open(block);
  }

  *#open(block: LineBytes): Generator<LineBytes> {
    const envelope = this.#envelope;
    if (envelope === undefined || envelope === 'none') {
      yield block;
      return;
    }
    const { bytes, overlong } = block;
    if (overlong) {
      this.#read += 1;
      this.#note(this.#read, true);
      yield { bytes, overlong, position: 0 };
      return;
    }
    for (let from = 0; from < bytes.length;) {
      const partEnd = bytes.lastIndexOf(LF, from + PART_BYTES - 1) + 1;
      const until = partEnd > from ? partEnd : bytes.indexOf(LF, from) + 1 || bytes.length;
      const part = bytes.subarray(from, until);
      for (const line of linesOf(part)) this.#openLine(envelope, line);
      if (part.at(-1) === LF && this.#lines.length > 0) this.#lines.push('');
      yield this.#takeLines();
      from = until;
    }
  }

  #openLine(envelope: EnvelopeForm, line: string): void {
    this.#read += 1;
    const opened = envelope.open(line);
    const moment = opened && this.#time.momentOf(opened.time);
    if (opened === undefined || moment === undefined) {
      this.#refuseOther(line, envelope);
      this.#give(line, this.#read, true);
      return;
    }
    this.form ??= opened.form;
    const { stream, hasMore } = opened;
    const pieces = this.#pieces.get(stream);
    const text = pieces === undefined ? opened.inside : pieces.text + opened.inside;
    const first = pieces?.line ?? this.#read;
    if (hasMore && text.length <= MAX_RECORD_BYTES) {
      this.#pieces.set(stream, { line: first, text });
      return;
    }
    this.#pieces.delete(stream);
    const hasStamp = text.startsWith('[') || this.#options.givesStamps === false;
    const stamped = hasStamp ? undefined : stampRecord(text, moment);
    if (stamped !== undefined) {
      this.driver = stamped.driver;
      this.assumedZone ??= moment.assumedZone;
    }
    this.#give(stamped?.text ?? text, first, stamped === undefined);
  }

  #refuseOther(line: string, opened: EnvelopeForm): void {
    const { envelope, source = '' } = this.#options;
    if (envelope === undefined || this.form !== undefined) return;
    const recognised = recognise(line);
    if (recognised === undefined || recognised === opened) return;
    const remedy: Phrase = (option) => `name the envelope that it is in, or leave out ${option('envelope')}`;
    throw new DataError({ source, line: this.#read }, `the first record is not in the envelope ${envelope}`, remedy);
  }

  #give(text: string, line: number, hasOwnStamp: boolean): void {
    this.#lines.push(text);
    this.#note(line, hasOwnStamp);
  }

  #note(line: number, hasOwnStamp: boolean): void {
    this.#given += 1;
    const ahead = line - this.#given;
    if (ahead !== 0) this.hasPieces = true;
    const run = this.#runs.at(-1);
    if (run?.ahead !== ahead || run.hasOwnStamp !== hasOwnStamp) this.#runs.push({ from: this.#given, ahead, hasOwnStamp });
  }

  #takeLines(): LineBytes {
    const bytes = Buffer.from(this.#lines.join('\n'), 'latin1');
    this.#lines = [];
    return { bytes, overlong: false, position: 0 };
  }
}

function linesOf(bytes: Buffer): readonly string[] {
  const lines = bytes.toString('latin1').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
