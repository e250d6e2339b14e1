import { copyBytes } from '../log/byte-string.js';

/** So many names are counted at a time, and so many bytes of them. */
export const MAX_NAMES = 4096;
const MAX_NAME_BYTES = 8 << 20;

/** A name, and how often it was counted. */
export interface NameCount {
  /** A byte string. */
  readonly name: string;
  readonly count: number;
}

interface Counter {
  count: number;
}

/**
 * Counts names, however many different ones there are, in bounded memory. When there are too many, names are shortened once and for
 * all, if there is a way to; when there are still too many, the rarer half is lumped together as `other`. So what is frequent at any
 * time is found, and counts are exact until something is lumped together; then one may be short by at most `other`.
 */
export class BoundedCounts {
  /** What was counted under names that are kept no longer. */
  other = 0;
  /** Whether names have been shortened. */
  isShortened = false;
  #counters = new Map<string, Counter>();
  #bytes = 0;
  readonly #shorten: ((name: string) => string) | undefined;

  /** @param shorten maps names to fewer ones */
  constructor(shorten?: (name: string) => string) {
    this.#shorten = shorten;
  }

  /** Counts a name, a byte string. */
  add(name: string): void {
    this.#count(this.isShortened && this.#shorten !== undefined ? this.#shorten(name) : name, 1);
    if (this.#isOver) this.#shortenAll();
    if (this.#isOver) this.#lump();
  }

  /** All names that are kept, the most frequent first; equally frequent ones in the order of their bytes. */
  sorted(): readonly NameCount[] {
    return Array.from(this.#counters, ([name, { count }]) => ({ name, count })).sort(byCount);
  }

  get #isOver(): boolean {
    return this.#counters.size > MAX_NAMES || this.#bytes > MAX_NAME_BYTES;
  }

  #count(name: string, count: number): void {
    const known = this.#counters.get(name);
    if (known !== undefined) {
      known.count += count;
      return;
    }
    this.#counters.set(copyBytes(name), { count });
    this.#bytes += name.length;
  }

  #shortenAll(): void {
    if (this.isShortened || this.#shorten === undefined) return;
    this.isShortened = true;
    const counters = this.#counters;
    this.#counters = new Map();
    this.#bytes = 0;
    for (const [name, { count }] of counters) this.#count(this.#shorten(name), count);
  }

  #lump(): void {
    const sorted = this.sorted();
    this.#counters = new Map();
    this.#bytes = 0;
    for (const { name, count } of sorted) {
      const fits = this.#counters.size < MAX_NAMES / 2 && this.#bytes + name.length <= MAX_NAME_BYTES / 2;
      if (!fits) {
        this.other += count;
        continue;
      }
      this.#counters.set(name, { count });
      this.#bytes += name.length;
    }
  }
}

function byCount(one: NameCount, another: NameCount): number {
  return another.count - one.count || (one.name < another.name ? -1 : 1);
}
