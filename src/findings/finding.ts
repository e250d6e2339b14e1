import { formatPlace } from '../errors.js';
import { showBytes } from '../wording.js';
import { VALUE, type Statement } from './statement.js';

/** What a command finds wrong in an input: something is there, and something else belongs there. */
export interface Finding<Kind extends string> {
  /** The input, as the user named it. */
  readonly source: string;
  /** The physical line in it, from 1. */
  readonly line: number;
  readonly kind: Kind;
  /** What is there. */
  readonly found: Statement;
  /** What belongs there. */
  readonly expected: Statement;
}

/** Values of up to this many characters, as nearly all records are, are shown whole. */
const SHOWN_CHARACTERS = 320;

/** Where both values of a finding are longer, what is shown begins this many characters before they differ. */
const CHARACTERS_BEFORE = 80;

/** `SOURCE:LINE: kind: what is there; what belongs there`, safe for a terminal; ends in LF. */
export function formatFinding({ source, line, kind, found, expected }: Finding<string>): string {
  const from = cutBefore(found.value ?? '', expected.value ?? '');
  return `${formatPlace({ source, line })}: ${kind}: ${showFrom(from, found)}; ${showFrom(from, expected)}\n`;
}

function showFrom(from: number, { words, value = '' }: Statement): string {
  return words.replace(VALUE, () => (from > 0 ? '…' : '') + showBytes(value.slice(from), SHOWN_CHARACTERS));
}

/** Where two values are cut at their beginning so that their difference shows; 0 where one of them is empty or both are short. */
function cutBefore(found: string, expected: string): number {
  const isShort = Math.max(found.length, expected.length) <= SHOWN_CHARACTERS;
  if (isShort || found === '' || expected === '') return 0;
  let difference = 0;
  while (difference < found.length && found[difference] === expected[difference]) difference += 1;
  let from = Math.max(0, difference - CHARACTERS_BEFORE);
  // Not within a UTF-8 sequence.
  while (from > 0 && /[\x80-\xbf]/.test(found[from] ?? '')) from -= 1;
  return from;
}
