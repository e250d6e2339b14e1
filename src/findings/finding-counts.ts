/** Counts findings by kind; allowed kinds (`--allow`) separately. */
export class FindingCounts<Kind extends string> {
  readonly #kinds: readonly Kind[];
  readonly #allowedKinds: ReadonlySet<Kind>;
  readonly #counts = new Map<Kind, number>();

  /** @param kinds all kinds, in the order in which counts are given */
  constructor(kinds: readonly Kind[], allowedKinds: ReadonlySet<Kind> = new Set()) {
    this.#kinds = kinds;
    this.#allowedKinds = allowedKinds;
  }

  /** True for a kind whose findings are counted but not shown. */
  isAllowed(kind: Kind): boolean {
    return this.#allowedKinds.has(kind);
  }

  /** Adds to the count of a kind. */
  add(kind: Kind, count = 1): void {
    this.#counts.set(kind, this.of(kind) + count);
  }

  /** The count of a kind, allowed or not. */
  of(kind: Kind): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** The counts of kinds that are not allowed, in the order of kinds; kinds without findings are left out. */
  get found(): ReadonlyMap<Kind, number> {
    return this.#countsOf(false);
  }

  /** The counts of kinds that are allowed, in the order of kinds; kinds without findings are left out. */
  get allowed(): ReadonlyMap<Kind, number> {
    return this.#countsOf(true);
  }

  /** The sum of the counts of kinds that are not allowed. */
  get total(): number {
    return Array.from(this.found.values()).reduce((sum, count) => sum + count, 0);
  }

  #countsOf(isAllowed: boolean): ReadonlyMap<Kind, number> {
    const kinds = this.#kinds.filter((kind) => this.#counts.has(kind) && this.isAllowed(kind) === isAllowed);
    return new Map(kinds.map((kind) => [kind, this.of(kind)]));
  }
}

/** Caps the number of findings shown (`--max`), not the number counted. */
export class FindingCap {
  /** The number of findings shown so far. */
  shown = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Gives the findings of a batch to show, and counts them as shown. */
  take<F>(findings: readonly F[]): readonly F[] {
    const shown = findings.slice(0, this.#max - this.shown);
    this.shown += shown.length;
    return shown;
  }
}

/**
 * Formats the counts at the end of a summary: `: 2 kind, 1 other; 1 not shown, see --max; allowed: 1 third`. Zero counts are left out.
 *
 * @param hidden the number of findings not shown, without those of allowed kinds
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
