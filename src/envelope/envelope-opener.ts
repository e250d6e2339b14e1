import { DataError } from '../errors.js';
import { linesIn, type LineBytes } from '../lines.js';
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

interface LineRun {
  /** The first line given of several; before each, `ahead` lines of the file were not given. */
  readonly from: number;
  readonly ahead: number;
  readonly hasOwnStamp: boolean;
}

/** Opens the envelopes of a file: lines in, the lines of the log out. A record in pieces is given with its last piece. */
export class EnvelopeOpener {
  /** The form of the envelope; undefined while it is not known, and for a file that is in none. */
  form: string | undefined;
  /** The driver that wrote the records; `file` until one without a stamp has come. */
  driver: Driver = 'file';
  /** The zone of the machine, if records were stamped by its clock: their envelope shows none, and none was given. */
  assumedZone: string | undefined;
  readonly #time: EnvelopeTime;
  #envelope: EnvelopeForm | 'none' | undefined;
  /** Copies of blocks that came before the envelope is known, and the number of their lines. */
  readonly #waiting: LineBytes[] = [];
  #lookedAt = 0;
  #read = 0;
  #given = 0;
  /** The pieces of a record that has not ended, and the line of the first, by stream. */
  readonly #pieces = new Map<string, { readonly line: number; readonly text: string }>();
  readonly #runs: LineRun[] = [];

  constructor(private readonly options: OpenerOptions = {}) {
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
    const isKnown = this.#envelope !== undefined || this.options.isGrowing === true;
    if (isKnown) for (const each of [...this.#waiting.splice(0), block]) yield* this.#open(each);
    else this.#waiting.push({ ...block, bytes: Buffer.from(block.bytes) });
  }

  /** Gives what waits: nothing more comes. A piece whose end is missing is a line without an LF. */
  *end(): Generator<LineBytes> {
    for (const block of this.#waiting.splice(0)) yield* this.#open(block);
    const pieces = [...this.#pieces.values()];
    for (const { line } of pieces) this.#note(line, true);
    this.#pieces.clear();
    if (pieces.length > 0) yield toBlock(pieces.map(({ text }) => text));
  }

  /** The line (from 1) of the file in which a line that was given begins. */
  lineOf(given: number): number {
    return given + (this.#runOf(given)?.ahead ?? 0);
  }

  hasOwnStamp(given: number): boolean {
    return this.#runOf(given)?.hasOwnStamp ?? true;
  }

  #runOf(given: number): LineRun | undefined {
    return this.#runs.findLast(({ from }) => from <= given);
  }

  /** A file that is read once is looked at in its first lines alone. */
  #lookAt({ bytes, overlong }: LineBytes): EnvelopeForm | 'none' | undefined {
    const lines = overlong ? [''] : linesIn(bytes);
    const most = this.options.isGrowing === true ? Infinity : MAX_LOOKED_AT - this.#lookedAt;
    for (const line of lines.slice(0, most)) {
      const envelope = recognise(line);
      if (envelope !== undefined) return envelope;
    }
    this.#lookedAt += lines.length;
    return lines.length < most ? undefined : 'none';
  }

  *#open(block: LineBytes): Generator<LineBytes> {
    const { bytes, overlong } = block;
    const envelope = this.#envelope;
    if (envelope === undefined || envelope === 'none') {
      this.#read = this.#given = this.#lookedAt;
      yield block;
    } else if (overlong) {
      this.#read += 1;
      this.#note(this.#read, true);
      yield { bytes, overlong, position: 0 };
    } else {
      for (let from = 0; from < bytes.length;) {
        const partEnd = bytes.lastIndexOf(LF, from + PART_BYTES - 1) + 1;
        const until = partEnd > from ? partEnd : bytes.indexOf(LF, from) + 1 || bytes.length;
        yield this.#openLines(envelope, bytes.subarray(from, until));
        from = until;
      }
    }
  }

  #openLines(envelope: EnvelopeForm, bytes: Buffer): LineBytes {
    const texts: string[] = [];
    for (const line of linesIn(bytes)) {
      const text = this.#openLine(envelope, line);
      if (text !== undefined) texts.push(text);
    }
    if (bytes.at(-1) === LF && texts.length > 0) texts.push('');
    return toBlock(texts);
  }

  /** The line inside; undefined for a piece that does not end its record. */
  #openLine(envelope: EnvelopeForm, line: string): string | undefined {
    this.#read += 1;
    const opened = envelope.open(line);
    const moment = opened && this.#time.momentOf(opened.time);
    if (opened === undefined || moment === undefined) {
      this.#refuseOther(line, envelope);
      this.#note(this.#read, true);
      return line;
    }
    this.form ??= opened.form;
    const { stream, hasMore } = opened;
    const pieces = this.#pieces.get(stream);
    const text = pieces === undefined ? opened.inside : pieces.text + opened.inside;
    const first = pieces?.line ?? this.#read;
    if (hasMore && text.length <= MAX_RECORD_BYTES) {
      this.#pieces.set(stream, { line: first, text });
      return undefined;
    }
    this.#pieces.delete(stream);
    const hasStamp = text.startsWith('[') || this.options.givesStamps === false;
    const stamped = hasStamp ? undefined : stampRecord(text, moment);
    this.#note(first, stamped === undefined);
    if (stamped === undefined) return text;
    this.driver = stamped.driver;
    this.assumedZone ??= moment.assumedZone;
    return stamped.text;
  }

  #refuseOther(line: string, opened: EnvelopeForm): void {
    const { envelope, source = '' } = this.options;
    const recognised = envelope === undefined || this.form !== undefined ? undefined : recognise(line);
    if (recognised === undefined || recognised === opened) return;
    throw new DataError({ source, line: this.#read }, `the first record is not in the envelope ${envelope ?? ''}`, (option) => {
      return `name the envelope that it is in, or leave out ${option('envelope')}`;
    });
  }

  #note(line: number, hasOwnStamp: boolean): void {
    this.#given += 1;
    const ahead = line - this.#given;
    const run = this.#runs.at(-1);
    if (run?.ahead !== ahead || run.hasOwnStamp !== hasOwnStamp) this.#runs.push({ from: this.#given, ahead, hasOwnStamp });
  }
}

function toBlock(lines: readonly string[]): LineBytes {
  return { bytes: Buffer.from(lines.join('\n'), 'latin1'), overlong: false, position: 0 };
}
