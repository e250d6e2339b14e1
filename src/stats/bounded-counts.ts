import { copyBytes } from '../log/byte-string.js';

export const MAX_NAMES = 4096;
const MAX_NAME_BYTES = 8 << 20;

/**
 * Counts names, which are byte strings, in bounded memory. Too many names are shortened from then on, if there is a function for that; of
 * those that are still too many, the rarer half is lumped together as `other`. From then on a count may be short by at most `other`.
 */
export class BoundedCounts {
  other = 0;
  isShortened = false;
  #counts = new Map<string, number>();
  #bytes = 0;

  constructor(private readonly shorten = (name: string) => name) {}

  add(name: string): void {
    this.#count(this.isShortened ? this.shorten(name) : name, 1);
    while (this.#counts.size > MAX_NAMES || this.#bytes > MAX_NAME_BYTES) this.#shrink();
  }

  /** The most frequent names first, equally frequent ones in the order of their bytes. */
  sorted(): readonly { readonly name: string; readonly count: number }[] {
    const names = Array.from(this.#counts, ([name, count]) => ({ name, count }));
    return names.sort((name, other) => other.count - name.count || (name.name < other.name ? -1 : 1));
  }

  #count(name: string, count: number): void {
    const known = this.#counts.get(name);
    this.#counts.set(known === undefined ? copyBytes(name) : name, (known ?? 0) + count);
    if (known === undefined) this.#bytes += name.length;
  }

  #shrink(): void {
    const { isShortened } = this;
    const sorted = this.sorted();
    this.isShortened = true;
    this.#counts = new Map();
    this.#bytes = 0;
    for (const { name, count } of sorted) {
      const fits = this.#counts.size < MAX_NAMES / 2 && this.#bytes + name.length <= MAX_NAME_BYTES / 2;
      if (!isShortened) this.#count(this.shorten(name), count);
      else if (fits) this.#count(name, count);
      else this.other += count;
    }
  }
}
