/** Counts findings by kind; those of allowed kinds (`--allow`) apart. */
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

  add(kind: Kind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /** How many findings there are of each kind that is not allowed and has any, in the order of kinds. */
  get found(): ReadonlyMap<Kind, number> {
    return this.#countsOf(this.#kinds.filter((kind) => !this.isAllowed(kind)));
  }

  /** How many findings there are of each kind that is allowed and has any, in the order of kinds. */
  get allowed(): ReadonlyMap<Kind, number> {
    return this.#countsOf(this.#kinds.filter((kind) => this.isAllowed(kind)));
  }

  /** How many findings there are, without the allowed ones. */
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
 * The end of a summary in text: `: 2 kind, 1 other; 1 not shown, see --max; allowed: 1 third`, as far as there is something to say.
 *
 * @param shown how many findings were shown
 */
export function formatCounts({ found, allowed, total }: FindingCounts<string>, shown: number): string {
  const kinds = total === 0 ? '' : `: ${listCounts(found)}`;
  const hidden = shown === total ? '' : `; ${String(total - shown)} not shown, see --max`;
  const accepted = allowed.size === 0 ? '' : `; allowed: ${listCounts(allowed)}`;
  return kinds + hidden + accepted;
}

function listCounts(counts: ReadonlyMap<string, number>): string {
  return Array.from(counts, ([kind, count]) => `${String(count)} ${kind}`).join(', ');
}
