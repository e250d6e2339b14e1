import { namesOf, type Kinds } from '../../wording.js';

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
