import { copyBytes } from '../log/byte-string.js';

/** The rules, in the order in which a line's are looked at, and the sections of the specification that each of them stands for. */
export const RULES = {
  foreign: '2.1, 2.2, 6',
  'plugin-order': '2.3, 6, 7',
  incomplete: '6.3, 7',
  interleaved: '6',
  timestamp: '2.2, 6.1',
  offset: '2.1',
  timezone: '2.2',
  path: '2.1, 2.2',
  'line-number': '2.1, 2.2, 7',
  descriptor: '6.2',
  backwards: '6.4',
  ending: '1.3',
} as const;

/** The name of a rule. */
export type Rule = keyof typeof RULES;

/** The names of all rules. */
export const RULE_NAMES: readonly string[] = Object.keys(RULES);

/** Whether a text names a rule. */
export function isRule(name: string): name is Rule {
  return Object.hasOwn(RULES, name);
}

/** What a log has that the specification does not allow. */
export interface Violation {
  /** The physical line, from 1. */
  readonly line: number;
  readonly rule: Rule;
  /** What stands there. */
  readonly found: Side;
  /** What belongs there. */
  readonly expected: Side;
  /** The first line of the group that it is held against: its own one, or the one that a step back or an interruption is about. */
  readonly groupLine?: number;
  /** Whose records an incomplete group lacks: plugins by their names. */
  readonly missing?: readonly string[];
}

/** One side of a violation. */
export interface Side {
  /** What a person reads, safe for a terminal; where `VALUE` stands in it, the value is shown. */
  readonly words: string;
  /** A byte string, whole and as it is; undefined where there is no value and the words say all. */
  readonly value?: string;
}

/** Stands for the value in the words of a side: nothing that is safe for a terminal holds it. */
export const VALUE = '\0';

/** A side of a violation. The value is kept in memory of its own: it may be a slice of a long line. */
export function side(words: string, value?: string): Side {
  return value === undefined ? { words } : { words, value: copyBytes(value) };
}

/** A side that is a value, in quotes. */
export function quoted(value: string): Side {
  return side(`"${VALUE}"`, value);
}
