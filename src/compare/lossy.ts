import { digestBytes, type DigestRecord } from './digest.js';

const QUESTION_MARK = 0x3f;

/** U+FFFD in UTF-8. */
const REPLACEMENT = [0xef, 0xbf, 0xbd] as const;
const REPLACEMENT_TEXT = '\xef\xbf\xbd';

/** The text that syslog-ng writes for a byte that is not UTF-8. */
const ESCAPED_BYTE = /\\x([89a-fA-F][\da-fA-F])/g;

/**
 * Makes digests of records in a form that is the same for all that collectors make of bytes that are not UTF-8: U+FFFD or `?` for such a
 * byte or for several in a row, or the text `\xNN` for each of them or for every byte from 0x80 on of the line. In the form, one `?` stands for any number
 * of those bytes and signs in a row. Records with the same form may still differ: `isLossyCopy` tells.
 */
export class LossyDigester {
  #form: Buffer = Buffer.alloc(1 << 12);

  readonly digest: DigestRecord = (bytes, start, end, digest) => {
    const length = this.#write(unescapeBytes(bytes.subarray(start, end)));
    digestBytes(this.#form, 0, length, digest);
  };

  /** Writes the form of a record; gives its length. */
  #write(bytes: Buffer): number {
    if (this.#form.length < bytes.length) this.#form = Buffer.allocUnsafe(2 * bytes.length);
    const form = this.#form;
    let length = 0;
    let isSign = false;
    for (let at = 0; at < bytes.length;) {
      const byte = bytes[at] ?? 0;
      const size = sequenceLength(bytes, at);
      const wasSign = isSign;
      isSign = byte === QUESTION_MARK || size === 0 || (size === 3 && isReplacement(bytes, at));
      if (!isSign) {
        for (let index = 0; index < size; index += 1) form[length + index] = bytes[at + index] ?? 0;
        length += size;
      } else if (!wasSign) {
        form[length] = QUESTION_MARK;
        length += 1;
      }
      at += Math.max(size, 1);
    }
    return length;
  }
}

function isReplacement(bytes: Buffer, at: number): boolean {
  return REPLACEMENT.every((byte, index) => bytes[at + index] === byte);
}

/**
 * True if a received record is what a collector makes of an expected one that is not UTF-8: each stretch of bytes that are not UTF-8 has
 * become one sign at least and as many as it has bytes at most, or all of those bytes are escaped, or all bytes from 0x80 on are. All
 * else is as it was.
 *
 * @param expected byte strings
 */
export function isLossyCopy(expected: string, received: string): boolean {
  const stretches = stretchesOf(expected);
  if (stretches.every(({ isUtf8 }) => isUtf8)) return received === expected;
  return (
    ESCAPES.some((escape) => {
      const partly = stretches.map(({ text, isUtf8 }) => (isUtf8 ? text : escapeBytes(text, escape))).join('');
      return received === partly || received === escapeBytes(expected, escape);
    }) || isSigned(stretches, received)
  );
}

/** Bytes of a record in a row, all of them UTF-8 or none. */
interface Stretch {
  readonly text: string;
  readonly isUtf8: boolean;
}

function stretchesOf(record: string): readonly Stretch[] {
  const bytes = Buffer.from(record, 'latin1');
  const stretches: Stretch[] = [];
  let start = 0;
  let isUtf8 = true;
  for (let at = 0; at < bytes.length;) {
    const size = sequenceLength(bytes, at);
    if (size > 0 !== isUtf8) {
      stretches.push({ text: record.slice(start, at), isUtf8 });
      start = at;
      isUtf8 = !isUtf8;
    }
    at += Math.max(size, 1);
  }
  return [...stretches, { text: record.slice(start), isUtf8 }];
}

/** True if signs stand for the stretches that are not UTF-8. */
function isSigned(stretches: readonly Stretch[], received: string): boolean {
  return received.includes(REPLACEMENT_TEXT) ? isSignedAnyhow(stretches, received) : isQuestioned(stretches, received);
}

/** True if question marks stand for the stretches. Sent ones beside a stretch cannot be told from its signs: they are counted together. */
function isQuestioned(stretches: readonly Stretch[], received: string): boolean {
  const marked = stretches.map(({ text, isUtf8 }) => (isUtf8 ? text : `?${OPTIONAL_SIGN.repeat(text.length - 1)}`)).join('');
  const sent = marked.split(MARKED_SIGNS);
  const came = received.split(QUESTION_MARKS);
  return (
    came.length === sent.length &&
    came.every((part, index) => {
      const most = sent[index] ?? '';
      if (index % 2 === 0) return part === most;
      return part.length <= most.length && part.length >= most.replaceAll(OPTIONAL_SIGN, '').length;
    })
  );
}

const QUESTION_MARKS = /(\?+)/;

/** Stands for a question mark that may be left out: a byte string does not hold this character. */
const OPTIONAL_SIGN = '\u0100';
const MARKED_SIGNS = /([?\u0100]+)/;

/** The steps for a byte that are spent on finding what stands for what, and some more: only a crafted record takes more. */
const STEPS_PER_BYTE = 8;
const FREE_STEPS = 1024;

/** True if signs of either form stand for the stretches. All ends of a stretch that are possible are followed at the same time. */
function isSignedAnyhow(stretches: readonly Stretch[], received: string): boolean {
  let steps = STEPS_PER_BYTE * received.length + FREE_STEPS;
  let places = new Set([0]);
  for (const { text, isUtf8 } of stretches) {
    const next = new Set<number>();
    for (const place of places) {
      if (isUtf8) {
        if (received.startsWith(text, place)) next.add(place + text.length);
        steps -= 1;
        continue;
      }
      let at = place + signLength(received, place);
      for (let count = 1, from = place; at > from && count <= text.length; count += 1) {
        next.add(at);
        from = at;
        at += signLength(received, at);
        steps -= 1;
      }
    }
    if (steps < 0) return false;
    places = next;
  }
  return places.has(received.length);
}

/** The length of the sign at a place; 0 if none is there. */
function signLength(received: string, place: number): number {
  if (received[place] === '?') return 1;
  return received.startsWith(REPLACEMENT_TEXT, place) ? REPLACEMENT.length : 0;
}

function escapeBytes(text: string, escape: (byte: string) => string): string {
  return text.replace(/[\x80-\xff]/g, escape);
}

/** The digits of an escape are in lower case (syslog-ng) or in upper case, in the whole of a line. */
const ESCAPES: readonly ((byte: string) => string)[] = [
  (byte) => `\\x${byte.charCodeAt(0).toString(16)}`,
  (byte) => `\\x${byte.charCodeAt(0).toString(16).toUpperCase()}`,
];

/** The bytes of a record, with those that are escaped as they were. */
function unescapeBytes(record: Buffer): Buffer {
  if (!record.includes('\\x')) return record;
  const text = record.toString('latin1');
  return Buffer.from(
    text.replace(ESCAPED_BYTE, (_, digits: string) => String.fromCharCode(parseInt(digits, 16))),
    'latin1',
  );
}

/** The length in bytes of the UTF-8 sequence at a place; 0 for bytes that are not UTF-8 (RFC 3629: no overlong forms, no surrogates). */
function sequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const second = bytes[at + 1] ?? 0;
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let index = 2; index < size; index += 1) if (((bytes[at + index] ?? 0) & 0xc0) !== 0x80) return 0;
  return size;
}
