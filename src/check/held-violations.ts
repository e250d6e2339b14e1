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

  /** Counts violations of a group, or of a line, and holds those that are not allowed. */
  hold(violations: readonly Violation[]): void {
    const isAllowed = ({ kind }: Violation): boolean => this.#counts.isAllowed(kind);
    for (const violation of countedOf(violations, isAllowed)) {
      this.#counts.add(violation.kind);
      if (isAllowed(violation)) continue;
      this.#held.push(violation);
      this.#heldBytes += sizeOf(violation);
    }
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

/** The violations of a group that count: of those of a line only the first, if one is not allowed the first of these, but all of a whole group. */
export function countedOf(
  violations: readonly Violation[],
  isAllowed: (violation: Violation) => boolean = () => false,
): readonly Violation[] {
  if (violations.length <= 1) return violations;
  const lines = new Set<number>();
  return violations
    .toSorted((violation, other) => Number(isAllowed(violation)) - Number(isAllowed(other)))
    .filter(({ line, kind }) => {
      if (GROUP_RULES.has(kind)) return true;
      const isFirst = !lines.has(line);
      lines.add(line);
      return isFirst;
    });
}
