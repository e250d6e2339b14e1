import { isUtf8 } from '../log/json-text.js';
import { MAX_RECORD_BYTES } from '../log/record.js';
import { digestBytes, type DigestRecord } from './digest.js';

/** The texts that syslog-ng writes for bytes that are not UTF-8, in a row. */
const ESCAPES = /(?:\\x[89a-fA-F][\da-fA-F]){1,1000}/g;

/**
 * Makes digests of records in a form that is the same for all that collectors make of bytes that are not UTF-8: U+FFFD or `?` for such a
 * byte or for several in a row, or the text `\xNN` for each of them or for every byte from 0x80 on of the line. In the form, one `?` stands for any number
 * of those bytes and signs in a row. Records with the same form may still differ: `isLossyCopy` tells. The exact part is that of the
 * bytes, escaped or not. A line that is longer than any record stays as it is: its replacements would take hundreds of times its memory.
 */
export const digestLossy: DigestRecord = (bytes, start, end, digest) => {
  if (end - start > MAX_RECORD_BYTES) {
    digestBytes(bytes, start, end, digest);
    return;
  }
  const unescaped = unescapeBytes(bytes.subarray(start, end));
  digestBytes(unescaped, 0, unescaped.length, digest);
  const { exact } = digest;
  const form = Buffer.from(unescaped.toString().replace(/[?\ufffd]+/g, '?'));
  digestBytes(form, 0, form.length, digest);
  digest.exact = exact;
};

/** The bytes of a record, with those that are escaped as they were. */
function unescapeBytes(record: Buffer): Buffer {
  if (!record.includes('\\x')) return record;
  const text = record.toString('latin1');
  return Buffer.from(
    text.replace(ESCAPES, (escapes) => Buffer.from(escapes.replaceAll('\\x', ''), 'hex').toString('latin1')),
    'latin1',
  );
}

/** The signs for bytes that are not UTF-8: of the one or the other, a collector writes all. Byte strings. */
const SIGNS = ['?', '\xef\xbf\xbd'] as const;

/**
 * True if a received record is what a collector makes of an expected one that is not UTF-8: each stretch of bytes that are not UTF-8 has
 * become one sign at least and as many as it has bytes at most, or all of those bytes are escaped, or all bytes from 0x80 on are. All
 * else is as it was. Each way is tried up to the first byte that speaks against it.
 *
 * @param expected byte strings
 */
export function isLossyCopy(expected: string, received: string): boolean {
  return (
    SIGNS.some((sign) => isSigned(expected, received, sign)) ||
    isEscaped(expected, received, false) ||
    (isEscaped(expected, received, true) && !isUtf8(expected))
  );
}

/** True if signs stand for the bytes that are not UTF-8. Sent signs beside those cannot be told from theirs: they are counted together. */
function isSigned(expected: string, received: string, sign: string): boolean {
  const isSign = (at: number): boolean => expected.charCodeAt(at) === sign.charCodeAt(0) && expected.startsWith(sign, at);
  let cameAt = 0;
  for (let at = 0; at < expected.length;) {
    const length = sequenceLength(expected, at);
    if (length > 0 && !isSign(at)) {
      if (!hasSame(expected, at, received, cameAt, length)) return false;
      at += length;
      cameAt += length;
      continue;
    }
    let [least, most, isInvalid] = [0, 0, false];
    for (let isBetween = true; isBetween && at < expected.length;) {
      const isNext = sequenceLength(expected, at) === 0;
      isBetween = isNext || isSign(at);
      if (!isBetween) continue;
      // Of bytes in a row that are not UTF-8, one sign is the least.
      if (!isNext || !isInvalid) least += 1;
      most += 1;
      at += isNext ? 1 : sign.length;
      isInvalid = isNext;
    }
    let signs = 0;
    for (; signs <= most && received.startsWith(sign, cameAt); cameAt += sign.length) signs += 1;
    if (signs < least || signs > most) return false;
  }
  return cameAt === received.length;
}

/** True if the bytes that are not UTF-8 are escaped, or with `isAll` all bytes from 0x80 on. */
function isEscaped(expected: string, received: string, isAll: boolean): boolean {
  let cameAt = 0;
  for (let at = 0; at < expected.length;) {
    const length = sequenceLength(expected, at);
    const code = expected.charCodeAt(at);
    if (length === 0 || (isAll && code >= 0x80)) {
      if (received.slice(cameAt, cameAt + 4).toLowerCase() !== `\\x${code.toString(16)}`) return false;
      at += 1;
      cameAt += 4;
      continue;
    }
    if (!hasSame(expected, at, received, cameAt, length)) return false;
    at += length;
    cameAt += length;
  }
  return cameAt === received.length;
}

function hasSame(first: string, firstAt: number, second: string, secondAt: number, length: number): boolean {
  for (let index = 0; index < length; index += 1)
    if (first.charCodeAt(firstAt + index) !== second.charCodeAt(secondAt + index)) return false;
  return true;
}

/** The length of the UTF-8 sequence at an index (RFC 3629: no overlong forms, no surrogates); 0 for a byte that begins none. */
function sequenceLength(bytes: string, at: number): number {
  const first = bytes.charCodeAt(at);
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  const second = bytes.charCodeAt(at + 1);
  const [least, most] = [SECOND_LEAST.get(first) ?? 0x80, SECOND_MOST.get(first) ?? 0xbf];
  if (length === 0 || !(second >= least && second <= most)) return 0;
  for (let index = 2; index < length; index += 1) if ((bytes.charCodeAt(at + index) & 0xc0) !== 0x80) return 0;
  return length;
}

/** The bounds of the second byte behind a first byte for which they are not 0x80 and 0xBF. */
const SECOND_LEAST = new Map([
  [0xe0, 0xa0],
  [0xf0, 0x90],
]);
const SECOND_MOST = new Map([
  [0xed, 0x9f],
  [0xf4, 0x8f],
]);
