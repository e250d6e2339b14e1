import { LF } from '../log/byte-string.js';
import type { Digest, DigestRecord } from './equality.js';
import { INPUT_SPAN, type RecordBlock, type TextRecord } from './records.js';

/** The records that are digested ahead, and their bytes: with 1 MiB, seven JSON lines of 350 kB ended the look ahead. */
export const LOOKAHEAD = 1024;
const LOOKAHEAD_BYTES = 8 << 20;

/** The objects are used again: a million of them as garbage take 20 MB. */
interface RecordAhead extends Digest {
  record: number;
  length: number;
  line: number;
  /** Its address in an input that can be read again; NaN in another. */
  address: number;
  seenMs: number;
  isUnordered: boolean;
  text: TextRecord['text'];
  reason: TextRecord['reason'];
}

/** The records of one side that have been read and are yet to be compared: a block in place, up to 1,024 of it digested. */
export class RecordsAhead {
  record = 0;
  /** True while no more records can be had: at the end of the inputs, or until a growing input has grown. */
  isDry = false;
  /** The block, and the index of the next record in it. */
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  /** Holds a copy of the rest of a block, and the next block behind it. */
  #memory: Buffer = Buffer.alloc(0);
  /** The digested records: in a circle, from the next one on, and their number. */
  readonly #ahead: RecordAhead[] = [];
  #first = 0;
  #count = 0;
  #bytesAhead = 0;
  /** The record behind those: its index in the block, its input, its line and its address. */
  #scanned = 0;
  #input = 0;
  #line = 1;
  #address = NaN;
  #seenMs = NaN;
  #isUnordered = false;
  /** The next line of each input of which there was a block before. */
  readonly #lines: number[] = [];
  /** The records of the last block, if they are made of texts, and the index of the record behind those digested. */
  #records: readonly TextRecord[] | undefined;
  #index = 0;

  constructor(private readonly digestRecord: DigestRecord) {}

  get isEmpty(): boolean {
    return this.at >= this.bytes.length;
  }

  /** True where the next records are lines whose bytes can be compared: none is digested, and none is made of a text. */
  get isPlain(): boolean {
    return this.#count === 0 && this.#records === undefined;
  }

  get next(): Pick<RecordAhead, 'record' | 'line' | 'address' | 'seenMs' | 'isUnordered' | 'text'> {
    const place = { line: this.#line, address: this.#address, seenMs: this.#seenMs, isUnordered: this.#isUnordered };
    return this.ahead(0) ?? { record: this.record, ...place, text: undefined };
  }

  /** The bytes of the next record, which is digested or plain, without LF; valid until a block is appended. */
  get nextBytes(): Buffer {
    const length = this.ahead(0)?.length;
    return this.bytes.subarray(this.at, length === undefined ? this.bytes.indexOf(LF, this.at) : this.at + length);
  }

  /** Copies what is left of the block, which is no longer valid when the next one is asked for. */
  keep(): void {
    this.#own(this.bytes.subarray(this.at), 0);
    this.#scanned -= this.at;
    this.at = 0;
  }

  /** Takes the next block, after `keep`: all records of the one before have been passed or digested. @param seenMs NaN where it is not known */
  append({ bytes, input, address, isUnordered = false, records }: RecordBlock, seenMs = NaN): void {
    if (this.bytes.length === 0) this.bytes = bytes;
    else this.#own(bytes, this.bytes.length);
    // Blocks of inputs that grow come in any order.
    this.#lines[this.#input] = this.#line;
    this.#line = this.#lines[input] ?? input * INPUT_SPAN + 1;
    this.#input = input;
    this.#address = address;
    this.#seenMs = seenMs;
    this.#isUnordered = isUnordered;
    this.#records = records;
    this.#index = 0;
  }

  /** Digests the next records, `count` at most. Returns how many are digested, at most `count`. */
  scan(count: number): number {
    while (this.#count < Math.min(count, LOOKAHEAD) && this.#hasRoom && this.#scanned < this.bytes.length) this.#scanNext();
    return Math.min(count, this.#count);
  }

  mayScan(count: number): boolean {
    return !this.isDry && this.scan(count) < count && this.#hasRoom;
  }

  ahead(index: number): RecordAhead | undefined {
    return index < this.#count ? this.#ahead[(this.#first + index) % LOOKAHEAD] : undefined;
  }

  get head(): RecordAhead | undefined {
    this.scan(1);
    return this.ahead(0);
  }

  advance(): void {
    const { head } = this;
    if (head === undefined) return;
    this.#bytesAhead -= sizeOf(head);
    // A thousand texts of passed records may hold a gigabyte.
    head.text = undefined;
    this.at += head.length + 1;
    this.record += 1;
    this.#first += 1;
    this.#count -= 1;
  }

  advanceBytes(length: number, records: number): void {
    this.at += length;
    this.record += records;
    this.#scanned += length;
    this.#line += records;
    this.#address += length;
  }

  /** Copies bytes behind those that are kept of the block, into memory that is used again. */
  #own(bytes: Buffer, kept: number): void {
    const length = kept + bytes.length;
    if (this.#memory.length < length) this.#memory = Buffer.concat([this.#memory.subarray(0, kept)], length + LOOKAHEAD_BYTES);
    bytes.copy(this.#memory, kept);
    this.bytes = this.#memory.subarray(0, length);
  }

  get #hasRoom(): boolean {
    return this.#bytesAhead < LOOKAHEAD_BYTES;
  }

  #scanNext(): void {
    const { compared, line = this.#line, text, reason }: Partial<TextRecord> = this.#records?.[this.#index] ?? {};
    const start = this.#scanned;
    const record = (this.#ahead[(this.#first + this.#count) % LOOKAHEAD] ??= createRecord());
    record.record = this.record + this.#count;
    record.length = compared?.length ?? this.bytes.indexOf(LF, start) - start;
    record.line = line;
    record.address = this.#address;
    record.seenMs = this.#seenMs;
    record.isUnordered = this.#isUnordered;
    record.text = text;
    record.reason = reason;
    // No record has this digest, but with a chance of 2^-64.
    if (reason !== undefined) [record.low, record.high, record.exact] = [0, 0, 0];
    else this.digestRecord(this.bytes, start, start + record.length, record);
    this.#bytesAhead += sizeOf(record);
    this.#count += 1;
    this.#index += 1;
    this.#line = record.line + 1;
    this.#address += record.length + 1;
    this.#scanned += record.length + 1;
  }
}

function sizeOf({ length, text }: RecordAhead): number {
  return length + (text?.length ?? 0);
}

function createRecord(): RecordAhead {
  const numbers = { low: 0, high: 0, exact: 0, record: 0, length: 0, line: 0, address: 0, seenMs: 0 };
  return Object.assign(numbers, { isUnordered: false, text: undefined, reason: undefined });
}
