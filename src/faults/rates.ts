import { refuseOption } from '../errors.js';
import { FAULT_KINDS, type FaultKind, type PerKind } from './kinds.js';

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
    if (kind === undefined) {
      throw refuseOption(flag, name, 'is not a kind of fault', `give one of ${RATE_NAMES.join(', ')}`);
    }
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
