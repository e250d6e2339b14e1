import { formatPlace } from '../errors.js';
import { formatCounts } from '../findings/finding-counts.js';
import { formatFinding } from '../findings/finding.js';
import { statementFields } from '../findings/statement.js';
import { countOf } from '../wording.js';
import type { CheckResult } from './check-log.js';
import { RULES, type Violation } from './rules.js';

/** A form of the report: a line for each violation, then a line of summary. Each ends in LF. */
export interface ReportFormat {
  /** @param source the log, as the user named it */
  readonly formatViolation: (violation: Violation, source: string) => string;
  /** @param shown the number of violations that were written */
  readonly formatSummary: (result: CheckResult, source: string, shown: number) => string;
}

/** For people: `SOURCE:LINE: rule: what is there; what belongs there`. */
export const TEXT_REPORT: ReportFormat = {
  formatViolation: (violation, source) => formatFinding({ ...violation, source }),
  formatSummary: ({ lines, groups, counts }, source, shown) => {
    const checked = `in ${countOf(groups, 'group')}, ${countOf(lines, 'line')}`;
    return `${formatPlace({ source })}: ${countOf(counts.total, 'violation')} ${checked}${formatCounts(counts, shown)}\n`;
  },
};

/** For machines: NDJSON, an object for each violation with whole values, then an object with the counts. */
export const JSON_REPORT: ReportFormat = {
  formatViolation: ({ line, kind, found, expected, groupLine, missing }, source) =>
    `${JSON.stringify({
      kind: 'violation',
      source,
      line,
      rule: kind,
      section: RULES[kind],
      ...statementFields('found', found),
      ...statementFields('expected', expected),
      group_line: groupLine,
      missing,
    })}\n`,
  formatSummary: ({ lines, groups, counts }, source, shown) =>
    `${JSON.stringify({
      kind: 'summary',
      source,
      lines,
      groups,
      violations: counts.total,
      shown,
      rules: Object.fromEntries(counts.found),
      allowed: Object.fromEntries(counts.allowed),
    })}\n`,
};
