import { refuseOption } from '../../errors.js';
import { findWholeNumber } from './numbers.js';

export const ALLOW_HELP = 'accept findings of these kinds, separated by commas; may be repeated';

/** Collects the lists of an option that may be repeated. */
export function collectLists(list: string, before: readonly string[] | undefined): readonly string[] | undefined {
  return [...(before ?? []), list];
}

/**
 * Reads the kinds of findings that `--allow` names.
 *
 * @param lists names separated by commas, one list for each time that the option was given
 * @param kinds all kinds
 * @param noun the name of a kind: `rule`
 * @throws CallError on a name that is not one of the kinds
 */
export function parseAllowed<Kind extends string>(
  lists: readonly string[],
  kinds: readonly Kind[],
  noun: string,
): ReadonlySet<Kind> {
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  return new Set(
    names.map((name) => {
      const kind = kinds.find((known) => known === name);
      if (kind !== undefined) return kind;
      throw refuseOption('--allow', name, `is no ${noun}`, `the ${noun}s are ${kinds.join(', ')}`);
    }),
  );
}

/** Reads `--max`: how many findings are written at most. @throws CallError on anything but a whole number from 0 on */
export function parseMax(text: string): number {
  const max = findWholeNumber(text);
  if (max !== undefined) return max;
  throw refuseOption('--max', text, 'is no number of lines', 'give a whole number from 0 on');
}
