/** The message quotes nothing of the JSON. */
export class BrokenJsonError extends Error {
  override readonly name = 'BrokenJsonError';

  constructor(
    message: string,
    readonly isTooDeep = false,
  ) {
    super(message);
  }
}

/** The bytes from `start` up to, but not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A value in a container, and its name as it stands between the quotes; empty in an array. */
interface Member extends Span {
  readonly name: string;
}

/** Deeper values are refused, as Elasticsearch does. */
const MAX_DEPTH = 1000;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const OPENING_BRACE = 0x7b;

/** The closing bracket of each kind is two behind the opening one in ASCII. */
const TO_CLOSING = 2;

const SCALAR = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;
const HEX = /^[0-9A-Fa-f]{4}$/;

/** 1 for each byte that may stand in a scalar, for white space, for a digit, and for what may follow a backslash, but for `u`. */
const IN_SCALAR = tableOf(/[-+.\w]/);
const BLANK = tableOf(/[ \n\t\r]/);
const DIGIT = tableOf(/\d/);
const ESCAPED = tableOf(/["\\/bfnrt]/);

function tableOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (pattern.test(String.fromCharCode(byte)) ? 1 : 0));
}

/**
 * JSON in bytes, checked and cut without making values of it: a document is passed on as its bytes, and a body of 64 MiB takes no more
 * memory than that. Bytes from 0x80 on may stand in texts in any order, UTF-8 or not; names are compared as they stand.
 */
export class JsonBytes {
  constructor(private readonly bytes: Buffer) {}

  skipBlanks(from: number): number {
    const bytes = this.bytes;
    let at = from;
    while (at < bytes.length && BLANK[bytes[at] ?? 0] === 1) at += 1;
    return at;
  }

  isAt(at: number, opening: '{' | '[' | '"'): boolean {
    return this.bytes[at] === opening.charCodeAt(0);
  }

  /** The values of the bytes, with nothing but white space between them. @throws BrokenJsonError */
  *values(): Generator<Span> {
    for (let start = this.skipBlanks(0); start < this.bytes.length;) {
      const end = this.endOf(start);
      yield { start, end };
      start = this.skipBlanks(end);
    }
  }

  /** The object that is all there is in a part of the bytes. @param line its number, for messages @throws BrokenJsonError */
  onlyObject(from = 0, until = this.bytes.length, line?: number): Span {
    const name = line === undefined ? 'the body' : `line ${String(line)}`;
    const start = this.skipBlanks(from);
    if (start >= until || !this.isAt(start, '{')) throw new BrokenJsonError(`${name} is not an object`);
    const end = this.endOf(start);
    if (end > until) throw this.#broken(until, 'it ends early');
    if (this.skipBlanks(end) < until) throw new BrokenJsonError(`${name} holds more than an object`);
    return { start, end };
  }

  /** The elements of an array which `endOf` has checked. @throws BrokenJsonError if no array begins there */
  elements(at: number): Iterable<Span> {
    if (!this.isAt(at, '[')) throw this.#broken(at, 'an array was expected');
    return this.#valuesIn(at);
  }

  members(at: number): Iterable<Member> {
    if (!this.isAt(at, '{')) throw this.#broken(at, 'an object was expected');
    return this.#valuesIn(at);
  }

  isEmptyObject(at: number): boolean {
    const [first] = this.members(at);
    return first === undefined;
  }

  textOf({ start, end }: Span): string {
    return this.bytes.toString('latin1', start, end);
  }

  /** The last member of a name, as `JSON.parse` has it. */
  member(at: number, name: string): Span | undefined {
    let found: Span | undefined;
    for (const member of this.members(at)) if (member.name === name) found = member;
    return found;
  }

  /** Checks the value that begins at an index, and returns the index behind it. @throws BrokenJsonError */
  endOf(from: number, depth = 0): number {
    const bytes = this.bytes;
    const opening = bytes[from];
    if (opening === QUOTE) return this.#endOfText(from);
    if (opening !== OPENING_BRACE && opening !== OPENING_BRACKET) return this.#endOfScalar(from);
    let at = this.skipBlanks(from + 1);
    if (bytes[at] === opening + TO_CLOSING) return at + 1;
    if (depth === MAX_DEPTH) throw this.#broken(from, `more than ${String(MAX_DEPTH)} levels`, true);
    for (;;) {
      if (opening === OPENING_BRACE) at = this.#afterColon(this.#endOfText(at));
      at = this.skipBlanks(this.endOf(at, depth + 1));
      if (bytes[at] === opening + TO_CLOSING) return at + 1;
      if (bytes[at] !== COMMA) throw this.#broken(at, 'a comma or an end was expected');
      at = this.skipBlanks(at + 1);
    }
  }

  *#valuesIn(container: number): Generator<Member> {
    const isObject = this.isAt(container, '{');
    const closing = (this.bytes[container] ?? 0) + TO_CLOSING;
    for (let at = this.skipBlanks(container + 1); this.bytes[at] !== closing;) {
      const nameEnd = isObject ? this.#endOfText(at) : at;
      const name = isObject ? this.bytes.toString('latin1', at + 1, nameEnd - 1) : '';
      const start = isObject ? this.#afterColon(nameEnd) : at;
      const end = this.endOf(start);
      yield { name, start, end };
      at = this.skipBlanks(end);
      if (this.bytes[at] === COMMA) at = this.skipBlanks(at + 1);
    }
  }

  #afterColon(from: number): number {
    const colon = this.skipBlanks(from);
    if (this.bytes[colon] !== COLON) throw this.#broken(colon, 'a colon was expected');
    return this.skipBlanks(colon + 1);
  }

  #endOfText(from: number): number {
    const bytes = this.bytes;
    if (!this.isAt(from, '"')) throw this.#broken(from, 'a text was expected');
    for (let at = from + 1; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) return at + 1;
      if (byte < SPACE) throw this.#broken(at, 'a control character in a text');
      if (byte === BACKSLASH) {
        at += 1;
        if (bytes[at] === LETTER_U && HEX.test(bytes.toString('latin1', at + 1, at + 5))) at += 4;
        else if (ESCAPED[bytes[at] ?? 0] !== 1) throw this.#broken(at, 'an escape that JSON does not have');
      }
    }
    throw this.#broken(bytes.length, 'a text without an end');
  }

  #endOfScalar(from: number): number {
    const bytes = this.bytes;
    let end = from;
    while (IN_SCALAR[bytes[end] ?? 0] === 1) end += 1;
    // A regular expression for each digit that is a value would take most of the time.
    if (end - from === 1 && DIGIT[bytes[from] ?? 0] === 1) return end;
    if (SCALAR.test(bytes.toString('latin1', from, end))) return end;
    throw this.#broken(from, from < bytes.length ? 'a value was expected' : 'it ends early');
  }

  #broken(at: number, problem: string, isTooDeep = false): BrokenJsonError {
    return new BrokenJsonError(`broken JSON at byte ${String(at + 1)}: ${problem}`, isTooDeep);
  }
}
