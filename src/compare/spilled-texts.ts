import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainSystemError } from '../errors.js';
import { LF } from '../log/byte-string.js';
import { MAX_RECORD_BYTES } from '../log/record.js';
import { INPUT_SPAN, inputOf } from './records.js';

/** Reads the bytes of an input at a position: as many as fit into the buffer and are there. Returns how many, 0 at the end. */
export type ReadAt = (buffer: Uint8Array, position: number) => number;

/** Before a record that is kept stand its length and that of its line, which is 0 where the record is the line. */
const HEADER_BYTES = 8;

/** The texts of records of one side, by their addresses in an input that can be read again. Other texts are kept: in one more such input. */
export class SpilledTexts {
  readonly #inputs: readonly (ReadAhead | undefined)[];
  readonly #kept = new Spill();

  constructor(inputs: readonly (ReadAt | undefined)[]) {
    this.#inputs = inputs.map((readAt) => readAt && new ReadAhead(readAt));
  }

  /** Keeps the text of a record, and that of its line where it is another. Returns its address. @throws CallError for the temporary file */
  keep(bytes: Buffer, address: number, line = ''): number {
    if (!Number.isNaN(address)) return address;
    const shown = Buffer.from(line.slice(0, MAX_RECORD_BYTES), 'latin1');
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(bytes.length, 0);
    header.writeUInt32LE(shown.length, 4);
    const kept = this.#inputs.length * INPUT_SPAN + this.#kept.length;
    for (const part of [header, bytes, shown]) this.#kept.append(part);
    return kept;
  }

  /** The compared part of a record, without LF; valid until the next call. @param isShown true for its line, cut to the length of a record */
  read(address: number, isShown = false): Buffer {
    const [input, position] = [this.#inputs[inputOf(address)], address % INPUT_SPAN];
    const maxBytes = isShown ? MAX_RECORD_BYTES : Infinity;
    if (input !== undefined) return input.readLine(position, maxBytes);
    const { ahead } = this.#kept;
    const header = ahead.read(position, HEADER_BYTES);
    const [length, shown] = [header.readUInt32LE(0), header.readUInt32LE(4)];
    const from = position + HEADER_BYTES;
    return isShown && shown > 0 ? ahead.read(from + length, shown) : ahead.read(from, Math.min(length, maxBytes));
  }

  /** Bytes of an input that can be read again, by their address in it; valid until the next call. */
  readBytes(address: number, length: number): Buffer {
    return this.#inputs[inputOf(address)]?.read(address % INPUT_SPAN, length) ?? Buffer.alloc(0);
  }

  clear(): void {
    this.#kept.clear();
  }
}

/** The size of a read where something near behind it follows, as mostly, and elsewhere. */
const READ_BYTES = 1 << 18;
const FAR_READ_BYTES = 1 << 12;

class ReadAhead {
  #buffer: Buffer = Buffer.alloc(0);
  #from = 0;
  #filled = 0;

  constructor(private readonly readAt: ReadAt) {}

  /** The bytes at a position, as many as there are; valid until the next call. */
  read(position: number, length: number): Buffer {
    const isNear = position >= this.#from && position <= this.#from + READ_BYTES;
    if (!isNear || position + length > this.#from + this.#filled)
      this.#fill(position, Math.max(length, isNear ? READ_BYTES : FAR_READ_BYTES));
    const start = position - this.#from;
    return this.#buffer.subarray(start, Math.min(start + length, this.#filled));
  }

  /** The line at a position, without its LF, or its beginning; valid until the next call. */
  readLine(position: number, maxBytes: number): Buffer {
    for (let length = FAR_READ_BYTES; ; length *= 4) {
      const bytes = this.read(position, Math.min(length, maxBytes));
      const lf = bytes.indexOf(LF);
      if (lf !== -1 || bytes.length < length) return lf === -1 ? bytes : bytes.subarray(0, lf);
    }
  }

  #fill(position: number, length: number): void {
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafeSlow(length);
    [this.#from, this.#filled] = [position, 0];
    for (let got = -1; got !== 0 && this.#filled < length; this.#filled += got)
      got = this.readAt(this.#buffer.subarray(this.#filled, length), position + this.#filled);
  }
}

const MEMORY_BYTES = 4 << 20;

/** Bytes that are read again, the last few MiB in memory. The file has no name once it is open: it goes with the process. */
class Spill {
  length = 0;
  ahead = this.#readAhead();
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);
  #fd: number | undefined;
  #filed = 0;

  append(bytes: Buffer): void {
    const used = this.length - this.#filed;
    this.length += bytes.length;
    if (used + bytes.length > MEMORY_BYTES) this.#file(this.#memory.subarray(0, used));
    if (bytes.length > MEMORY_BYTES) this.#file(bytes);
    else bytes.copy(this.#memory, this.length - bytes.length - this.#filed);
  }

  clear(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    this.length = this.#filed = 0;
    this.ahead = this.#readAhead();
  }

  #readAhead(): ReadAhead {
    return new ReadAhead((buffer, position) => {
      const inFile = this.#filed - position;
      if (inFile <= 0) return this.#memory.copy(buffer, 0, -inFile, this.length - this.#filed);
      return this.#fd === undefined ? 0 : readSync(this.#fd, buffer, 0, Math.min(buffer.length, inFile), position);
    });
  }

  #file(bytes: Buffer): void {
    try {
      if (this.#fd === undefined) {
        const path = join(tmpdir(), `webmail-diaglog-${randomUUID()}`);
        this.#fd = openSync(path, 'wx+', 0o600);
        unlinkSync(path);
      }
      writeFileSync(this.#fd, bytes);
    } catch (error) {
      throw explainSystemError(error, tmpdir());
    }
    this.#filed += bytes.length;
  }
}
