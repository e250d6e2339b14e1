import type { Finding, Statement } from '../findings/finding.js';
import { namesOf, type Kinds } from '../wording.js';

/** The rules in the order in which a line is checked, and the sections of the specification behind each. */
export const RULES = {
  foreign: {
    section: '2.1, 2.2, 6',
    meaning: 'a line that is not a record, half a record, another runtime tag',
    detail: 'Also a deprecation record, where the deployment has `deprecation` false.',
  },
  'session-id': {
    section: '2.1',
    meaning: 'a load failure that shows a session id',
    detail: 'Not with `--infer`, if groups of the log show one.',
  },
  'plugin-order': {
    section: '2.3, 6, 7',
    meaning: 'a plugin that is not the next of the list, or not in the list',
    detail: 'Also a repeated record, reported where it is repeated, and two exchanged records.',
  },
  incomplete: {
    section: '6.3, 7',
    meaning: 'a group in which records are missing',
    detail: 'Reported once; also a group that the beginning or the end of the log cuts off.',
  },
  interleaved: {
    section: '6',
    meaning: 'a group that begins before another group has ended',
    detail: 'Reported once for each group in which others begin.',
  },
  timestamp: { section: '2.2, 6.1', meaning: 'a timestamp other than that of the group', detail: 'Once for a run of records.' },
  offset: {
    section: '2.1',
    meaning: "not the time zone's UTC offset at that time",
    detail: 'Also a time that its clocks never show.',
  },
  timezone: { section: '2.2', meaning: 'another time zone' },
  path: { section: '2.1, 2.2', meaning: 'another path of a plugin, the loader or the session component' },
  'line-number': { section: '2.1, 2.2, 7', meaning: 'another line number of the loader or the session component' },
  descriptor: {
    section: '6.2',
    meaning: 'a request descriptor other than that of the group',
    detail: 'Once for a run of records.',
  },
  backwards: { section: '6.4', meaning: 'a group that is earlier than the group above it' },
  ending: { section: '1.3', meaning: 'no LF at the end of the log, or a CR before an LF' },
} as const satisfies Kinds;

/** The name of a rule. */
export type Rule = keyof typeof RULES;

/** The names of all rules, in their order. */
export const RULE_NAMES = namesOf(RULES);

/** A finding of `check`: its kind is the rule that the log breaks. */
export interface Violation extends Omit<Finding<Rule>, 'source' | 'lastLine'> {
  readonly expected: Statement;
  /** The first line of the group that it concerns: its own group, or the group above for a step back. */
  readonly groupLine?: number;
  /** The records that are missing from an incomplete group; plugins by their names. */
  readonly missing?: readonly string[];
}
