import { formatCounts } from '../findings/finding-counts.js';
import { formatFinding, statementFields } from '../findings/finding.js';
import { DROP_CR } from '../reading/passed-over.js';
import { nameSources, sourcesOf, type LinePlaces } from '../reading/line-places.js';
import { countOf } from '../wording.js';
import type { CheckResult } from './check-log.js';
import { RULES, type Violation } from './rules.js';

/** A form of the report: a line for each violation, then a line of summary. Each ends in LF. */
interface ReportFormat {
  readonly formatViolation: (violation: Violation, places: LinePlaces) => string;
  readonly formatSummary: (result: CheckResult, places: LinePlaces) => string;
}

/** The report for people: `SOURCE:LINE: rule: what is there; expected what belongs there`. */
export const TEXT_REPORT: ReportFormat = {
  formatViolation: (violation, { placeOf }) => formatFinding({ ...violation, ...placeOf(violation.line) }),
  formatSummary: ({ lines, records, groups, counts, isOfOtherInstallation }, places) => {
    const checked = `in ${countOf(groups, 'group')}, ${countOf(lines, 'line')}`;
    const hint = isOfOtherInstallation ? '; the log is that of another installation, see --infer' : '';
    const endings = counts.found.get('ending') ?? 0;
    // One can be a missing LF at the end of the log.
    const remedy = endings > 1 && 2 * endings > records ? `; ${DROP_CR}` : '';
    const found = formatCounts(counts, 'violation');
    return `${nameSources(places)}: ${countOf(counts.total, 'violation')} ${checked}${found}${hint}${remedy}\n`;
  },
};

/** The report for machines: NDJSON, an object for each violation with whole values, then an object with the counts. */
export const JSON_REPORT: ReportFormat = {
  formatViolation: ({ line, kind, found, expected, groupLine, missing }, { sources, placeOf }) => {
    const group = groupLine === undefined ? undefined : placeOf(groupLine);
    const violation = {
      kind: 'violation',
      ...placeOf(line),
      rule: kind,
      section: RULES[kind].section,
      ...statementFields('found', found),
      ...statementFields('expected', expected),
      group_source: sources.length > 1 ? group?.source : undefined,
      group_line: group?.line,
      missing,
    };
    return `${JSON.stringify(violation)}\n`;
  },
  formatSummary: ({ lines, groups, counts, isOfOtherInstallation }, places) => {
    const summary = {
      kind: 'summary',
      ...sourcesOf(places),
      lines,
      groups,
      violations: counts.total,
      shown: counts.shown,
      rules: Object.fromEntries(counts.found),
      allowed: Object.fromEntries(counts.allowed),
      other_installation: isOfOtherInstallation || undefined,
    };
    return `${JSON.stringify(summary)}\n`;
  },
};
