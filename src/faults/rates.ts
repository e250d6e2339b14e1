import { FAULT_KINDS, type FaultKind, forEachKind, type PerKind } from './kinds.js';

/** The names that rates may have. */
export const RATE_NAMES = [...FAULT_KINDS, 'all'] as const;

/** For each kind, the share of groups (0 to 1) at which a fault of the kind begins. `all` stands for every kind that is not named. */
export type FaultRates = Readonly<Partial<Record<FaultKind | 'all', number>>>;

/** The rate of each kind. Kinds that neither their name nor `all` gives a rate have the rate 0. */
export function fillRates(given: FaultRates): PerKind {
  const rates = forEachKind(0);
  for (const kind of FAULT_KINDS) rates[kind] = given[kind] ?? given.all ?? 0;
  return rates;
}

/** Sums of decimals, such as ten times 0.1, are a little off in binary. */
const ROUNDING = 1e-9;

/** Adds rates up. @returns the sum if it is more than 1: a group has at most one fault */
export function findExcess(rates: PerKind): number | undefined {
  const sum = FAULT_KINDS.reduce((total, kind) => total + rates[kind], 0);
  return sum <= 1 + ROUNDING ? undefined : Number(sum.toFixed(9));
}

/** True for a share: a number from 0 to 1. */
export function isShare(rate: number): boolean {
  return rate >= 0 && rate <= 1;
}
