import { formatPlace } from '../errors.js';
import { decodeText } from '../log/byte-string.js';
import { countOf, showBytes } from '../wording.js';
import type { CheckResult } from './check-log.js';
import { RULES, VALUE, type Rule, type Side, type Violation } from './rules.js';

/** How a report is written: a line for each violation, then one line of summary. Each ends in LF. */
export interface ReportFormat {
  /** @param source what was checked, as it was named */
  readonly formatViolation: (violation: Violation, source: string) => string;
  /** @param shown how many violations were written */
  readonly formatSummary: (result: CheckResult, source: string, shown: number) => string;
}

/** For people: `SOURCE:LINE: rule: what is there; what belongs there`. */
export const TEXT_REPORT: ReportFormat = {
  formatViolation: ({ line, rule, found, expected }, source) => {
    const [there, belongs] = showSides(found, expected);
    return `${formatPlace({ source, line })}: ${rule}: ${there}; ${belongs}\n`;
  },
  formatSummary: ({ lines, groups, violations, allowed }, source, shown) => {
    const count = total(violations);
    const found = [countOf(count, 'violation'), `in ${countOf(groups, 'group')}, ${countOf(lines, 'line')}`].join(' ');
    const rules = count === 0 ? '' : `: ${listCounts(violations)}`;
    const hidden = shown === count ? '' : `; ${String(count - shown)} not shown, see --max`;
    const accepted = allowed.size === 0 ? '' : `; allowed: ${listCounts(allowed)}`;
    return `${formatPlace({ source })}: ${found}${rules}${hidden}${accepted}\n`;
  },
};

/** For machines: NDJSON, whole values as they stand, an object for each violation, then one with the counts. */
export const JSON_REPORT: ReportFormat = {
  formatViolation: ({ line, rule, found, expected, groupLine, missing }, source) =>
    `${JSON.stringify({
      kind: 'violation',
      source,
      line,
      rule,
      section: RULES[rule],
      ...nameSide('found', found),
      ...nameSide('expected', expected),
      group_line: groupLine,
      missing,
    })}\n`,
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

/**
 * A value is shown whole up to so many characters, as a record mostly is. Of a longer one they begin, where both sides have values, a
 * little before these differ.
 */
const SHOWN_CHARACTERS = 320;
const CHARACTERS_BEFORE = 80;

function showSides(found: Side, expected: Side): readonly [string, string] {
  const [one, other] = [found.value ?? '', expected.value ?? ''];
  const isLong = Math.max(one.length, other.length) > SHOWN_CHARACTERS;
  const from = isLong && one !== '' && other !== '' ? findCut(one, other) : 0;
  const show = ({ words, value = '' }: Side): string =>
    words.replace(VALUE, () => (from > 0 ? '…' : '') + showBytes(value.slice(from), SHOWN_CHARACTERS));
  return [show(found), show(expected)];
}

/** Where two long values may be cut at their beginning: not within a character of UTF-8. */
function findCut(one: string, other: string): number {
  let difference = 0;
  while (difference < one.length && one[difference] === other[difference]) difference += 1;
  let from = Math.max(0, difference - CHARACTERS_BEFORE);
  while (from > 0 && /[\x80-\xbf]/.test(one[from] ?? '')) from -= 1;
  return from;
}

/** A side as fields of JSON. A value that is no UTF-8 has U+FFFD in it, and its bytes in a field of their own. */
function nameSide(name: 'found' | 'expected', { words, value }: Side): Readonly<Record<string, string>> {
  if (value === undefined) return { [name]: words };
  const bytes = Buffer.from(value, 'latin1');
  const text = decodeText(value);
  return text === undefined ? { [name]: bytes.toString('utf8'), [`${name}_base64`]: bytes.toString('base64') } : { [name]: text };
}

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
