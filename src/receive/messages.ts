import { RFC3164, RFC3339 } from '../envelope/envelope-time.js';
import { LF } from '../log/byte-string.js';
import { MIB } from './bodies.js';
import type { LineBuffer } from './lines.js';

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

const LENGTH = /^([1-9][0-9]{0,7})( |$)/;
const LENGTH_BYTES = 9;

/** Cuts the bytes of a connection into messages, wherever the chunks end: lines, or counted messages. Its first bytes decide. */
export class MessageCutter {
  #form: 'lines' | 'counted' | undefined;
  /** The message that has begun; a counted one behind its length. */
  #begun = Buffer.alloc(0);
  /** The number of bytes to come of a message that was cut; Infinity for those up to an LF. */
  #skipped = 0;

  /** @param lines takes a line for each message @param warn takes a line about a message that is not as it was sent */
  constructor(
    private readonly lines: LineBuffer,
    private readonly warn: (problem: string) => void,
  ) {}

  get heldBytes(): number {
    return this.#begun.length;
  }

  push(chunk: Buffer): void {
    const joined = Buffer.concat([this.#begun, chunk]);
    this.#form ??= formOf(joined.toString('latin1', 0, HEAD_BYTES));
    let bytes = joined;
    for (let length = this.#cut(bytes); length > 0; length = this.#cut(bytes)) bytes = bytes.subarray(length);
    // A rest does not keep the whole chunk in memory.
    this.#begun = bytes === joined ? joined : Buffer.from(bytes);
  }

  /** Ends the connection: what is left is a message. */
  end(): void {
    const [length = '', , space] = this.#form === 'counted' ? lengthIn(this.#begun) : [];
    const message = this.#begun.subarray(space === ' ' ? length.length : 0);
    this.#begun = Buffer.alloc(0);
    if (message.length === 0) return;
    this.warn('the connection ended in the middle of a message');
    this.lines.addMessage(message);
  }

  /** Gives the message that comes first. @returns the number of bytes that are done with; 0 if more must come */
  #cut(bytes: Buffer): number {
    if (bytes.length === 0 || this.#form === undefined) return 0;
    if (this.#skipped > 0) return this.#pass(bytes, this.#form === 'counted' ? this.#skipped : endOfLine(bytes) + 1);
    if (this.#form === 'counted') {
      // Some senders end each message with an LF, which is not counted.
      if (bytes[0] === LF) return 1;
      const [length = '', digits, space] = lengthIn(bytes);
      if (space === ' ') return this.#give(bytes, length.length, length.length + Number(digits));
      if (space === '') return 0;
      this.warn('a message without its length; lines are read from there on');
      this.#form = 'lines';
    }
    return this.#give(bytes, 0, endOfLine(bytes), 1);
  }

  /** Gives a message, or the beginning of one that is too long. @param behind the number of bytes that end it */
  #give(bytes: Buffer, start: number, end: number, behind = 0): number {
    if (end + behind > bytes.length && bytes.length - start <= MAX_MESSAGE_BYTES) return 0;
    const cut = start + MAX_MESSAGE_BYTES;
    if (end > cut) this.warn(`a message of more than ${String(MAX_MESSAGE_BYTES / MIB)} MiB was cut there`);
    this.lines.addMessage(bytes.subarray(start, Math.min(end, cut)));
    return this.#pass(bytes, end + behind);
  }

  #pass(bytes: Buffer, length: number): number {
    this.#skipped = Math.max(0, length - bytes.length);
    return Math.min(length, bytes.length);
  }
}

/** The form of a connection that begins with these bytes; undefined if more must come. */
function formOf(head: string): 'lines' | 'counted' | undefined {
  if (COUNTED.test(head)) return 'counted';
  return head.length < HEAD_BYTES && MAYBE_COUNTED.test(head) ? undefined : 'lines';
}

/** The length that bytes begin with and its space, its digits, the space; the space is empty if more must come. */
function lengthIn(bytes: Buffer): readonly string[] {
  return LENGTH.exec(bytes.toString('latin1', 0, LENGTH_BYTES)) ?? [];
}

function endOfLine(bytes: Buffer): number {
  const lf = bytes.indexOf(LF);
  return lf === -1 ? Infinity : lf;
}
