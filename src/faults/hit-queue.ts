import type { Hit } from './hits.js';

/** The hits of a block that have not become faults yet. A group that several are due at has the one that has waited longest and can be. */
export class HitQueue {
  readonly #hits: readonly Hit[];
  #next = 0;
  readonly #due: Hit[] = [];

  /** @param hits in the order in which they are to begin */
  constructor(hits: readonly Hit[]) {
    this.#hits = hits;
  }

  /** True if no hit is due at a group. */
  isFree(group: number): boolean {
    return this.#due.length === 0 && (this.#hits[this.#next]?.from ?? Infinity) > group;
  }

  /** The hits that are due at a group, the one that has waited longest first; those of groups before it included. */
  dueAt(group: number): readonly Hit[] {
    for (let hit = this.#hits[this.#next]; hit !== undefined && hit.from <= group; hit = this.#hits[this.#next]) {
      this.#due.push(hit);
      this.#next += 1;
    }
    return this.#due;
  }

  /** Takes note that a hit has become a fault. */
  remove(hit: Hit): void {
    this.#due.splice(this.#due.indexOf(hit), 1);
  }
}
