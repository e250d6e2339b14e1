import { LF } from '../log/byte-string.js';
import type { Digest, DigestRecord } from './digest.js';
import type { LineText, RecordBlock, RecordMark } from './records.js';

/** The most records that are digested ahead, and the most bytes: a few long lines must not fill the memory. */
export const LOOKAHEAD = 1024;
const LOOKAHEAD_BYTES = 1 << 20;

/** A record of one side that has been read and is yet to be passed. The objects are used again: a million of them would be garbage. */
export interface RecordAhead extends Digest {
  /** Its bytes in the block, without the LF. */
  start: number;
  end: number;
  line: number;
  /** Its place in an input that can be read again; NaN in another. */
  place: number;
  seenMs: number;
  /** The text of its line where that is another, and the reason that the line cannot be a record. */
  text: LineText | undefined;
  fault: string | undefined;
}

/**
 * The records of one side that have been read and are yet to be compared: a block in place, and up to 1,024 digested records of it. A
 * block is copied only when more is asked for while some of it is left.
 */
export class Side {
  /** The number of the next record, from 0. */
  record = 0;
  /** True while no more records can be had: at the end of the inputs, or until a growing input has grown. */
  isDry = false;
  /** The block, and the index of the next record in it. */
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  /** What is left of a block is copied here, and the next block behind it. */
  #own: Buffer = Buffer.alloc(0);
  /** The digested records: in a circle, from the next one on, and their number. */
  readonly #ahead: readonly RecordAhead[] = Array.from({ length: LOOKAHEAD }, createRecord);
  #first = 0;
  #count = 0;
  /** The record behind those: its index in the block, its line, its place and its mark. */
  #scanned = 0;
  #line = 1;
  #place = NaN;
  #mark = 0;
  #seenMs = NaN;
  /** The marks of the last block that was appended, and the index at which that begins. */
  #marks: readonly RecordMark[] | undefined;
  #base = 0;
  /** Counts the digests that no other record has, in steps of 2: the two sides have different ones. */
  #unlike: number;
  readonly #digestRecord: DigestRecord;

  /** @param number 0 or 1, another one for each of two sides */
  constructor(number: 0 | 1, digestRecord: DigestRecord) {
    this.#unlike = number;
    this.#digestRecord = digestRecord;
  }

  get isEmpty(): boolean {
    return this.at >= this.bytes.length;
  }

  /** True where the next records are lines whose bytes can be compared: none is digested, and none has a mark. */
  get isPlain(): boolean {
    return this.#count === 0 && this.#marks === undefined;
  }

  /** The line of the next record, and when it was seen, and its place. */
  get next(): Pick<RecordAhead, 'line' | 'place' | 'seenMs'> {
    return this.ahead(0) ?? { line: this.#line, place: this.#place, seenMs: this.#seenMs };
  }

  /** Copies what is left of the block, which is no longer valid when the next one is asked for. */
  keep(): void {
    const { at } = this;
    const length = this.bytes.length - at;
    this.#reserve(length, 0);
    this.bytes.copy(this.#own, 0, at);
    this.bytes = this.#own.subarray(0, length);
    this.at = 0;
    this.#scanned -= at;
    for (let index = 0; index < this.#count; index += 1) {
      const record = this.#recordAt(index);
      record.start -= at;
      record.end -= at;
    }
  }

  /** Takes the next block, after `keep`. All records of the one before have been passed or digested. */
  append({ bytes, line, place, seenMs, marks }: RecordBlock): void {
    const left = this.bytes.length;
    this.#base = this.#scanned;
    if (left > 0) {
      this.#reserve(left + bytes.length, left);
      bytes.copy(this.#own, left);
    }
    this.bytes = left === 0 ? bytes : this.#own.subarray(0, left + bytes.length);
    if (line !== undefined) this.#line = line;
    this.#place = place;
    this.#seenMs = seenMs;
    this.#marks = marks;
    this.#mark = 0;
  }

  /** Digests the next records, `count` at most. Returns how many are digested, at most `count`. */
  scan(count: number): number {
    while (this.#count < Math.min(count, LOOKAHEAD) && this.#hasRoom && this.#scanned < this.bytes.length) this.#scanNext();
    return Math.min(count, this.#count);
  }

  /** True if more records would be digested if another block came. */
  mayScan(count: number): boolean {
    return !this.isDry && this.scan(count) < count && this.#hasRoom;
  }

  /** A digested record, counted from the next one on. */
  ahead(index: number): RecordAhead | undefined {
    return index < this.#count ? this.#recordAt(index) : undefined;
  }

  /** The next record, digested; undefined if there is none. */
  get head(): RecordAhead | undefined {
    this.scan(1);
    return this.ahead(0);
  }

  /** The bytes of a digested record, without LF; valid until a block is appended. */
  bytesOf({ start, end }: RecordAhead): Buffer {
    return this.bytes.subarray(start, end);
  }

  /** Passes the next record, which is digested. */
  advance(): void {
    const head = this.#recordAt(0);
    head.text = undefined;
    this.at = head.end + 1;
    this.record += 1;
    this.#first += 1;
    this.#count -= 1;
  }

  /** Passes plain records. @param length their bytes, LFs included */
  advanceBytes(length: number, records: number): void {
    this.at += length;
    this.record += records;
    this.#scanned += length;
    this.#line += records;
    this.#place += length;
  }

  /** Makes its own memory large enough; the first bytes are kept. */
  #reserve(length: number, kept: number): void {
    if (this.#own.length < length) this.#own = Buffer.concat([this.#own.subarray(0, kept)], 2 * length);
  }

  get #hasRoom(): boolean {
    return this.#scanned - this.at < LOOKAHEAD_BYTES;
  }

  #scanNext(): void {
    const mark = this.#marks?.[this.#mark];
    const record = this.#recordAt(this.#count);
    record.start = this.#scanned;
    record.end = mark === undefined ? this.bytes.indexOf(LF, this.#scanned) : this.#base + mark.end;
    record.line = mark?.line ?? this.#line;
    record.place = this.#place;
    record.seenMs = this.#seenMs;
    record.text = mark?.text;
    record.fault = mark?.fault;
    if (record.fault === undefined) this.#digestRecord(this.bytes, record.start, record.end, record);
    else this.#makeUnlike(record);
    this.#count += 1;
    this.#mark += 1;
    this.#line = record.line + 1;
    this.#place += record.end + 1 - record.start;
    this.#scanned = record.end + 1;
  }

  /** The object of a record, counted from the next one on. */
  #recordAt(index: number): RecordAhead {
    return this.#ahead[(this.#first + index) % LOOKAHEAD] ?? createRecord();
  }

  /** A line that cannot be a record has a digest that no other record has. */
  #makeUnlike(digest: Digest): void {
    this.#unlike += 2;
    digest.low = this.#unlike;
    digest.high = 0x7fffffff;
  }
}

function createRecord(): RecordAhead {
  return { low: 0, high: 0, start: 0, end: 0, line: 0, place: 0, seenMs: 0, text: undefined, fault: undefined };
}
