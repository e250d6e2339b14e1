/** Counts records by kind of finding, those of allowed kinds (`--allow`) separately, and caps the findings that are shown (`--max`). */
export class FindingCounts<Kind extends string> {
  /** The number of findings of kinds that are not allowed, and of those that were shown. */
  findings = 0;
  shown = 0;
  readonly #allowedKinds: ReadonlySet<Kind>;
  /** `shown` may grow to this. */
  #limit: number;
  readonly #counts = new Map<Kind, number>();

  /** @param kinds all kinds, in the order in which counts are given */
  constructor(
    readonly kinds: readonly Kind[],
    allowedKinds: Iterable<Kind> = [],
    private readonly max = Infinity,
  ) {
    this.#allowedKinds = new Set(allowedKinds);
    this.#limit = max;
  }

  /** True for a kind whose findings are counted but not shown. */
  isAllowed(kind: Kind): boolean {
    return this.#allowedKinds.has(kind);
  }

  /** Adds to the records of a kind. */
  add(kind: Kind, records = 1): void {
    this.#counts.set(kind, this.of(kind) + records);
  }

  /** True if a finding of a kind would be shown. */
  mayShow(kind: Kind): boolean {
    return !this.isAllowed(kind) && this.shown < this.#limit;
  }

  /** Counts a finding whose records are counted by `add`. Returns true if it is to be shown. @param hasRoom false if it cannot be */
  show(kind: Kind, hasRoom = true): boolean {
    const isShown = hasRoom && this.mayShow(kind);
    if (!this.isAllowed(kind)) this.findings += 1;
    if (isShown) this.shown += 1;
    return isShown;
  }

  /** From now on, as many findings as at the start may be shown. */
  renew(): void {
    this.#limit = this.shown + this.max;
  }

  /** The records of a kind, allowed or not. */
  of(kind: Kind): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** The records of kinds that are not allowed, in the order of kinds; kinds without any are left out. */
  get found(): ReadonlyMap<Kind, number> {
    return this.#countsOf(false);
  }

  /** The records of kinds that are allowed, likewise. */
  get allowed(): ReadonlyMap<Kind, number> {
    return this.#countsOf(true);
  }

  /** The number of records of kinds that are not allowed. */
  get total(): number {
    return Array.from(this.found.values()).reduce((sum, count) => sum + count, 0);
  }

  #countsOf(areAllowed: boolean): ReadonlyMap<Kind, number> {
    const kinds = this.kinds.filter((kind) => this.of(kind) > 0 && this.isAllowed(kind) === areAllowed);
    return new Map(kinds.map((kind) => [kind, this.of(kind)]));
  }
}

/** Formats the counts at the end of a summary: `: 2 kind, 1 other; findings: 1 not shown, see --max; allowed: 1 third`. Zero counts are left out. */
export function formatCounts({ found, allowed, total, findings, shown }: FindingCounts<string>, noun: string): string {
  const kinds = total === 0 ? '' : `: ${listCounts(found)}`;
  const notShown = findings === shown ? '' : `; ${noun}s: ${String(findings - shown)} not shown, see --max`;
  const accepted = allowed.size === 0 ? '' : `; allowed: ${listCounts(allowed)}`;
  return kinds + notShown + accepted;
}

function listCounts(counts: ReadonlyMap<string, number>): string {
  return Array.from(counts, ([kind, count]) => `${String(count)} ${kind}`).join(', ');
}
