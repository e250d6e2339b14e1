import { refuseOption } from '../../errors.js';
import { findWholeNumber } from './quantities.js';

/**
 * Makes the parser of `--allow`, which may be given several times: names of kinds of findings, separated by commas.
 *
 * @param kinds all kinds
 * @param noun the name of a kind: `rule`
 * @returns a function from a list, and from what earlier lists have named, to all that are named; throws CallError on a name that is not
 *   one of the kinds
 */
export function allowParser<Kind extends string>(kinds: readonly Kind[], noun: string) {
  return (list: string, before: ReadonlySet<Kind> | undefined): ReadonlySet<Kind> => {
    const names = list.split(',').map((name) => name.trim());
    return new Set([...(before ?? []), ...names.map((name) => findKind(name, kinds, noun))]);
  };
}

function findKind<Kind extends string>(name: string, kinds: readonly Kind[], noun: string): Kind {
  const kind = kinds.find((known) => known === name);
  if (kind !== undefined) return kind;
  throw refuseOption('--allow', name, `is no ${noun}`, `the ${noun}s are ${kinds.join(', ')}`);
}

/** Findings that are written at most, where `--max` does not say. */
export const DEFAULT_MAX = 100;

/** Reads `--max`: how many findings are written at most. @throws CallError on anything but a whole number from 0 on */
export function parseMax(text: string): number {
  const max = findWholeNumber(text);
  if (max !== undefined) return max;
  throw refuseOption('--max', text, 'is no number of lines', 'give a whole number from 0 on');
}
