import { refuseOption } from '../errors.js';
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

export const RATE_NAMES = [...FAULT_KINDS, 'all'] as const;

/** The share of groups (0 to 1) at which a fault of each kind begins. `all` stands for every kind that is not named. */
export type FaultRates = Readonly<Partial<Record<FaultKind | 'all', number>>>;

/** The rate of every kind: its own, else that of `all`, else 0. */
export function fillRates(given: FaultRates): PerKind {
  return Object.fromEntries(FAULT_KINDS.map((kind) => [kind, given[kind] ?? given.all ?? 0]));
}

/** Sums of decimals, such as ten times 0.1, are not exact. */
const ROUNDING = 1e-9;

/** The sum of rates if it is more than 1: a group has at most one fault. */
export function findExcess(rates: PerKind): number | undefined {
  const sum = FAULT_KINDS.reduce((total, kind) => total + (rates[kind] ?? 0), 0);
  return sum <= 1 + ROUNDING ? undefined : Number(sum.toFixed(9));
}

export function isShare(rate: number): boolean {
  return rate >= 0 && rate <= 1;
}

const RATE = /^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Parses `kind:rate,…`. @param flag the option that messages name @throws CallError */
export function parseFaultRates(flag: string, text: string): PerKind {
  const given: Partial<Record<FaultKind | 'all', number>> = {};
  for (const part of text.split(',')) {
    const [name = '', rate] = part.split(/:(.*)/s);
    const kind = RATE_NAMES.find((known) => known === name);
    if (kind === undefined) throw refuseOption(flag, name, 'is not a kind of fault', `give one of ${RATE_NAMES.join(', ')}`);
    if (given[kind] !== undefined) throw refuseOption(flag, kind, 'is given twice', 'give each kind once');
    if (rate === undefined) throw refuseOption(flag, part, 'has no rate', `give a rate, as in ${kind}:0.01`);
    const share = RATE.test(rate) ? Number(rate) : NaN;
    if (!isShare(share)) throw refuseOption(flag, part, 'is not a rate from 0 to 1', `give a number, as in ${kind}:0.01`);
    given[kind] = share;
  }
  const rates = fillRates(given);
  const excess = findExcess(rates);
  if (excess === undefined) return rates;
  const remedy = 'a group has at most one fault; lower the rates to a sum of at most 1';
  throw refuseOption(flag, text, `is ${String(excess)} in total, more than 1`, remedy);
}
