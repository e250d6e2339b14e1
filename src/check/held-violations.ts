import type { FindingCounts } from '../findings/finding-counts.js';
import type { Rule, Violation } from './rules.js';

/** Open groups are given up when the violations found behind them hold more bytes than this. */
const MAX_HELD_BYTES = 16 << 20;

/** Violations that wait behind an open group: others may still be found on lines before them. */
export class HeldViolations {
  readonly #counts: FindingCounts<Rule>;
  #held: Violation[] = [];
  #heldBytes = 0;
  #settled: Violation[] = [];

  /** @param counts are kept here: each violation is counted when it is held */
  constructor(counts: FindingCounts<Rule>) {
    this.#counts = counts;
  }

  /** True while too many bytes wait. */
  get isOverfull(): boolean {
    return this.#heldBytes > MAX_HELD_BYTES;
  }

  /** The number of violations that `drain` would give. */
  get settledCount(): number {
    return this.#settled.length;
  }

  /** Counts violations: of those of a line only the first that is not allowed, but all that concern a whole group. */
  hold(violations: readonly Violation[]): void {
    const [only, ...more] = violations;
    if (only === undefined) return;
    if (more.length === 0) {
      this.#count(only);
      return;
    }
    const allowed = violations.filter((violation) => this.#isAllowed(violation));
    const refused = violations.filter((violation) => !this.#isAllowed(violation));
    const lines = new Set<number>();
    for (const violation of [...refused, ...allowed]) {
      const { line, kind } = violation;
      if (!GROUP_RULES.has(kind)) {
        if (lines.has(line)) continue;
        lines.add(line);
      }
      this.#count(violation);
    }
  }

  #count(violation: Violation): void {
    this.#counts.add(violation.kind);
    if (this.#isAllowed(violation)) return;
    this.#held.push(violation);
    this.#heldBytes += sizeOf(violation);
  }

  #isAllowed({ kind }: Violation): boolean {
    return this.#counts.isAllowed(kind);
  }

  /** Settles the violations of lines before a line: no more come for those lines. */
  release(until: number): void {
    if (this.#held.length === 0) return;
    const [ready, held] = [this.#held.filter(({ line }) => line < until), this.#held.filter(({ line }) => line >= until)];
    for (const violation of ready.sort((violation, other) => violation.line - other.line)) {
      this.#settled.push(violation);
      this.#heldBytes -= sizeOf(violation);
    }
    this.#held = held;
  }

  /** Takes out the violations whose order is final. */
  drain(): readonly Violation[] {
    const settled = this.#settled;
    this.#settled = [];
    return settled;
  }
}

/** The rules that concern a whole group: they count beside a violation of the same line. */
const GROUP_RULES: ReadonlySet<Rule> = new Set<Rule>(['incomplete', 'interleaved', 'backwards']);

/** The bytes that a violation counts for beside its values, so that those of empty lines are bounded too. */
const VIOLATION_BYTES = 128;

function sizeOf({ found, expected }: Violation): number {
  return VIOLATION_BYTES + (found.value?.length ?? 0) + (expected.value?.length ?? 0);
}

/** The number of violations of a group that count: of those of a line only one, but all that concern a whole group. */
export function countedOf(violations: readonly Violation[]): number {
  const lines = new Set<number>();
  let ofGroup = 0;
  for (const { line, kind } of violations) {
    if (GROUP_RULES.has(kind)) ofGroup += 1;
    else lines.add(line);
  }
  return ofGroup + lines.size;
}
