import { RULE_NAMES } from '../../check/rules.js';
import { CANARY_KINDS } from '../../canary/findings.js';
import { FINDING_KINDS } from '../../compare/findings.js';
import { FIELD_NAMES } from '../../compare/fields.js';
import { RATE_NAMES } from '../../faults/rates.js';

/** The values of an option or an argument, as far as a shell can complete them. */
export type Values =
  /** Nothing to choose from: a number, a name, a time. */
  | { readonly kind: 'free' }
  | { readonly kind: 'files' | 'folders' | 'zones' }
  /** One of some words, of letters, digits, `_` and `-`. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Some of these words, separated by commas. Behind the ending, if there is one, each word has a text of its own: `late:0.1`. */
  | { readonly kind: 'list'; readonly words: readonly string[]; readonly ending: '' | ':' | '=' };

const FREE: Values = { kind: 'free' };
const FILES: Values = { kind: 'files' };

/** The values of each placeholder in the definitions of options (`zone` of `--timezone <zone>`) and arguments (`log` of `[log...]`). */
const VALUES_OF: ReadonlyMap<string, Values> = new Map<string, Values>([
  ['requests', FILES],
  ['log', FILES],
  ['expected', FILES],
  ['received', FILES],
  ['file', FILES],
  ['file.json', FILES],
  ['folder', { kind: 'folders' }],
  ['zone', { kind: 'zones' }],
  ['rules', { kind: 'list', words: RULE_NAMES, ending: '' }],
  ['kinds', { kind: 'list', words: FINDING_KINDS, ending: '' }],
  ['findings', { kind: 'list', words: CANARY_KINDS, ending: '' }],
  ['kind:rate,…', { kind: 'list', words: RATE_NAMES, ending: ':' }],
  ['name=path,…', { kind: 'list', words: FIELD_NAMES, ending: '=' }],
  ...[
    'a,b,c',
    'address',
    'duration',
    'factor',
    'host',
    'i/n',
    'integer',
    'n',
    'name',
    'number',
    'path',
    'share',
    'size',
    'time',
  ].map((placeholder) => [placeholder, FREE] as const),
]);

/** True for a placeholder that the table of values names. */
export function isKnown(placeholder: string): boolean {
  return VALUES_OF.has(placeholder);
}

/**
 * Finds the values of a placeholder. Those of an unknown placeholder are free.
 *
 * @param choices the only values that the definition allows; undefined if it names none
 */
export function valuesOf(placeholder: string, choices: readonly string[] | undefined): Values {
  if (choices !== undefined) return { kind: 'words', words: choices };
  return VALUES_OF.get(placeholder) ?? FREE;
}

/** The time zones that Node knows, by their primary names. */
export function zoneNames(): readonly string[] {
  // UTC is not in the list of Node 20.
  return Array.from(new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])).sort();
}
