import { namesOf, type Kinds } from '../wording.js';

/** The kinds of fault. A change of their order changes the bytes of broken logs. */
export const FAULTS = {
  torn: { meaning: 'a record ends early, alone on its line, or with the next record on the same line' },
  missing: { meaning: 'a record of a group is missing' },
  duplicate: { meaning: 'a record appears twice' },
  swapped: { meaning: 'two adjacent records of a group are swapped' },
  altered: { meaning: 'a field has another valid value' },
  late: { meaning: 'a group comes after a group of a later second' },
  interleave: { meaning: 'the records of two or more groups are mixed' },
  foreign: { meaning: 'a record of another kind follows a group' },
  garbage: { meaning: 'a line of 1 to 200 arbitrary bytes' },
  crlf: { meaning: 'a record, or a group, ends in CR LF' },
} as const satisfies Kinds;

/** A way in which a log is broken on purpose. */
export type FaultKind = keyof typeof FAULTS;

export const FAULT_KINDS = namesOf(FAULTS);

/** Numbers by kind; a kind that is missing has 0. */
export type PerKind = Readonly<Partial<Record<FaultKind, number>>>;
