import { refuseOption } from '../../errors.js';
import { findWholeNumber } from './quantities.js';

/** The options of a report of findings. */
export interface FindingOptions<Kind extends string> {
  /** The kinds of findings that are accepted. */
  readonly allow?: ReadonlySet<Kind> | undefined;
  /** The most findings that are written (by `canary`, in a minute); all are counted. */
  readonly max: number;
  readonly json?: true | undefined;
}

/**
 * Makes the parser of `--allow`, which may be given several times: names of kinds of findings, separated by commas.
 *
 * @param kinds all kinds
 * @param noun the name of a kind: `rule`
 * @returns a parser that adds to what earlier lists have named; throws CallError on a name that is not one of the kinds
 */
export function allowParser<Kind extends string>(kinds: readonly Kind[], noun: string) {
  return (flag: string, list: string, before?: ReadonlySet<Kind>): ReadonlySet<Kind> => {
    const named = list.split(',').map((text) => {
      const name = text.trim();
      const kind = kinds.find((known) => known === name);
      if (kind !== undefined) return kind;
      throw refuseOption(flag, name, `is not a ${noun}`, `the ${noun}s are ${kinds.join(', ')}`);
    });
    return new Set([...(before ?? []), ...named]);
  };
}

/** Findings that are written at most, where `--max` does not say. */
export const DEFAULT_MAX = 100;

/** Reads `--max`: how many findings are written at most. @throws CallError on anything but a whole number from 0 on */
export function parseMax(flag: string, text: string): number {
  const max = findWholeNumber(text);
  if (max !== undefined) return max;
  throw refuseOption(flag, text, 'is not a number of lines', 'give a whole number from 0 on');
}
