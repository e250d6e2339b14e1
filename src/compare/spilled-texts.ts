import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainSystemError } from '../errors.js';
import { LF } from '../log/byte-string.js';
import { MAX_RECORD_BYTES } from '../log/record.js';
import { INPUT_SPAN, inputOf } from './records.js';

/** Before a record that is kept stand its length and that of its line, which is 0 where the record is the line. */
const HEADER_BYTES = 8;

/** The texts of records of one side, by their addresses: a position in an input that can be read again; other texts are kept whole. */
export class SpilledTexts {
  readonly #inputs: readonly (ReadAhead | undefined)[];
  readonly #spill = new Spill();

  constructor(inputs: readonly (ReadAt | undefined)[]) {
    this.#inputs = inputs.map((readAt) => readAt && new ReadAhead(readAt));
  }

  /** Keeps the text of a record, and that of its line where it is another. Returns its address. @throws CallError for the temporary file */
  keep(bytes: Buffer, address: number, line = ''): number {
    // Below 0, so that it is told from an address among the texts that are kept.
    if (!Number.isNaN(address)) return -1 - address;
    const header = Buffer.alloc(HEADER_BYTES);
    const shown = Buffer.from(line.slice(0, MAX_RECORD_BYTES), 'latin1');
    header.writeUInt32LE(bytes.length, 0);
    header.writeUInt32LE(shown.length, 4);
    const kept = this.#spill.append(header);
    this.#spill.append(bytes);
    this.#spill.append(shown);
    return kept;
  }

  /** The compared part of a record, without LF, or its beginning; valid until the next call. */
  read(address: number, maxBytes = Infinity): Buffer {
    if (address < 0) return this.#inputOf(-1 - address)?.readLine((-1 - address) % INPUT_SPAN, maxBytes) ?? Buffer.alloc(0);
    const length = this.#spill.read(address, HEADER_BYTES).readUInt32LE(0);
    return this.#spill.read(address + HEADER_BYTES, Math.min(length, maxBytes));
  }

  /** The text of a record's line, a byte string without LF; of a line that is longer than any record, its beginning. */
  readShown(address: number): string {
    const header = address < 0 ? undefined : this.#spill.read(address, HEADER_BYTES);
    const [length, shown] = [header?.readUInt32LE(0) ?? 0, header?.readUInt32LE(4) ?? 0];
    const bytes = shown === 0 ? this.read(address, MAX_RECORD_BYTES) : this.#spill.read(address + HEADER_BYTES + length, shown);
    return bytes.toString('latin1');
  }

  /** Bytes of an input that can be read again, by their address in it; valid until the next call. */
  readBytes(address: number, length: number): Buffer {
    return this.#inputOf(address)?.read(address % INPUT_SPAN, length) ?? Buffer.alloc(0);
  }

  clear(): void {
    this.#spill.clear();
  }

  #inputOf(address: number): ReadAhead | undefined {
    return this.#inputs[inputOf(address)];
  }
}

/** The size of a read where something near behind it follows, as mostly, and elsewhere. */
const READ_BYTES = 1 << 18;
const FAR_READ_BYTES = 1 << 12;

/** Reads the bytes of an input at a position: as many as fit into the buffer and are there. Returns how many, 0 at the end. */
export type ReadAt = (buffer: Uint8Array, position: number) => number;

class ReadAhead {
  readonly #readAt: ReadAt;
  #buffer: Buffer = Buffer.alloc(0);
  #bytes: Buffer = Buffer.alloc(0);
  #from = 0;

  constructor(readAt: ReadAt) {
    this.#readAt = readAt;
  }

  /** The bytes at a position, as many as there are; valid until the next call. */
  read(position: number, length: number): Buffer {
    const isRead = position >= this.#from && position + length <= this.#from + this.#bytes.length;
    if (!isRead) {
      const isNear = position >= this.#from && position <= this.#from + READ_BYTES;
      this.#fill(position, Math.max(length, isNear ? READ_BYTES : FAR_READ_BYTES));
    }
    return this.#bytes.subarray(position - this.#from, position - this.#from + length);
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
    let filled = 0;
    while (filled < length) {
      const got = this.#readAt(this.#buffer.subarray(filled, length), position + filled);
      if (got === 0) break;
      filled += got;
    }
    this.#bytes = this.#buffer.subarray(0, filled);
    this.#from = position;
  }
}

const MEMORY_BYTES = 4 << 20;

/** Bytes that are read again by their address, the last few MiB in memory. The file has no name once it is open: it goes with the process. */
class Spill {
  length = 0;
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);
  #opened: { readonly fd: number; readonly ahead: ReadAhead } | undefined;
  #filed = 0;

  append(bytes: Buffer): number {
    const address = this.length;
    this.length += bytes.length;
    if (this.length > this.#filed + MEMORY_BYTES) this.#file(this.#memory.subarray(0, address - this.#filed));
    if (bytes.length > MEMORY_BYTES) this.#file(bytes);
    else bytes.copy(this.#memory, address - this.#filed);
    return address;
  }

  /** Bytes that were written by one call, or some of them; valid until the next call. */
  read(address: number, length: number): Buffer {
    const kept = address - this.#filed;
    return kept < 0 && this.#opened ? this.#opened.ahead.read(address, length) : this.#memory.subarray(kept, kept + length);
  }

  clear(): void {
    if (this.#opened !== undefined) closeSync(this.#opened.fd);
    this.#opened = undefined;
    this.length = 0;
    this.#filed = 0;
  }

  #file(bytes: Buffer): void {
    try {
      if (this.#opened === undefined) {
        const path = join(tmpdir(), `webmail-diaglog-${randomUUID()}`);
        const fd = openSync(path, 'wx+', 0o600);
        unlinkSync(path);
        this.#opened = { fd, ahead: new ReadAhead((buffer, address) => readSync(fd, buffer, 0, buffer.length, address)) };
      }
      writeFileSync(this.#opened.fd, bytes);
    } catch (error) {
      throw explainSystemError(error, tmpdir());
    }
    this.#filed += bytes.length;
  }
}
