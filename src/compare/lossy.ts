import { MAX_RECORD_BYTES } from '../log/record.js';
import { digestBytes, type DigestRecord } from './digest.js';

/** The texts that syslog-ng writes for bytes that are not UTF-8, in a row. */
const ESCAPES = /(?:\\x[89a-fA-F][\da-fA-F]){1,1000}/g;

/**
 * Makes digests of records in a form that is the same for all that collectors make of bytes that are not UTF-8: U+FFFD or `?` for such a
 * byte or for several in a row, or the text `\xNN` for each of them or for every byte from 0x80 on of the line. In the form, one `?` stands for any number
 * of those bytes and signs in a row. Records with the same form may still differ: `isLossyCopy` tells. A line that is longer than any
 * record stays as it is: its replacements would take hundreds of times its memory.
 */
export const digestLossy: DigestRecord = (bytes, start, end, digest) => {
  if (end - start > MAX_RECORD_BYTES) {
    digestBytes(bytes, start, end, digest);
    return;
  }
  const decoded = unescapeBytes(bytes.subarray(start, end)).toString();
  const form = Buffer.from(decoded.replace(/[?\ufffd]+/g, '?'));
  digestBytes(form, 0, form.length, digest);
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

/** The signs for bytes that are not UTF-8: of the one or the other, a collector writes all. */
const SIGNS = ['?', '\xef\xbf\xbd'] as const;

/** A sign, and the bytes that are not UTF-8, in a raised text. */
const SIGN = '\u0100';
const SIGNS_OR_RAISED = /([\u0100-\u01ff]+)/;
const RAISED = /[\u0180-\u01ff]+/g;
const RAISED_OR_BYTES = /[\x80-\u01ff]+/g;

/**
 * True if a received record is what a collector makes of an expected one that is not UTF-8: each stretch of bytes that are not UTF-8 has
 * become one sign at least and as many as it has bytes at most, or all of those bytes are escaped, or all bytes from 0x80 on are. All
 * else is as it was.
 *
 * @param expected byte strings
 */
export function isLossyCopy(expected: string, received: string): boolean {
  const raised = raiseInvalid(expected);
  if (raised === expected) return received === expected;
  const escaped = received.replace(ESCAPES, (escapes) => escapes.toLowerCase());
  return (
    [RAISED, RAISED_OR_BYTES].some((bytes) => escaped === escapeBytes(raised, bytes)) ||
    SIGNS.some((sign) => isSigned(raised, received, sign))
  );
}

/** Bytes from 0x80 on in a row: few enough for a replacement of each, and no sequence is cut. */
const NOT_ASCII = /[\x80-\xff]{1,1000}[\x80-\xbf]{0,3}/g;

/** A UTF-8 sequence of several bytes (RFC 3629: no overlong forms, no surrogates), or any other byte. */
const SEQUENCE_OR_BYTE =
  /([\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2})|[^]/g;

/** Raises the bytes of a record that are not UTF-8 above all others: 0xff becomes U+01FF. */
function raiseInvalid(record: string): string {
  const raise = (byte: string, sequence?: string): string => sequence ?? String.fromCharCode(byte.charCodeAt(0) + 0x100);
  return record.replace(NOT_ASCII, (bytes) => bytes.replace(SEQUENCE_OR_BYTE, raise));
}

/** Escapes bytes of a raised text. */
function escapeBytes(raised: string, bytes: RegExp): string {
  return raised.replace(bytes, (found) => Buffer.from(found, 'latin1').toString('hex').replace(/../g, '\\x$&'));
}

/** True if signs stand for the raised bytes. Sent signs beside those cannot be told from theirs: they are counted together. */
function isSigned(raised: string, received: string, sign: string): boolean {
  const sent = raised.replaceAll(sign, SIGN).split(SIGNS_OR_RAISED);
  const came = received.replaceAll(sign, SIGN).split(SIGNS_OR_RAISED);
  return (
    came.length === sent.length &&
    came.every((part, index) => {
      const most = sent[index] ?? '';
      if (index % 2 === 0) return part === most;
      return part.length <= most.length && part.length >= most.replace(RAISED, SIGN).length;
    })
  );
}
