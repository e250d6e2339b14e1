import { LF } from '../log/byte-string.js';

/**
 * Records are told apart by digests of 64 bits, held as two integers of 32 bits in typed arrays: a string a record would take ten
 * times the memory. Of ten million different records two have the same digest with a probability of 3 in a million; with 32 bits
 * thousands would. The digest is that of MurmurHash3 (x86, two lanes). It is no defence against texts that were made to collide.
 */
export interface Digest {
  low: number;
  high: number;
}

/** Puts the digest of the record from `start` to `end` into `digest`: equal records have equal digests. */
export type DigestRecord = (bytes: Buffer, start: number, end: number, digest: Digest) => void;

const LOW_FACTOR = 0x239b961b;
const HIGH_FACTOR = 0xab0e9789 | 0;

/** Puts the digest of the bytes from `start` to `end` into `digest`. */
export function digestBytes(bytes: Buffer, start: number, end: number, digest: Digest): void {
  let low = 0;
  let high = 0;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8) | (byteAt(bytes, at + 2) << 16) | (byteAt(bytes, at + 3) << 24);
    low = mixLow(low, high, word);
    high = mixHigh(high, low, word);
  }
  let rest = 0;
  for (let shift = 0; at < end; at += 1, shift += 8) rest |= byteAt(bytes, at) << shift;
  // The length tells a record from the same one with NULs behind it.
  low = mixLow(low, high, rest) ^ (end - start);
  high = mixHigh(high, low, rest) ^ (end - start);
  low = (low + high) | 0;
  high = (high + low) | 0;
  low = finish(low);
  high = finish(high);
  digest.low = (low + high) | 0;
  digest.high = (high + digest.low) | 0;
}

/** Checked access costs nothing measurable here: the index is always in bounds. */
function byteAt(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}

function mixLow(low: number, high: number, word: number): number {
  let mixed = Math.imul(word, LOW_FACTOR);
  mixed = (mixed << 15) | (mixed >>> 17);
  const joined = low ^ Math.imul(mixed, HIGH_FACTOR);
  return (Math.imul(((joined << 19) | (joined >>> 13)) + high, 5) + 0x561ccd1b) | 0;
}

function mixHigh(high: number, low: number, word: number): number {
  let mixed = Math.imul(word, HIGH_FACTOR);
  mixed = (mixed << 16) | (mixed >>> 16);
  const joined = high ^ Math.imul(mixed, LOW_FACTOR);
  return (Math.imul(((joined << 17) | (joined >>> 15)) + low, 5) + 0x0bcaa747) | 0;
}

function finish(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/**
 * The number of bytes that two buffers have in common from an index in each, up to the last whole line. `Buffer.compare` does in a tenth
 * of the time what a loop over bytes would; it stops at a difference and does not tell where.
 */
export function equalLines(first: Buffer, firstAt: number, second: Buffer, secondAt: number): number {
  const length = Math.min(first.length - firstAt, second.length - secondAt);
  const equal = isEqual(first, firstAt, second, secondAt, length) ? length : equalBytes(first, firstAt, second, secondAt, length);
  return equal === 0 ? 0 : Math.max(0, first.lastIndexOf(LF, firstAt + equal - 1) + 1 - firstAt);
}

/** The number of equal bytes of two parts that are not equal as a whole, found by halving: each look ends at the difference. */
function equalBytes(first: Buffer, firstAt: number, second: Buffer, secondAt: number, length: number): number {
  let from = 0;
  let until = length;
  while (until - from > 1) {
    const half = (until - from) >>> 1;
    if (isEqual(first, firstAt + from, second, secondAt + from, half)) from += half;
    else until = from + half;
  }
  return from;
}

function isEqual(first: Buffer, firstAt: number, second: Buffer, secondAt: number, length: number): boolean {
  return first.compare(second, secondAt, secondAt + length, firstAt, firstAt + length) === 0;
}
