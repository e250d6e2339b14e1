import type { Finding } from '../findings/finding.js';
import type { Statement } from '../findings/statement.js';

/** The rules in the order in which a line is checked, and the sections of the specification behind each. */
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

/** The names of all rules, in their order. */
export const RULE_NAMES: readonly Rule[] = Object.keys(RULES).filter(isRule);

function isRule(name: string): name is Rule {
  return Object.hasOwn(RULES, name);
}

/** A finding of `check`: its kind is the rule that the log breaks. */
export interface Violation extends Omit<Finding<Rule>, 'source' | 'lastLine'> {
  readonly expected: Statement;
  /** The first line of the group that it concerns: its own group, or the group above for a step back. */
  readonly groupLine?: number;
  /** The records that are missing from an incomplete group; plugins by their names. */
  readonly missing?: readonly string[];
}
