import { CallError } from '../errors.js';
import { quoteText } from '../wording.js';

/**
 * Reads the kinds that `--allow` names.
 *
 * @param lists of names, separated by commas: one list for each time that the option was given
 * @param kinds all that there are
 * @param noun what a kind is called: `rule`
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
      throw new CallError({ source: '--allow' }, `${quoteText(name)} is no ${noun}`, `the ${noun}s are ${kinds.join(', ')}`);
    }),
  );
}

/**
 * Reads the number of findings that `--max` names.
 *
 * @throws CallError on anything but a whole number from 0 on
 */
export function parseMax(text: string): number {
  const max = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(max)) return max;
  throw new CallError({ source: '--max' }, `${quoteText(text)} is no number of lines`, 'give a whole number from 0 on');
}
