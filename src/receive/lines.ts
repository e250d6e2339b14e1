import { countLines, linesIn } from '../lines.js';
import { LF } from '../log/byte-string.js';
import type { Span } from '../log/json-bytes.js';
import type { Piece } from '../output/piece.js';
import { MIB, RefusedError } from './bodies.js';

/** The lines of one request take this at most: what a text of short lines, or labels beside each line, may grow to. */
const MAX_LINES_BYTES = 128 * MIB;

const FIRST_BYTES = 1 << 20;

const EMPTY = Buffer.alloc(0);
const SPACE = 0x20;

/** The bytes of a text that are escaped at a time: escapes take up to six times as many. */
const ESCAPED_BYTES = 1 << 16;

/** Fewer bytes are copied faster by a loop than by a call. */
const SHORT_BYTES = 100;

/**
 * A part of a line: a byte string without LF; bytes, which become a text of JSON without its quotes (those from 0x80 on stay as they are);
 * or a part of the body, in which an LF, which can only stand between values of JSON, becomes a space.
 */
type Part = string | Buffer | Span;

/**
 * The lines of one request, in a buffer that the next request takes over. Every line is whole: it ends in the only LF that it has. What
 * adds to them throws a RefusedError (413) once there is no room.
 */
export class LineBuffer {
  count = 0;
  #source: Buffer = EMPTY;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  /** All lines; valid until the next request. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** @param body of which lines have parts */
  begin(body: Buffer = EMPTY): void {
    this.#source = body;
    this.#length = 0;
    this.count = 0;
  }

  /** Adds a line, or what is left of it. */
  add(...parts: readonly Part[]): void {
    for (const part of parts) this.#put(part);
    this.#putText('\n');
    this.count += 1;
  }

  addMessage(message: Buffer): void {
    this.add('{"message":"', message, '"}');
  }

  /** Adds a message for each line of a text, an empty one too. */
  addText(text: Buffer): void {
    for (let from = 0; from < text.length;) {
      const lf = text.indexOf(LF, from);
      const end = lf === -1 ? text.length : lf;
      this.addMessage(text.subarray(from, end));
      from = end + 1;
    }
  }

  put(...parts: readonly Part[]): void {
    for (const part of parts) this.#put(part);
  }

  /** Removes lines. @param isRemoved is asked for each line, by its index, in order */
  remove(isRemoved: (line: number) => boolean): void {
    const lines = linesIn(this.bytes);
    this.begin(this.#source);
    for (const [line, text] of lines.entries()) if (!isRemoved(line)) this.add(text);
  }

  #put(part: Part): void {
    if (typeof part === 'string') this.#putText(part);
    else if (!Buffer.isBuffer(part)) this.#putSpan(part);
    else
      for (let at = 0; at < part.length; at += ESCAPED_BYTES)
        this.#putText(JSON.stringify(part.toString('latin1', at, at + ESCAPED_BYTES)).slice(1, -1));
  }

  #putText(text: string): void {
    const [buffer, from] = [this.#makeRoom(text.length), this.#length];
    this.#length += text.length;
    if (text.length > SHORT_BYTES) buffer.write(text, from, 'latin1');
    else for (let at = 0; at < text.length; at += 1) buffer[from + at] = text.charCodeAt(at);
  }

  #putSpan({ start, end }: Span): void {
    const [buffer, from] = [this.#makeRoom(end - start), this.#length];
    const source = this.#source;
    this.#length += end - start;
    if (end - start > SHORT_BYTES) {
      source.copy(buffer, from, start, end);
      const part = buffer.subarray(from, this.#length);
      for (let at = part.indexOf(LF); at !== -1; at = part.indexOf(LF, at + 1)) part[at] = SPACE;
    } else for (let at = start; at < end; at += 1) buffer[from + at - start] = source[at] === LF ? SPACE : (source[at] ?? 0);
  }

  #makeRoom(bytes: number): Buffer {
    const needed = this.#length + bytes;
    if (needed > MAX_LINES_BYTES) {
      const most = String(MAX_LINES_BYTES / MIB);
      throw new RefusedError(413, `the lines of this request would take more than ${most} MiB; send fewer events at a time`);
    }
    if (needed > this.#buffer.length) {
      // Pages that are not written to take no memory.
      const larger = Buffer.allocUnsafeSlow(MAX_LINES_BYTES);
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    return this.#buffer;
  }
}

/**
 * Lines as pieces of whole lines, uncopied: a failed write leaves no part of a piece, and a file may be rotated between pieces. A line that
 * is longer than a piece may be is a piece of its own.
 */
export function* piecesOf(bytes: Buffer, maxPieceBytes: number): Generator<Piece> {
  for (let start = 0; start < bytes.length;) {
    const last = bytes.subarray(start, start + maxPieceBytes).lastIndexOf(LF);
    const end = (last === -1 ? bytes.indexOf(LF, start) : start + last) + 1;
    const lines = bytes.subarray(start, end);
    yield { bytes: lines, count: countLines(lines), origin: {} };
    start = end;
  }
}
