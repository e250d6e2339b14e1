import { isPlainJson } from '../log/json-text.js';
import { splitTarget } from './split-target.js';

/** The marks before the parts that a target has beside its path. */
export type TargetMarks = '' | '?' | '#' | '?#';

/** A request target in origin-form that JSON holds unchanged, and its parts: those that it does not have are empty. */
interface PlainTarget {
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
  readonly marks: TargetMarks;
}

/** Longer targets are not taken for plain ones: templates of all lengths would take too much memory. */
export const MAX_PLAIN_LENGTH = 1023;

/** A cache holds the first targets of a log, up to this many. Most logs repeat a few: `parse --as records` takes a tenth less time. */
const MAX_CACHED = 4096;

/** Splits plain targets. */
export class PlainTargets {
  readonly #cache = new Map<string, PlainTarget>();

  /** The parts of a target; undefined for one that is not plain. */
  split(target: string): PlainTarget | undefined {
    const cached = this.#cache.get(target);
    if (cached !== undefined) return cached;
    if (!target.startsWith('/') || target.length > MAX_PLAIN_LENGTH || !isPlainJson(target)) return undefined;
    const { path = '', query, fragment } = splitTarget(target);
    const marks = query === undefined ? (fragment === undefined ? '' : '#') : fragment === undefined ? '?' : '?#';
    const parts = { path, query: query ?? '', fragment: fragment ?? '', marks } as const;
    if (this.#cache.size < MAX_CACHED) this.#cache.set(target, parts);
    return parts;
  }
}
