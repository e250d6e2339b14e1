import { ENVELOPE_CHOICES, ENVELOPES } from '../../envelope/envelopes.js';
import { refuseOption } from '../../errors.js';
import { namesOf, type Kinds } from '../../wording.js';

export const STDOUT = '-';

export const TIME = textOf('time');
export const FOLDER = textOf('folder', 'folders');
export const ZONE = textOf('zone', 'zones');
export const FILE = textOf('file', 'files');

/** A decimal number above 0: `0.5`, `1e6`, `10k`, `5M`. */
export const NUMBER = foundValue('number', findNumber, 'a decimal number above 0', 'one such as 1, 50 or 0.5');

/** A number of requests, or `forever` as Infinity. */
export const COUNT = countValue(0);
export const TIMES = countValue(1);
export const LINES = foundValue('n', findWholeNumber, 'a number of lines', 'a whole number from 0 on');
export const SEED = foundValue('integer', findInteger, 'a whole number of at most 15 digits', 'one such as 7');
export const SHARE = foundValue('share', (text) => findNumber(text, 0, 1), 'a share from 0 to 1', 'one such as 0.1');

/** In milliseconds, a whole number above 0. */
export const DURATION = quantityOf(
  'duration',
  { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 },
  '500ms, 90s, 15m, 1h or 7d',
);

const DECIMAL_SIZES = { '': 1, B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 } as const;
const BINARY_SIZES = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const;

/** In bytes, a whole number above 0. */
export const SIZE = quantityOf('size', { ...DECIMAL_SIZES, ...BINARY_SIZES }, '64KiB, 10MB or 2GB');

/** In ASCII, as clients percent-encode a path, and without what ends a path. */
const PREFIX = /^[^?#\x00-\x20\x7f-\uffff]+$/;

/**
 * Path prefixes, separated by commas: each once, without leading or trailing slashes and whitespace. A prefix may hold a slash: under
 * `apps/mail` the webmail is at `/apps/mail/`.
 */
export const PREFIXES = freeValue('a,b,c', (key, text): readonly string[] => {
  const prefixes = text.split(',').map((given) => {
    const prefix = given.trim().replace(/^\/+|(?<!\/)\/+$/g, '');
    if (PREFIX.test(prefix)) return prefix;
    const remedy = 'give it as clients send it, percent-encoded (a space is %20) and without ? and #, such as mail,webmail';
    throw refuseOption(key, given, 'is not a path prefix', remedy);
  });
  return Array.from(new Set(prefixes));
});

export function oneOf<const Name extends string>(placeholder: string, words: readonly Name[]) {
  return { placeholder, completes: 'words', words } as const;
}

export function kindOf<Name extends string>(placeholder: string, kinds: Readonly<Record<Name, Kinds[string]>>) {
  return { ...oneOf(placeholder, namesOf(kinds)), kinds };
}

export const ENVELOPE_NAME = { ...kindOf('envelope', ENVELOPES), words: ENVELOPE_CHOICES };

/** Kinds of a table, separated by commas; the option may be given several times. */
export function listOf<Name extends string>(placeholder: string, kinds: Readonly<Record<Name, Kinds[string]>>) {
  const words = namesOf(kinds);
  const parse = (key: string, list: string, before?: Iterable<Name>): ReadonlySet<Name> => {
    const named = list.split(',').map((text) => findWord(words, placeholder, key, text.trim()));
    return new Set([...(before ?? []), ...named]);
  };
  return { placeholder, completes: 'list', words, kinds, parse } as const;
}

/** Words with a path each, separated by commas: `name=path,…`. */
export function pathsOf<Name extends string>(words: readonly Name[], example: string) {
  const parse = (key: string, text: string): Partial<Readonly<Record<Name, string>>> => {
    const paths: Partial<Record<Name, string>> = {};
    for (const given of text.split(',')) {
      const [name = '', path = ''] = given.split(/=(.*)/s).map((part) => part.trim());
      if (path === '') throw refuseOption(key, given, 'is not a name=path pair', `give one such as ${example}`);
      const word = findWord(words, 'names', key, name);
      if (paths[word] !== undefined) throw refuseOption(key, name, 'is named twice', 'name each once');
      paths[word] = path;
    }
    return paths;
  };
  return { placeholder: 'name=path,…', completes: 'list', words, ending: '=', parse } as const;
}

function findWord<Name extends string>(words: readonly Name[], noun: string, key: string, text: string): Name {
  const word = words.find((known) => known === text);
  if (word === undefined) throw refuseOption(key, text, `is not one of the ${noun}`, `the ${noun} are ${words.join(', ')}`);
  return word;
}

export function textOf(placeholder: string, completes: 'free' | 'files' | 'folders' | 'zones' = 'free') {
  return { placeholder, completes, parse: (_key: string, text: string) => text };
}

/** @param parse reads the text; `before` is what an earlier use of the option has given */
export function freeValue<Value>(placeholder: string, parse: (key: string, text: string, before?: Value) => Value) {
  return { placeholder, completes: 'free', parse } as const;
}

/** A value that is found in the text, or refused: it `is not ${what}; give ${remedy}`. */
export function foundValue<Value>(placeholder: string, find: (text: string) => Value | undefined, what: string, remedy: string) {
  return freeValue(placeholder, (key, text): Value => {
    const value = find(text);
    if (value === undefined) throw refuseOption(key, text, `is not ${what}`, `give ${remedy}`);
    return value;
  });
}

function countValue(least: number) {
  const find = (text: string): number | undefined => (text === 'forever' ? Infinity : findWholeNumber(text, least));
  return foundValue('n', find, `a whole number from ${String(least)} on`, 'one such as 1000, or forever');
}

/** A decimal number and, without a space, its unit: rounded to a whole number of the smallest unit, from 1 on. */
function quantityOf(noun: string, units: Readonly<Record<string, number>>, examples: string) {
  const find = (text: string): number | undefined => {
    const [, decimal, name = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
    const unit = Object.hasOwn(units, name) ? units[name] : undefined;
    return within(Math.round(Number(decimal) * (unit ?? NaN)), 1, Number.MAX_SAFE_INTEGER);
  };
  return foundValue(noun, find, `a ${noun}`, `one such as ${examples}`);
}

const EXPONENTS: Readonly<Record<string, string>> = { k: '3', K: '3', M: '6', G: '9' };

/** Reads a decimal number such as 0.5, 1e6, 10k, 5M or 2G; undefined for other text, and for a number out of the range. */
function findNumber(text: string, least = Number.MIN_VALUE, most = Number.MAX_VALUE): number | undefined {
  const [, decimal = 'no', exponent, suffix = ''] = /^(\d+(?:\.\d+)?)(?:[eE](\d{1,2})|([kKMG]))?$/.exec(text) ?? [];
  // Read as one literal: a product of 1.1 and 1000 may differ from 1100.
  return within(Number(`${decimal}e${exponent ?? EXPONENTS[suffix] ?? '0'}`), least, most);
}

/** Reads a whole number such as 1000, 1e6, 10k or 5M; undefined for other text, and for a number that is not exact or out of the range. */
export function findWholeNumber(text: string, least = 0, most = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = findNumber(text, least, most);
  return Number.isInteger(value) ? value : undefined;
}

function findInteger(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) ? within(Number(text), Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) : undefined;
}

function within(value: number, least: number, most: number): number | undefined {
  return value >= least && value <= most ? value : undefined;
}
