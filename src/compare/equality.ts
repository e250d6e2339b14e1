import { MAX_RECORD_BYTES } from '../log/record.js';

/** The 64 bits of cyrb53: of ten million records, two have the same with a probability of 3 in a million. Strings take ten times the memory. */
export interface Digest {
  low: number;
  high: number;
  /** A part of the digest that records of other bytes do not have, even where they may be equal. */
  exact: number;
}

/** Puts the digest of the bytes from `start` to `end` into `digest`: equal records have equal digests. */
export type DigestRecord = (bytes: Buffer, start: number, end: number, digest: Digest) => void;

export interface Equality {
  readonly digestRecord: DigestRecord;
  /** Tells equal records with equal digests, byte strings; undefined where all are. */
  readonly isSame: ((sent: string, received: string) => boolean) | undefined;
}

export function digestBytes(bytes: Buffer, start: number, end: number, digest: Digest): void {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    low = Math.imul(low ^ byte, 0x9e3779b1);
    high = Math.imul(high ^ byte, 0x5f356495);
  }
  digest.low = digest.exact = finish(low, high);
  digest.high = finish(high, digest.low);
}

function finish(lane: number, other: number): number {
  return Math.imul(lane ^ (lane >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
}

/** The texts that syslog-ng writes for bytes that are not UTF-8, in a row. */
const ESCAPES = /(?:\\x[89a-fA-F][\da-fA-F]){1,1000}/g;

/** Digests records with one `?` for any number of bytes in a row that are not UTF-8, and of the signs that collectors make of them. */
export const digestLossy: DigestRecord = (bytes, start, end, digest) => {
  // A line longer than any record stays as it is: replacing takes hundreds of times its memory.
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
 * True if a received record is an expected one, or what a collector makes of it, both byte strings: bytes in a row that are not UTF-8 have become one
 * sign at least and a sign a byte at most, or all of those bytes are escaped as `\xNN`, or all bytes from 0x80 on are. All else is as it was.
 */
export function isLossyCopy(expected: string, received: string): boolean {
  if (expected === received) return true;
  const marked = replaceInvalid(expected, ({ length }) => INVALID.repeat(length));
  if (marked === expected) return false;
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

/** One instant or two. Clocks are set back by hours or half hours: the last digit of the minutes stays. */
const INSTANTS = /\d{4}-\d\d-\d\dT\d\d:\d(\d:\d\d)Z(?:\0[^\n]*)?/g;
const SECOND_INSTANT = /\0[^\n]*/;

/** The equality of records of a log that grows, by either of the two instants that a record can mean. */
export function withInstants({ digestRecord, isSame }: Equality): Equality {
  return {
    // Of the instants, what both share is digested. The exact part is that of the first one.
    digestRecord: (bytes, start, end, digest) => {
      const text = bytes.toString('latin1', start, end);
      const first = Buffer.from(text.replace(SECOND_INSTANT, ''), 'latin1');
      digestRecord(first, 0, first.length, digest);
      const { exact } = digest;
      const form = Buffer.from(text.replace(INSTANTS, '$1'), 'latin1');
      digestRecord(form, 0, form.length, digest);
      digest.exact = exact;
    },
    isSame: (sent, received) =>
      [SECOND_INSTANT, /[^\n]*\0/].some((other) => {
        const choice = sent.replace(other, '');
        return choice === received || isSame?.(choice, received) === true;
      }),
  };
}
