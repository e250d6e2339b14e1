import { RFC3164, RFC3339 } from '../envelope/envelope-time.js';
import { LF } from '../log/byte-string.js';
import { MIB } from './bodies.js';

/** The longest message: a longer one is cut there. The longest record has 1 MiB and 64 KiB. */
export const MAX_MESSAGE_BYTES = 2 * MIB;

/**
 * The beginning of a connection whose messages are counted (RFC 6587, 3.4.1): the length, a space, and the beginning of a record in no
 * envelope or in any. A line of another log may begin with a number too.
 */
const COUNTED = new RegExp(`^[1-9][0-9]{0,7} (?:[<[{]|${RFC3339} std(?:out|err) [PF] |${RFC3164} )`);
/** A beginning that may yet become one. */
const MAYBE_COUNTED = /^(?:[1-9][0-9]{0,7}(?: [^\n]*)?)?$/;
/** The length of a message. */
const LENGTH = /^([1-9][0-9]{0,7}) /;
const MAYBE_LENGTH = /^[1-9][0-9]{0,7}$/;
const HEAD_BYTES = 64;

/** The handlers of what is cut. */
interface Handlers {
  /** Takes the bytes of a message, valid until it returns. */
  readonly take: (message: Buffer) => void;
  /** Takes a line about a message that is not as it was sent. */
  readonly warn: (problem: string) => void;
}

/** Cuts the bytes of a connection into messages, wherever the chunks end: lines, or counted messages. Its first bytes decide. */
export class MessageCutter {
  readonly #handlers: Handlers;
  #form: 'unknown' | 'lines' | 'counted' = 'unknown';
  /** The bytes of a message that has begun, at most MAX_MESSAGE_BYTES of it, in a buffer that grows. */
  #begun: Buffer = Buffer.alloc(0);
  #length = 0;
  /** The number of bytes that the message still has; undefined between counted messages. */
  #missing: number | undefined;
  #isCut = false;

  constructor(handlers: Handlers) {
    this.#handlers = handlers;
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
    while (bytes.length > 0) bytes = this.#form === 'counted' ? this.#pushCounted(bytes) : this.#pushLines(bytes);
  }

  /** Ends the connection: what is left is a message. */
  end(): void {
    if (this.#length === 0) return;
    this.#handlers.warn('the connection ended in the middle of a message');
    this.#give(Buffer.alloc(0));
  }

  /** @returns what is left */
  #pushLines(bytes: Buffer): Buffer {
    const lf = bytes.indexOf(LF);
    if (lf === -1) this.#keep(bytes);
    else this.#give(bytes.subarray(0, lf));
    return lf === -1 ? bytes.subarray(bytes.length) : bytes.subarray(lf + 1);
  }

  /** @returns what is left */
  #pushCounted(given: Buffer): Buffer {
    let bytes = given;
    if (this.#missing === undefined) {
      bytes = this.#takeBegun(given);
      // Some senders end each message with an LF, which is not counted.
      if (bytes[0] === LF) return bytes.subarray(1);
      const head = bytes.toString('latin1', 0, HEAD_BYTES);
      const [found, digits] = LENGTH.exec(head) ?? [];
      if (found === undefined && MAYBE_LENGTH.test(head)) {
        this.#keep(bytes);
        return bytes.subarray(bytes.length);
      }
      if (found === undefined) {
        this.#handlers.warn('a message without its length; lines are read from there on');
        this.#form = 'lines';
        return bytes;
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
    const room = MAX_MESSAGE_BYTES - this.#length;
    if (part.length > room && !this.#isCut) {
      this.#handlers.warn(`a message of more than ${String(MAX_MESSAGE_BYTES / MIB)} MiB was cut there`);
      this.#isCut = true;
    }
    const kept = Math.min(part.length, room);
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
    if (this.#length === 0 && last.length <= MAX_MESSAGE_BYTES) {
      this.#handlers.take(last);
    } else {
      this.#keep(last);
      this.#handlers.take(this.#begun.subarray(0, this.#length));
    }
    this.#length = 0;
    this.#isCut = false;
    // A long message is rare, and its connection may stay.
    if (this.#begun.length > HELD_BETWEEN_BYTES) this.#begun = Buffer.alloc(0);
  }
}

/** The buffer of a message that may be kept for the next one. */
const HELD_BETWEEN_BYTES = 1 << 14;
