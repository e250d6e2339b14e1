import { formatPlace } from '../errors.js';
import { copyBytes, jsonFieldsOf } from '../log/byte-string.js';
import { showBytes } from '../wording.js';

export interface Statement {
  /** Text for people, safe for a terminal, with `VALUE` in place of the value. */
  readonly words: string;
  /** A byte string, uncut and unescaped; undefined if the words say everything. */
  readonly value?: string;
}

/** The placeholder of the value in the words of a statement: NUL, which no text safe for a terminal contains. */
export const VALUE = '\0';

/** Makes a statement. The value is copied, because a slice of a line keeps the whole line in memory. */
export function statement(words: string, value?: string): Statement {
  return value === undefined ? { words } : { words, value: copyBytes(value) };
}

export function quoted(value: string): Statement {
  return statement(`"${VALUE}"`, value);
}

/** A statement as fields of a JSON object: the value, or the words if there is none. Bytes that are not UTF-8 are in `<name>_base64`. */
export function statementFields(name: string, { words, value }: Statement): Readonly<Record<string, string>> {
  return value === undefined ? { [name]: words } : jsonFieldsOf(name, value);
}

export interface Finding<Kind extends string> {
  /** The input, as the user named it. */
  readonly source: string;
  /** The physical line in the input, from 1. */
  readonly line: number;
  readonly lastLine?: number;
  readonly kind: Kind;
  readonly found: Statement;
  /** Left out where the kind implies it. */
  readonly expected?: Statement;
}

/** Of longer values, so many before the first difference. */
const SHOWN_CHARACTERS = 320;
const CHARACTERS_BEFORE = 80;

/** Text that is safe for a terminal. */
export interface ShownFinding {
  /** `SOURCE:LINE`, or `SOURCE:LINE-LINE` of a finding about several lines. */
  readonly place: string;
  readonly found: string;
  readonly expected: string | undefined;
}

export interface RuleViolations {
  readonly rule: string;
  /** The sections of the specification behind the rule. */
  readonly sections: string;
  /** True for a rule that an ordinary log breaks: its violations are no news. */
  readonly isOrdinary: boolean;
  readonly count: number;
  readonly examples: readonly ShownFinding[];
}

/** Long values are cut to the text around their first difference. */
export function showFinding({ source, line, lastLine = line, found, expected }: Omit<Finding<string>, 'kind'>): ShownFinding {
  const from = cutBefore(found.value ?? '', expected?.value ?? '');
  return {
    place: `${formatPlace({ source, line })}${lastLine === line ? '' : `-${String(lastLine)}`}`,
    found: showFrom(from, found),
    expected: expected && showFrom(from, expected),
  };
}

/** Formats a finding as `SOURCE:LINE: kind: found; expected …`, safe for a terminal; ends in LF. */
export function formatFinding(finding: Finding<string>): string {
  const { place, found, expected } = showFinding(finding);
  return `${place}: ${finding.kind}: ${found}${expected === undefined ? '' : `; expected ${expected}`}\n`;
}

function showFrom(from: number, { words, value = '' }: Statement): string {
  return words.replace(VALUE, () => (from > 0 ? '…' : '') + showBytes(value.slice(from), SHOWN_CHARACTERS));
}

/** The index from which to show two values so that their first difference is visible; 0 for short values, and if one is empty. */
function cutBefore(found: string, expected: string): number {
  const isShort = Math.max(found.length, expected.length) <= SHOWN_CHARACTERS;
  if (isShort || found === '' || expected === '') return 0;
  let difference = 0;
  while (difference < found.length && found[difference] === expected[difference]) difference += 1;
  let from = Math.max(0, difference - CHARACTERS_BEFORE);
  // Not within a UTF-8 sequence, whose rest would be shown as escaped bytes.
  while (from > 0 && /[\x80-\xbf]/.test(found[from] ?? '')) from -= 1;
  return from;
}
