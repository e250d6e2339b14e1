import { LF } from '../log/byte-string.js';
import type { Digest, DigestRecord } from './digest.js';
import { LineNumbers } from './line-numbers.js';
import type { RecordBlock, RecordMark } from './record-block.js';

/** No more records are looked at ahead. */
export const LOOKAHEAD = 1024;

/**
 * The records of one side that have been read and are yet to be compared. A block is used where it lies; it is copied only when more
 * is asked for while some of it is left.
 */
export class RecordWindow {
  bytes: Buffer = Buffer.alloc(0);
  /** The beginning of the next record in `bytes`. */
  at = 0;
  /** Number of the next record, from 0. */
  record = 0;
  /** The physical lines of records, up to the next one. */
  readonly lines = new LineNumbers();
  /** The place of `bytes` in the inputs of this side, if they can be read there once more. */
  position: number | undefined;
  /** No further block will come. */
  hasEnded = false;
  #own: Buffer = Buffer.alloc(0);
  #marks: readonly RecordMark[] | undefined;
  #mark = 0;
  /** Digests of records ahead: where each begins and ends, from the first one that is yet to be compared. */
  readonly #starts = new Int32Array(2 * LOOKAHEAD);
  readonly #ends = new Int32Array(2 * LOOKAHEAD);
  readonly #low = new Int32Array(2 * LOOKAHEAD);
  readonly #high = new Int32Array(2 * LOOKAHEAD);
  #from = 0;
  #until = 0;
  #faults = 0;
  readonly #digest: Digest = { low: 0, high: 0 };
  readonly #digestRecord: DigestRecord;

  constructor(digestRecord: DigestRecord) {
    this.#digestRecord = digestRecord;
  }

  get isEmpty(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Each record is a line: bytes can be compared instead of records. */
  get isPlain(): boolean {
    return this.#marks === undefined;
  }

  append(block: RecordBlock): void {
    if (block.bytes.length === 0) return;
    if (this.isEmpty) {
      this.bytes = block.bytes;
      this.position = block.position;
      this.at = 0;
      this.#marks = block.marks;
      this.#mark = 0;
      this.#noteLine();
      this.#forgetAhead();
      return;
    }
    this.keep();
    const rest = this.bytes.length;
    if (this.#marks !== undefined || block.marks !== undefined) {
      const own = this.#marks ?? marksOf(this.bytes);
      this.#marks = [...own, ...(block.marks ?? marksOf(block.bytes)).map((mark) => moveMark(mark, rest))];
    }
    const isNext = this.position !== undefined && block.position === this.position + rest;
    if (!isNext) this.position = undefined;
    this.#reserve(rest + block.bytes.length, rest);
    block.bytes.copy(this.#own, rest);
    this.bytes = this.#own.subarray(0, rest + block.bytes.length);
  }

  /** Moves the bytes that are left to memory of its own: those of a block are gone when the next one is asked for. */
  keep(): void {
    const { at } = this;
    const rest = this.bytes.length - at;
    if (rest <= 0) return;
    this.#reserve(rest, 0);
    this.bytes.copy(this.#own, 0, at);
    this.bytes = this.#own.subarray(0, rest);
    if (this.position !== undefined) this.position += at;
    this.at = 0;
    if (this.#marks !== undefined && at > 0) {
      this.#marks = this.#marks.slice(this.#mark).map((mark) => moveMark(mark, -at));
      this.#mark = 0;
    }
    for (let index = this.#from; index < this.#until; index += 1) {
      this.#starts[index] = (this.#starts[index] ?? 0) - at;
      this.#ends[index] = (this.#ends[index] ?? 0) - at;
    }
  }

  /** Sees to it that its own memory has room for so many bytes; some at its beginning are kept. */
  #reserve(length: number, kept: number): void {
    if (this.#own.length >= length) return;
    const larger = Buffer.allocUnsafeSlow(2 * length);
    this.#own.copy(larger, 0, 0, kept);
    this.#own = larger;
  }

  /** Makes digests of the next records, `count` at most; how many there are. */
  lookAhead(count: number): number {
    if (this.#from > LOOKAHEAD) this.#compact();
    while (this.#until - this.#from < count) {
      const start = this.#until === this.#from ? this.at : (this.#ends[this.#until - 1] ?? 0) + 1;
      if (start >= this.bytes.length) break;
      const mark = this.#marks?.[this.#mark + this.#until - this.#from];
      const end = mark?.end ?? this.bytes.indexOf(LF, start);
      this.#digestRecord(this.bytes, start, end, this.#digest);
      if (mark?.fault !== undefined) this.#markUnlike();
      this.#starts[this.#until] = start;
      this.#ends[this.#until] = end;
      this.#low[this.#until] = this.#digest.low;
      this.#high[this.#until] = this.#digest.high;
      this.#until += 1;
    }
    return Math.min(count, this.#until - this.#from);
  }

  /** Copies the digest of the record so many ahead, of which `lookAhead` has made one. */
  readDigest(ahead: number, digest: Digest): void {
    digest.low = this.#low[this.#from + ahead] ?? 0;
    digest.high = this.#high[this.#from + ahead] ?? 0;
  }

  /** True if two records ahead are equal; `lookAhead` has made digests of both. */
  equals(ahead: number, other: RecordWindow, otherAhead: number): boolean {
    return (
      this.#low[this.#from + ahead] === other.#low[other.#from + otherAhead] &&
      this.#high[this.#from + ahead] === other.#high[other.#from + otherAhead]
    );
  }

  /** The place of the LF that ends the next record. */
  get end(): number {
    if (this.#until > this.#from) return this.#ends[this.#from] ?? 0;
    return this.#marks?.[this.#mark]?.end ?? this.bytes.indexOf(LF, this.at);
  }

  /** The bytes of the next record, without its LF; good until more is appended. */
  get head(): Buffer {
    return this.bytes.subarray(this.at, this.end);
  }

  get mark(): RecordMark | undefined {
    return this.#marks?.[this.#mark];
  }

  /** Goes on to the record behind the next one. */
  advance(): void {
    this.at = this.end + 1;
    if (this.#until > this.#from) this.#from += 1;
    if (this.#from === this.#until) this.#forgetAhead();
    this.record += 1;
    if (this.#marks === undefined) return;
    this.#mark += 1;
    this.#noteLine();
  }

  /** Passes over plain records, from `at` to a place behind an LF. */
  advanceTo(at: number, records: number): void {
    this.at = at;
    this.record += records;
    this.#forgetAhead();
  }

  #noteLine(): void {
    const line = this.#marks?.[this.#mark]?.line;
    if (line !== undefined) this.lines.note(this.record, line);
  }

  #forgetAhead(): void {
    this.#from = 0;
    this.#until = 0;
  }

  #compact(): void {
    for (const digests of [this.#starts, this.#ends, this.#low, this.#high]) digests.copyWithin(0, this.#from, this.#until);
    this.#until -= this.#from;
    this.#from = 0;
  }

  /** Gives a line that cannot be a record a digest that no other has. */
  #markUnlike(): void {
    this.#faults += 1;
    this.#digest.low ^= this.#faults;
    this.#digest.high ^= 0x5bd1e995 ^ this.#faults;
  }
}

function marksOf(bytes: Buffer): RecordMark[] {
  const marks: RecordMark[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LF, start);
    marks.push({ end });
    start = end + 1;
  }
  return marks;
}

function moveMark(mark: RecordMark, by: number): RecordMark {
  return { ...mark, end: mark.end + by };
}
