import { copyBytes } from '../log/byte-string.js';
import { findTargetFault, type Fault } from './request.js';

/** The size of the cache, in targets, and the longest target that is cached. */
const SLOTS = 4096;
const MAX_CACHED_LENGTH = 1024;

/**
 * Validates targets through a direct-mapped cache, as most targets come many times. The first target of a slot stays there. A
 * target is compared in place, without making a string of it.
 */
export class TargetCache {
  /** The valid targets by slot; empty for a free slot. */
  readonly #valid = new Array<string>(SLOTS).fill('');

  /** Gives a target that is valid, or its fault (`findTargetFault`). */
  validate(target: string): string | Fault {
    return this.validateWithin(target, 0, target.length);
  }

  /** Validates the target in a text from `from` to `until`, as `validate` does. */
  validateWithin(text: string, from: number, until: number): string | Fault {
    // Stryker disable all: validating a target again gives the same.
    const slot = slotOf(text, from, until);
    const cached = this.#valid[slot] ?? '';
    if (cached !== '' && cached.length === until - from && text.startsWith(cached, from)) return cached;
    // Stryker restore all
    const target = text.slice(from, until);
    const fault = findTargetFault(target);
    if (fault !== undefined) return fault;
    // Stryker disable next-line all: as above
    if (cached !== '' || target.length > MAX_CACHED_LENGTH) return target;
    // A slice of a block of input would keep the whole block in memory.
    const own = copyBytes(target);
    this.#valid[slot] = own;
    return own;
  }
}

// Stryker disable all: any slot gives the same result
/** The slot of a target: a hash of its length and its last twelve characters, in which the targets of a site differ. */
function slotOf(text: string, from: number, until: number): number {
  let hash = until - from;
  for (let at = Math.max(from, until - 12); at < until; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash & (SLOTS - 1);
}
