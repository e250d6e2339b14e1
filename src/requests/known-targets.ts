import { copyBytes } from '../log/byte-string.js';
import { findTargetFault, type Fault } from './request.js';

/** The first so many targets are known, up to this length; others are checked each time, which costs little more. */
const MAX_KNOWN_TARGETS = 4096;
const MAX_KNOWN_TARGET_LENGTH = 1024;

/** Checks targets, most of which come many times. */
export class KnownTargets {
  readonly #sound = new Map<string, string>();

  /** A target as it is to be handed on, or what is wrong with it (`findTargetFault`). */
  check(target: string): string | Fault {
    return this.#sound.get(target) ?? this.#checkNew(target);
  }

  #checkNew(target: string): string | Fault {
    const fault = findTargetFault(target);
    if (fault !== undefined) return fault;
    if (target.length > MAX_KNOWN_TARGET_LENGTH || this.#sound.size === MAX_KNOWN_TARGETS) return target;
    // A slice of a block of input would keep the whole block.
    const own = copyBytes(target);
    this.#sound.set(own, own);
    return own;
  }
}
