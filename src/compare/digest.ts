import { LF } from '../log/byte-string.js';

/**
 * Records are told apart by the 64 bits of cyrb53: of ten million, two have the same digest with a probability of 3 in a million. Texts can be
 * made to collide. Strings would take ten times the memory.
 */
export interface Digest {
  low: number;
  high: number;
  /** A part of the digest that records of other bytes do not have, even where they may be equal. */
  exact: number;
}

/** Puts the digest of the bytes from `start` to `end` into `digest`: equal records have equal digests. */
export type DigestRecord = (bytes: Buffer, start: number, end: number, digest: Digest) => void;

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

/** The bytes of whole lines that two buffers have in common from an index in each: by halving, since `Buffer.compare` does not tell where it stops. */
export function equalLines(first: Buffer, firstAt: number, second: Buffer, secondAt: number): number {
  const length = Math.min(first.length - firstAt, second.length - secondAt);
  let equal = 0;
  for (let size = length; equal < length && size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    const until = Math.min(equal + size, length);
    if (first.compare(second, secondAt + equal, secondAt + until, firstAt + equal, firstAt + until) === 0) equal = until;
  }
  return equal === 0 ? 0 : Math.max(0, first.lastIndexOf(LF, firstAt + equal - 1) + 1 - firstAt);
}
