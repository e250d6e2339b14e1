import { formatPlace } from '../errors.js';
import { showBytes } from '../wording.js';
import { VALUE, type Statement } from './statement.js';

/** A finding of a command in an input: something is there, and something else was expected. */
export interface Finding<Kind extends string> {
  /** The input, as the user named it. */
  readonly source: string;
  /** The physical line in it, from 1. */
  readonly line: number;
  /** The last line, of a finding about several. */
  readonly lastLine?: number;
  readonly kind: Kind;
  /** The half that says what is there. */
  readonly found: Statement;
  /** The half that says what was expected; left out where the kind says it. */
  readonly expected?: Statement;
}

/** Values up to this length are shown whole, as most records are. */
const SHOWN_CHARACTERS = 320;

/** Characters that are shown before the first difference of longer values. */
const CHARACTERS_BEFORE = 80;

/** A finding in parts, each of them text that is safe for a terminal. */
export interface ShownFinding {
  /** `SOURCE:LINE`, or `SOURCE:LINE-LINE` of a finding about several lines. */
  readonly place: string;
  readonly found: string;
  readonly expected: string | undefined;
}

/** Shows the parts of a finding. Of long values, the parts around their first difference are shown. */
export function showFinding({ source, line, lastLine = line, found, expected }: Omit<Finding<string>, 'kind'>): ShownFinding {
  const from = cutBefore(found.value ?? '', expected?.value ?? '');
  return {
    place: `${formatPlace({ source, line })}${lastLine === line ? '' : `-${String(lastLine)}`}`,
    found: showFrom(from, found),
    expected: expected && showFrom(from, expected),
  };
}

/** A finding as text, `SOURCE:LINE: kind: what was found; what was expected`, safe for a terminal; ends in LF. */
export function formatFinding(finding: Finding<string>): string {
  const { place, found, expected } = showFinding(finding);
  return `${place}: ${finding.kind}: ${found}${expected === undefined ? '' : `; expected ${expected}`}\n`;
}

function showFrom(from: number, { words, value = '' }: Statement): string {
  return words.replace(VALUE, () => (from > 0 ? '…' : '') + showBytes(value.slice(from), SHOWN_CHARACTERS));
}

/** The index from which two values are shown, so that their first difference is; 0 for short values, and where one is empty. */
function cutBefore(found: string, expected: string): number {
  const isShort = Math.max(found.length, expected.length) <= SHOWN_CHARACTERS;
  if (isShort || found === '' || expected === '') return 0;
  let difference = 0;
  while (difference < found.length && found[difference] === expected[difference]) difference += 1;
  let from = Math.max(0, difference - CHARACTERS_BEFORE);
  // A cut within a UTF-8 sequence would show its rest as bytes.
  while (from > 0 && /[\x80-\xbf]/.test(found[from] ?? '')) from -= 1;
  return from;
}
