import type { Hit } from './hits.js';
import type { FaultKind } from './kinds.js';

/** A hit that is due, and its place among those of its block. */
interface DueHit {
  readonly hit: Hit;
  readonly place: number;
}

/** The hits of a block that have not become faults yet. */
export class HitQueue {
  readonly #hits: readonly Hit[];
  #next = 0;
  /** The hits that are due, by kind: those of a kind that no group can have are not gone through to find another. */
  readonly #due: { readonly kind: FaultKind; readonly hits: DueHit[] }[] = [];
  #dueCount = 0;

  /** @param hits in the order in which they are to begin */
  constructor(hits: readonly Hit[]) {
    this.#hits = hits;
  }

  /** The first group that a hit may take. */
  get nextGroup(): number {
    return this.#dueCount > 0 ? -Infinity : (this.#hits[this.#next]?.from ?? Infinity);
  }

  /** Goes on to a group: the hits are due that are to begin at it or before it. */
  advanceTo(group: number): void {
    for (let hit = this.#hits[this.#next]; hit !== undefined && hit.from <= group; hit = this.#hits[this.#next]) {
      this.#queueOf(hit.kind).push({ hit, place: this.#next });
      this.#next += 1;
      this.#dueCount += 1;
    }
  }

  /** The hit that has been due for longest, of those of other kinds than the given ones. */
  first(without: readonly FaultKind[]): Hit | undefined {
    let first: DueHit | undefined;
    for (const { kind, hits } of this.#due) {
      const due = hits[0];
      if (due !== undefined && (first === undefined || due.place < first.place) && !without.includes(kind)) first = due;
    }
    return first?.hit;
  }

  /** Takes away the hit of a kind that has been due for longest: it has become a fault. */
  remove(kind: FaultKind): void {
    this.#queueOf(kind).shift();
    this.#dueCount -= 1;
  }

  /** All hits that are due. */
  get due(): readonly Hit[] {
    return this.#due.flatMap(({ hits }) => hits.map(({ hit }) => hit));
  }

  #queueOf(kind: FaultKind): DueHit[] {
    const queue = this.#due.find((ofKind) => ofKind.kind === kind);
    if (queue !== undefined) return queue.hits;
    const hits: DueHit[] = [];
    this.#due.push({ kind, hits });
    return hits;
  }
}
