/** Counts findings by kind, and keeps allowed kinds (`--allow`) apart. */
export class FindingCounts<Kind extends string> {
  readonly #kinds: readonly Kind[];
  readonly #allowedKinds: ReadonlySet<Kind>;
  readonly #counts = new Map<Kind, number>();

  /** @param kinds all kinds, in the order in which counts are given */
  constructor(kinds: readonly Kind[], allowedKinds: ReadonlySet<Kind> = new Set()) {
    this.#kinds = kinds;
    this.#allowedKinds = allowedKinds;
  }

  /** True for a kind whose findings are counted and not shown. */
  isAllowed(kind: Kind): boolean {
    return this.#allowedKinds.has(kind);
  }

  /** Counts what is found of a kind. */
  add(kind: Kind, count = 1): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  /** The counts of kinds that are not allowed, in the order of kinds; kinds without findings are left out. */
  get found(): ReadonlyMap<Kind, number> {
    return this.#countsOf(this.#kinds.filter((kind) => !this.isAllowed(kind)));
  }

  /** The counts of kinds that are allowed, in the order of kinds; kinds without findings are left out. */
  get allowed(): ReadonlyMap<Kind, number> {
    return this.#countsOf(this.#kinds.filter((kind) => this.isAllowed(kind)));
  }

  /** The sum of the counts of kinds that are not allowed. */
  get total(): number {
    return Array.from(this.found.values()).reduce((sum, count) => sum + count, 0);
  }

  #countsOf(kinds: readonly Kind[]): ReadonlyMap<Kind, number> {
    return new Map(
      kinds.flatMap((kind): [Kind, number][] => {
        const count = this.#counts.get(kind);
        return count === undefined ? [] : [[kind, count]];
      }),
    );
  }
}

/**
 * The end of a summary in text: `: 2 kind, 1 other; 1 not shown, see --max; allowed: 1 third`. Parts without findings are left out.
 *
 * @param hidden the number of findings that were not shown, of kinds that are not allowed
 */
export function formatCounts({ found, allowed, total }: FindingCounts<string>, hidden: number): string {
  const kinds = total === 0 ? '' : `: ${listCounts(found)}`;
  const notShown = hidden === 0 ? '' : `; ${String(hidden)} not shown, see --max`;
  const accepted = allowed.size === 0 ? '' : `; allowed: ${listCounts(allowed)}`;
  return kinds + notShown + accepted;
}

function listCounts(counts: ReadonlyMap<string, number>): string {
  return Array.from(counts, ([kind, count]) => `${String(count)} ${kind}`).join(', ');
}
