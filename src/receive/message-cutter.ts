import { RFC3164, RFC3339 } from '../envelope/envelope-time.js';
import { LF } from '../log/byte-string.js';
import { MIB } from './bodies.js';
import type { LineBuffer } from './line-buffer.js';

/** The longest message: a longer one is cut there. The longest record has 1 MiB and 64 KiB. */
export const MAX_MESSAGE_BYTES = 2 * MIB;

/**
 * The beginning of a connection whose messages are counted (RFC 6587, 3.4.1): the length, a space, and the beginning of a record in no
 * envelope or in any. A line of another log may begin with a number too.
 */
const COUNTED = new RegExp(`^[1-9][0-9]{0,7} (?:[<[{]|${RFC3339} std(?:out|err) [PF] |${RFC3164} )`);
/** A beginning that may yet become one, if it is shorter than HEAD_BYTES. */
const MAYBE_COUNTED = /^(?:[1-9][0-9]{0,7}(?: [^\n]*)?)?$/;
const HEAD_BYTES = 64;

/** The length of a message, whole or not. */
const LENGTH = /^([1-9][0-9]{0,7})( |$)/;
const LENGTH_BYTES = 9;

const EMPTY = Buffer.alloc(0);

/** Cuts the bytes of a connection into messages, wherever the chunks end: lines, or counted messages. Its first bytes decide. */
export class MessageCutter {
  readonly #lines: LineBuffer;
  readonly #warn: (problem: string) => void;
  #form: 'unknown' | 'lines' | 'counted' = 'unknown';
  /** The bytes of a message that has begun, at most MAX_MESSAGE_BYTES of it, in a buffer that grows. */
  #begun = EMPTY;
  #length = 0;
  /** The number of bytes that the message still has; undefined between counted messages. */
  #missing: number | undefined;
  #isCut = false;

  /** @param lines takes a line for each message @param warn takes a line about a message that is not as it was sent */
  constructor(lines: LineBuffer, warn: (problem: string) => void) {
    this.#lines = lines;
    this.#warn = warn;
  }

  /** The number of bytes that are kept of a message that has begun. */
  get heldBytes(): number {
    return this.#length;
  }

  /** Cuts the next chunk. */
  push(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#form === 'unknown') {
      bytes = this.#takeBegun(chunk);
      const head = bytes.toString('latin1', 0, HEAD_BYTES);
      const isCounted = COUNTED.test(head);
      if (!isCounted && head.length < HEAD_BYTES && MAYBE_COUNTED.test(head)) {
        this.#keep(bytes);
        return;
      }
      this.#form = isCounted ? 'counted' : 'lines';
    }
    while (bytes.length > 0) bytes = this.#form === 'counted' ? this.#pushCounted(bytes) : this.#pushLine(bytes);
  }

  /** Ends the connection: what is left is a message. */
  end(): void {
    if (this.#length === 0) return;
    this.#warn('the connection ended in the middle of a message');
    this.#give(EMPTY);
  }

  /** @returns what is left */
  #pushLine(bytes: Buffer): Buffer {
    const lf = bytes.indexOf(LF);
    if (lf === -1) this.#keep(bytes);
    else this.#give(bytes.subarray(0, lf));
    return lf === -1 ? EMPTY : bytes.subarray(lf + 1);
  }

  /** @returns what is left */
  #pushCounted(given: Buffer): Buffer {
    let bytes = given;
    if (this.#missing === undefined) {
      bytes = this.#takeBegun(given);
      // Some senders end each message with an LF, which is not counted.
      if (bytes[0] === LF) return bytes.subarray(1);
      const [found, digits, space] = LENGTH.exec(bytes.toString('latin1', 0, LENGTH_BYTES)) ?? [];
      if (found === undefined) {
        this.#warn('a message without its length; lines are read from there on');
        this.#form = 'lines';
        return bytes;
      }
      if (space === '') {
        this.#keep(bytes);
        return EMPTY;
      }
      this.#missing = Number(digits);
      bytes = bytes.subarray(found.length);
    }
    const part = bytes.subarray(0, this.#missing);
    this.#missing -= part.length;
    if (this.#missing > 0) {
      this.#keep(part);
    } else {
      this.#missing = undefined;
      this.#give(part);
    }
    return bytes.subarray(part.length);
  }

  /** Takes what was kept, and a chunk behind it. */
  #takeBegun(chunk: Buffer): Buffer {
    const bytes = this.#length === 0 ? chunk : Buffer.concat([this.#begun.subarray(0, this.#length), chunk]);
    this.#length = 0;
    return bytes;
  }

  #keep(part: Buffer): void {
    const kept = Math.min(part.length, MAX_MESSAGE_BYTES - this.#length);
    if (kept < part.length && !this.#isCut) {
      this.#warn(`a message of more than ${String(MAX_MESSAGE_BYTES / MIB)} MiB was cut there`);
      this.#isCut = true;
    }
    const needed = this.#length + kept;
    if (needed > this.#begun.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(2 * needed, MAX_MESSAGE_BYTES));
      this.#begun.copy(larger, 0, 0, this.#length);
      this.#begun = larger;
    }
    part.copy(this.#begun, this.#length, 0, kept);
    this.#length = needed;
  }

  #give(last: Buffer): void {
    if (this.#length > 0 || last.length > MAX_MESSAGE_BYTES) this.#keep(last);
    this.#lines.addMessage(this.#length > 0 ? this.#begun.subarray(0, this.#length) : last);
    // A long message is rare, and its connection may stay.
    this.#begun = EMPTY;
    this.#length = 0;
    this.#isCut = false;
  }
}
