import { namesOf, type Kinds } from '../wording.js';

/** The kinds of fault, the rules of `check` that find them, and causes. Another order changes the bytes of broken logs. */
export const FAULTS = {
  torn: {
    meaning: 'a record ends early, alone on its line, or with the next record on the same line',
    rules: '`foreign`; a cut number: `line-number`; the last record: `incomplete`',
    causes: 'a full disk, a killed process, a collector that cuts long lines',
  },
  missing: {
    meaning: 'a record of a group is missing',
    rules: '`incomplete`',
    causes: 'a rotation or a restart within a group, a sampling collector',
  },
  duplicate: {
    meaning: 'a record appears twice',
    rules: '`plugin-order`',
    causes: 'a collector that sends again after a restart',
  },
  swapped: {
    meaning: 'two adjacent records of a group are swapped',
    rules: '`plugin-order`',
    causes: 'a collector with several workers',
  },
  altered: {
    meaning: 'a field has another valid value',
    rules: '`timestamp`, `offset`, `timezone`, `path`, `line-number`, `descriptor`',
    causes: "another installation's records, a pipeline that rewrites fields",
  },
  late: {
    meaning: 'a group comes after a group of a later second',
    rules: '`backwards`',
    causes: 'a clock that was set back, buffers that are flushed late',
  },
  interleave: { meaning: 'the records of two or more groups are mixed', rules: '`interleaved`', causes: 'concurrent requests' },
  foreign: {
    meaning: 'a record of another kind follows a group',
    rules: '`foreign`, for each of its lines',
    causes: 'failed logins, SMTP, database and PHP errors',
  },
  garbage: {
    meaning: 'a line of 1 to 200 arbitrary bytes',
    rules: '`foreign`',
    causes: 'a write to the wrong file, a damaged disk',
  },
  crlf: { meaning: 'a record, or a group, ends in CR LF', rules: '`ending`', causes: 'a transfer as text, an editor on Windows' },
} as const satisfies Kinds & Readonly<Record<string, { rules: string; causes: string }>>;

/** A way in which a log is broken on purpose. */
export type FaultKind = keyof typeof FAULTS;

export const FAULT_KINDS = namesOf(FAULTS);

/** Numbers by kind; a kind that is missing has 0. */
export type PerKind = Readonly<Partial<Record<FaultKind, number>>>;

/** The kinds of record that `foreign` adds. */
export const FOREIGN_RECORDS = {
  login_failed: { meaning: 'a login that was refused' },
  imap_unreachable: { meaning: 'a login that failed because the IMAP server was unreachable' },
  smtp: { meaning: 'a refused recipient, or an unreachable SMTP server' },
  database: { meaning: 'a database that is read-only or unreachable' },
  php: { meaning: 'a forged form, a PHP warning, exhausted memory or time, or an exception with a stack trace' },
} as const satisfies Kinds;

/** A kind of record of the real software. */
export type RealRecord = keyof typeof FOREIGN_RECORDS;

/** A kind of foreign record; `own` for a record of a log that was given. */
export type ForeignRecord = RealRecord | 'own';

export const REAL_RECORDS = namesOf(FOREIGN_RECORDS);
