import { countOf } from '../count-of.js';
import { formatPlace } from '../errors.js';
import type { CheckResult } from './check-log.js';
import { RULES, type Rule, type Violation } from './rules.js';

/** How a report is written: a line for each violation, then one line of summary. Each ends in LF. */
export interface ReportFormat {
  /** @param source what was checked, as it was named */
  readonly formatViolation: (violation: Violation, source: string) => string;
  /** @param shown how many violations were written */
  readonly formatSummary: (result: CheckResult, source: string, shown: number) => string;
}

/** For people: `SOURCE:LINE: rule: what is there; what belongs there`. */
export const TEXT_REPORT: ReportFormat = {
  formatViolation: ({ line, rule, found, expected }, source) =>
    `${formatPlace({ source, line })}: ${rule}: ${found}; ${expected}\n`,
  formatSummary: ({ lines, groups, violations, allowed }, source, shown) => {
    const count = total(violations);
    const found = [countOf(count, 'violation'), `in ${countOf(groups, 'group')}, ${countOf(lines, 'line')}`].join(' ');
    const rules = count === 0 ? '' : `: ${listCounts(violations)}`;
    const hidden = shown === count ? '' : `; ${String(count - shown)} not shown`;
    const accepted = allowed.size === 0 ? '' : `; allowed: ${listCounts(allowed)}`;
    return `${formatPlace({ source })}: ${found}${rules}${hidden}${accepted}\n`;
  },
};

/** For machines: NDJSON, an object for each violation, then one with the counts. */
export const JSON_REPORT: ReportFormat = {
  formatViolation: ({ line, rule, found, expected }, source) =>
    `${JSON.stringify({ kind: 'violation', source, line, rule, section: RULES[rule], found, expected })}\n`,
  formatSummary: ({ lines, groups, violations, allowed }, source, shown) =>
    `${JSON.stringify({
      kind: 'summary',
      source,
      lines,
      groups,
      violations: total(violations),
      shown,
      rules: Object.fromEntries(inOrder(violations)),
      allowed: Object.fromEntries(inOrder(allowed)),
    })}\n`,
};

/** How many violations there are of all rules. */
export function total(counts: ReadonlyMap<Rule, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}

function listCounts(counts: ReadonlyMap<Rule, number>): string {
  return inOrder(counts)
    .map(([rule, count]) => `${String(count)} ${rule}`)
    .join(', ');
}

/** In the order of the rules, whatever was found first. */
function inOrder(counts: ReadonlyMap<Rule, number>): [string, number][] {
  const byName = new Map<string, number>(counts);
  return Object.keys(RULES).flatMap((rule): [string, number][] => {
    const count = byName.get(rule);
    return count === undefined ? [] : [[rule, count]];
  });
}
