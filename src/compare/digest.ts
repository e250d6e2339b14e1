import { LF } from '../log/byte-string.js';

/**
 * Records are told apart by digests of 64 bits, held as two integers of 32 bits in typed arrays: a string a record would take ten
 * times the memory. Of ten million different records two have the same digest with a probability of 3 in a million; with 32 bits
 * thousands would. The digest is that of cyrb53, all 64 bits of it. It is no defence against texts that were made to collide.
 */
export interface Digest {
  low: number;
  high: number;
  /** A part of the digest that records of other bytes do not have, even where they may be equal. */
  exact: number;
}

/** Puts the digest of the record from `start` to `end` into `digest`: equal records have equal digests. */
export type DigestRecord = (bytes: Buffer, start: number, end: number, digest: Digest) => void;

/** Puts the digest of the bytes from `start` to `end` into `digest`. */
export function digestBytes(bytes: Buffer, start: number, end: number, digest: Digest): void {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let at = start; at < end; at += 1) {
    // Checked access costs nothing measurable here: the index is always in bounds.
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

/**
 * The number of bytes that two buffers have in common from an index in each, up to the last whole line. `Buffer.compare` does in a tenth
 * of the time what a loop over bytes would; it stops at a difference and does not tell where, which is found by halving.
 */
export function equalLines(first: Buffer, firstAt: number, second: Buffer, secondAt: number): number {
  const length = Math.min(first.length - firstAt, second.length - secondAt);
  let equal = 0;
  for (let size = length; equal < length && size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    const until = Math.min(equal + size, length);
    if (first.compare(second, secondAt + equal, secondAt + until, firstAt + equal, firstAt + until) === 0) equal = until;
  }
  return equal === 0 ? 0 : Math.max(0, first.lastIndexOf(LF, firstAt + equal - 1) + 1 - firstAt);
}
