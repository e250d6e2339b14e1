import { MAX_RECORD_BYTES } from '../log/record.js';
import { digestBytes, type DigestRecord } from './digest.js';

/** The texts that syslog-ng writes for bytes that are not UTF-8, in a row. */
const ESCAPES = /(?:\\x[89a-fA-F][\da-fA-F]){1,1000}/g;

/**
 * Digests records with one `?` for any number of bytes in a row that are not UTF-8, and of their signs: the same for all that collectors make
 * of them. `isLossyCopy` tells records of one form. A line longer than any record stays as it is: replacing takes hundreds of times its memory.
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

/** A sequence of UTF-8 beyond ASCII (RFC 3629: no overlong forms, no surrogates), in a byte string. */
const SEQUENCE = String.raw`(?:[\xc2-\xdf]|\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f]|\xf0[\x90-\xbf][\x80-\xbf]|[\xf1-\xf3][\x80-\xbf]{2}|\xf4[\x80-\x8f][\x80-\xbf])[\x80-\xbf]`;

/** Such a sequence, or the bytes in a row that begin none. */
const BEYOND_ASCII = new RegExp(`(${SEQUENCE})|(?:(?!${SEQUENCE})[\\x80-\\xff])+`, 'g');

/** Stands for a byte that is not UTF-8: no character of a byte string. */
const INVALID = '\u0100';

/** The signs that collectors write for such bytes, byte strings, and those in a row: as they come, and as they were sent. */
const SIGNS = [
  { sign: '?', came: /\?+/g, sent: /[?\u0100]+/g },
  { sign: '\xef\xbf\xbd', came: /(?:\xef\xbf\xbd)+/g, sent: /(?:\xef\xbf\xbd|\u0100)+/g },
] as const;

/**
 * True if a collector may make a received record of an expected one, both byte strings: bytes in a row that are not UTF-8 have become one
 * sign at least and a sign a byte at most, or all of those bytes are escaped as `\xNN`, or all bytes from 0x80 on are. All else is as it was.
 */
export function isLossyCopy(expected: string, received: string): boolean {
  const marked = replaceInvalid(expected, ({ length }) => INVALID.repeat(length));
  if (marked === expected) return expected === received;
  if (SIGNS.some((signs) => isSigned(marked, received, signs))) return true;
  if (!received.includes('\\x')) return false;
  const escaped = [replaceInvalid(expected, escapeBytes), expected.replace(/[\x80-\xff]+/g, escapeBytes)];
  const lower = (text: string): string => text.replace(ESCAPES, (escapes) => escapes.toLowerCase());
  return escaped.some((text) => lower(text) === lower(received));
}

function replaceInvalid(text: string, replace: (bytes: string) => string): string {
  return text.replace(BEYOND_ASCII, (bytes, sequence?: string) => sequence ?? replace(bytes));
}

function escapeBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('hex').replace(/../g, '\\x$&');
}

/** True if signs stand for the bytes that are not UTF-8. Sent signs beside those cannot be told from theirs: they are counted together. */
function isSigned(marked: string, received: string, { sign, came, sent }: (typeof SIGNS)[number]): boolean {
  const [between, cameBetween] = [marked.split(sent), received.split(came)];
  if (between.length !== cameBetween.length || between.some((text, index) => text !== cameBetween[index])) return false;
  const stretches = received.match(came) ?? [];
  return (marked.match(sent) ?? []).every((stretch, index) => {
    const signs = (stretches[index]?.length ?? 0) / sign.length;
    const one = stretch.replaceAll(sign, '?');
    // Of bytes in a row that are not UTF-8, one sign is the least.
    return signs <= one.length && signs >= one.replace(/\u0100+/g, '?').length;
  });
}
