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
  /** What stands there; what it quotes of the log is escaped. */
  readonly found: string;
  /** What belongs there; escaped as well. */
  readonly expected: string;
}
