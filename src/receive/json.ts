import { RefusedError } from './refused-error.js';

/** A part of a body: the bytes from `start` up to, but not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A member of an object: its value, and the place of its name. */
interface Member extends Span {
  /** The index of the first byte of the name, in quotes, and the one behind it. */
  readonly nameStart: number;
  readonly nameEnd: number;
}

/** Deeper values are refused, as Elasticsearch does. */
const MAX_DEPTH = 1000;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** 1 for each byte that may stand in a number. */
const IN_NUMBER = Uint8Array.from({ length: 256 }, (_, byte) => ('+-.0123456789Ee'.includes(String.fromCharCode(byte)) ? 1 : 0));
const HEX = /^[0-9A-Fa-f]{4}$/;
const LITERALS = ['true', 'false', 'null'] as const;

/** Characters that may follow a backslash, but for `u`. */
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const LETTER_U = 0x75;

/** For each container that is open, from the outermost: 1 for an object, 0 for an array. One value is read at a time. */
const OPEN_CONTAINERS = new Uint8Array(MAX_DEPTH);

/**
 * JSON in bytes, checked and cut without making values of it: a document is passed on as its bytes, and a body of 64 MiB takes no more
 * memory than that. Bytes from 0x80 on may stand in texts in any order, UTF-8 or not; names are compared as they stand.
 */
export class JsonBytes {
  readonly bytes: Buffer;
  readonly #until: number;

  /** @param until the end of the JSON in the bytes; default, that of the bytes */
  constructor(bytes: Buffer, until: number = bytes.length) {
    this.bytes = bytes;
    this.#until = until;
  }

  /** The index of the first byte from an index on that is not white space; the end if there is none. */
  skipBlanks(from: number): number {
    let at = from;
    while (at < this.#until) {
      const byte = this.bytes[at];
      if (byte !== SPACE && byte !== LINE_FEED && byte !== TAB && byte !== CARRIAGE_RETURN) break;
      at += 1;
    }
    return at;
  }

  /** True if an object begins at an index. */
  isObjectAt(at: number): boolean {
    return at < this.#until && this.bytes[at] === OPENING_BRACE;
  }

  /** True if an array begins at an index. */
  isArrayAt(at: number): boolean {
    return at < this.#until && this.bytes[at] === OPENING_BRACKET;
  }

  /** True if a text begins at an index. */
  isTextAt(at: number): boolean {
    return at < this.#until && this.bytes[at] === QUOTE;
  }

  /** The values that follow one another, with nothing but white space between them. @throws RefusedError for broken JSON */
  *values(): Generator<Span> {
    for (let start = this.skipBlanks(0); start < this.#until;) {
      const end = this.endOf(start);
      yield { start, end };
      start = this.skipBlanks(end);
    }
  }

  /** The elements of the array at an index, which `endOf` has checked. @throws RefusedError if no array begins there */
  *elements(at: number): Generator<Span> {
    if (!this.isArrayAt(at)) throw this.#broken(at, 'an array was expected');
    let start = this.skipBlanks(at + 1);
    if (this.bytes[start] === CLOSING_BRACKET) return;
    for (;;) {
      const end = this.endOf(start);
      yield { start, end };
      const next = this.skipBlanks(end);
      if (this.bytes[next] !== COMMA) return;
      start = this.skipBlanks(next + 1);
    }
  }

  /** The first member of the object at an index, which `endOf` has checked; undefined if there is none. @throws RefusedError for no object */
  firstMember(at: number): Member | undefined {
    if (!this.isObjectAt(at)) throw this.#broken(at, 'an object was expected');
    const first = this.skipBlanks(at + 1);
    return this.bytes[first] === CLOSING_BRACE ? undefined : this.#memberAt(first);
  }

  /** The member behind another; undefined if that is the last one. */
  nextMember({ end }: Member): Member | undefined {
    const next = this.skipBlanks(end);
    return this.bytes[next] === COMMA ? this.#memberAt(this.skipBlanks(next + 1)) : undefined;
  }

  /** True if a member has a name, a byte string; escapes are compared as they stand. */
  isNamed({ nameStart, nameEnd }: Member, name: string): boolean {
    return nameEnd - nameStart === name.length + 2 && this.#hasAt(nameStart + 1, name);
  }

