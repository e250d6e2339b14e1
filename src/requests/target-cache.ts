import { copyBytes } from '../log/byte-string.js';
import { findTargetFault, type Fault } from './request.js';

/** So many targets are known at most, up to this length; others are checked each time, which costs little more. */
const PLACES = 4096;
const MAX_KNOWN_TARGET_LENGTH = 1024;

/**
 * Checks targets, most of which come many times. The first target that comes to a place of the table stays there. A target is
 * compared where it stands in its text: neither a string is made of it nor that string's hash.
 */
export class TargetCache {
  readonly #sound = new Array<string>(PLACES).fill('');

  /** A target as it is to be handed on, or what is wrong with it (`findTargetFault`). */
  check(target: string): string | Fault {
    return this.checkWithin(target, 0, target.length);
  }

  /** `check` of what stands in a text from `from` to `until`. */
  checkWithin(text: string, from: number, until: number): string | Fault {
    // Stryker disable all: a target that is checked anew comes out the same.
    const place = placeOf(text, from, until);
    const known = this.#sound[place] ?? '';
    if (known !== '' && known.length === until - from && text.startsWith(known, from)) return known;
    // Stryker restore all
    const target = text.slice(from, until);
    const fault = findTargetFault(target);
    if (fault !== undefined) return fault;
    // Stryker disable next-line all: as above
    if (known !== '' || target.length > MAX_KNOWN_TARGET_LENGTH) return target;
    // A slice of a block of input would keep the whole block.
    const own = copyBytes(target);
    this.#sound[place] = own;
    return own;
  }
}

// Stryker disable all: wherever a target is looked for, it comes out the same
/** Where targets of one site differ: in their length, and at their end. */
function placeOf(text: string, from: number, until: number): number {
  let hash = until - from;
  for (let at = Math.max(from, until - 12); at < until; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash & (PLACES - 1);
}