  /** The value of the member of a name in the object at an index, which `endOf` has checked: the last one, as `JSON.parse` has it. */
  member(at: number, name: string): Span | undefined {
    let found: Span | undefined;
    for (let member = this.firstMember(at); member !== undefined; member = this.nextMember(member)) {
      if (this.isNamed(member, name)) found = member;
    }
    return found;
  }

  /**
   * The index behind the value that begins at an index. The value is checked, whatever stands in it.
   *
   * @throws RefusedError for broken JSON
   */
  endOf(from: number): number {
    const { bytes } = this;
    const until = this.#until;
    const isObject = OPEN_CONTAINERS;
    let depth = 0;
    let at = from;
    for (;;) {
      const byte = at < until ? (bytes[at] ?? 0) : 0;
      if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
        const first = this.skipBlanks(at + 1);
        // The closing bracket of each kind is two behind the opening one in ASCII.
        if (first < until && bytes[first] === byte + 2) {
          at = first + 1;
        } else {
          if (depth === MAX_DEPTH) throw this.#broken(at, `more than ${String(MAX_DEPTH)} levels`);
          isObject[depth] = byte === OPENING_BRACE ? 1 : 0;
          depth += 1;
          at = byte === OPENING_BRACE ? this.#afterColon(this.#endOfText(first)) : first;
          continue;
        }
      } else {
        at = byte === QUOTE ? this.#endOfText(at) : this.#endOfScalar(at);
      }
      // Behind a value: the containers that end here, and then the next value of the one that does not.
      for (;;) {
        if (depth === 0) return at;
        const inObject = isObject[depth - 1] === 1;
        const next = this.skipBlanks(at);
        const following = next < until ? bytes[next] : 0;
        if (following === COMMA) {
          at = this.skipBlanks(next + 1);
          if (inObject) at = this.#afterColon(this.#endOfText(at));
          break;
        }
        if (following !== (inObject ? CLOSING_BRACE : CLOSING_BRACKET))
          throw this.#broken(next, 'a comma or an end was expected');
        depth -= 1;
        at = next + 1;
      }
    }
  }

  #memberAt(nameStart: number): Member {
    const nameEnd = this.#endOfText(nameStart);
    const start = this.#afterColon(nameEnd);
    return { nameStart, nameEnd, start, end: this.endOf(start) };
  }

  #afterColon(from: number): number {
    const colon = this.skipBlanks(from);
    if (colon >= this.#until || this.bytes[colon] !== COLON) throw this.#broken(colon, 'a colon was expected');
    return this.skipBlanks(colon + 1);
  }

  #endOfText(from: number): number {
    const { bytes } = this;
    const until = this.#until;
    if (!this.isTextAt(from)) throw this.#broken(from, 'a text was expected');
    for (let at = from + 1; at < until; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) return at + 1;
      if (byte < SPACE) throw this.#broken(at, 'a control character in a text');
      if (byte === BACKSLASH) {
        at += 1;
        const escaped = at < until ? (bytes[at] ?? 0) : 0;
        if (escaped === LETTER_U && at + 4 < until && HEX.test(bytes.toString('latin1', at + 1, at + 5))) at += 4;
        else if (!ESCAPED.has(escaped)) throw this.#broken(at, 'an escape that JSON does not have');
      }
    }
    throw this.#broken(until, 'a text without an end');
  }

  #endOfScalar(from: number): number {
    const first = from < this.#until ? (this.bytes[from] ?? 0) : 0;
    if (first === MINUS || isDigit(first)) return this.#endOfNumber(from);
    const literal = LITERALS.find((text) => this.#hasAt(from, text));
    if (literal === undefined) throw this.#broken(from, from < this.#until ? 'a value was expected' : 'it ends early');
    return from + literal.length;
  }

  #endOfNumber(from: number): number {
    let end = from + 1;
    while (end < this.#until && IN_NUMBER[this.bytes[end] ?? 0] === 1) end += 1;
    const isDigitAlone = end - from === 1 && this.bytes[from] !== MINUS;
    if (!isDigitAlone && !NUMBER.test(this.bytes.toString('latin1', from, end))) throw this.#broken(from, 'not a number');
    return end;
  }

  #hasAt(from: number, text: string): boolean {
    return from + text.length <= this.#until && this.bytes.toString('latin1', from, from + text.length) === text;
  }

  #broken(at: number, problem: string): RefusedError {
    return new RefusedError(400, `broken JSON at byte ${String(at + 1)}: ${problem}`);
  }
}

function isDigit(byte: number): boolean {
  return byte >= DIGIT_0 && byte <= DIGIT_9;
}
